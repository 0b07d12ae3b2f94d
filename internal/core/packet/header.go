package packet

import (
	"encoding/binary"
	"errors"
	"time"

	entangle "github.com/entangle-ecs/entangle"
)

// Kind is the kind of a packet. It determines what follows the header.
type Kind uint8

const (
	// Data is the kind of a packet with frames. It has an id of its own, for which there is a
	// verdict, because the receiver must acknowledge it.
	Data Kind = 1
	// AckOnly is the kind of a packet that is only a header. It has no id and is not acknowledged,
	// so two idle ends do not keep sending each other acknowledgements.
	AckOnly Kind = 2
	// Goodbye is the kind of a packet with the reason for a disconnect (ParseReason). It has no id
	// and is not acknowledged.
	Goodbye Kind = 3

	kindBits = 2
)

// HeaderSize is the length of an encoded Header in bytes.
const HeaderSize = 13

// Header is the first part of every packet.
type Header struct {
	Kind Kind
	// ID is the id of this packet if it is Data; otherwise the newest id of a Data packet.
	ID uint16
	// Ack is the newest id received from the peer, or 0 before the first.
	Ack uint16
	// AckBits has bit i set if id Ack-1-i was received too.
	AckBits uint32
	// AckDelay is how long before this header the packet Ack arrived. It is rounded on the wire, and
	// at most MaxAckDelay there.
	AckDelay time.Duration
	// Tick is the newest tick of the sending end.
	Tick entangle.Tick
}

// Errors of ParseHeader.
var (
	ErrShort = errors.New("packet: shorter than a header")
	ErrKind  = errors.New("packet: unknown kind")
)

// AppendHeader appends the 13 bytes of h to dst.
func AppendHeader(dst []byte, h Header) []byte {
	dst = append(dst, byte(h.Kind)|delayCode(h.AckDelay)<<kindBits)
	dst = binary.LittleEndian.AppendUint16(dst, h.ID)
	dst = binary.LittleEndian.AppendUint16(dst, h.Ack)
	dst = binary.LittleEndian.AppendUint32(dst, h.AckBits)
	return binary.LittleEndian.AppendUint32(dst, uint32(h.Tick))
}

// ParseHeader reads the header at the start of b and returns it with the bytes that follow it. It
// returns ErrShort or ErrKind if the header is invalid.
func ParseHeader(b []byte) (Header, []byte, error) {
	if len(b) < HeaderSize {
		return Header{}, nil, ErrShort
	}
	kind := Kind(b[0] & (1<<kindBits - 1))
	if kind == 0 {
		return Header{}, nil, ErrKind
	}
	return Header{
		Kind:     kind,
		ID:       binary.LittleEndian.Uint16(b[1:]),
		Ack:      binary.LittleEndian.Uint16(b[3:]),
		AckBits:  binary.LittleEndian.Uint32(b[5:]),
		AckDelay: delayOf(b[0] >> kindBits),
		Tick:     entangle.Tick(binary.LittleEndian.Uint32(b[9:])),
	}, b[HeaderSize:], nil
}
