package plain

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
)

// kind is the first byte of a packet.
type kind uint8

const (
	kindHello     kind = iota + 1 // from a client: asks to connect
	kindChallenge                 // from a server: a number that the client repeats, to prove that it receives at its address
	kindAnswer                    // from a client: the hello and that number
	kindKeepAlive                 // from a server: the client is connected, and its packets must begin with this number
	kindPayload
	kindGoodbye
	kindDenied // from a server: the client is refused
)

// version is part of a hello. It stands for everything that a later version may change.
const version = "entangle plain 1"

// Sizes in bytes.
const (
	helloSize     = 1 + len(version) + 3*8 + connection.MaxUserData
	answerSize    = helloSize + 8
	challengeSize = 1 + 8 + 8
	deniedSize    = 1 + 8 + 1
	idSize        = 1 + 8      // size of a client's keep-alive, and of the first part of most other packets
	aliveSize     = idSize + 8 // size of a server's keep-alive
	payloadHead   = idSize + 8
)

// Overhead is the number of bytes that a packet adds to its payload. AliveSize is the size of a
// server's keep-alive.
const (
	Overhead  = payloadHead
	AliveSize = aliveSize
)

// MaxReply is the size of the longest reply of HandleDatagram.
const MaxReply = answerSize

// maxPacket is the size of the longest valid packet.
const maxPacket = payloadHead + entangle.MaxPayload

// hello describes a client. The user data aliases the datagram.
type hello struct {
	protocolID uint64
	mine       uint64 // the number with which the server's packets begin
	client     entangle.ClientID
	userData   []byte // MaxUserData bytes
}

func (h *hello) appendTo(dst []byte, k kind) []byte {
	dst = append(append(dst, byte(k)), version...)
	dst = binary.LittleEndian.AppendUint64(dst, h.protocolID)
	dst = binary.LittleEndian.AppendUint64(dst, h.mine)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(h.client))
	return append(dst, h.userData...)
}

// readHello parses a hello, or the first part of an answer.
func readHello(b []byte) (h hello, ok bool) {
	if len(b) < helloSize || string(b[1:1+len(version)]) != version {
		return hello{}, false
	}
	b = b[1+len(version) : helloSize]
	h = hello{
		protocolID: binary.LittleEndian.Uint64(b),
		mine:       binary.LittleEndian.Uint64(b[8:]),
		client:     entangle.ClientID(binary.LittleEndian.Uint64(b[16:])),
		userData:   b[24:],
	}
	return h, h.client != entangle.Nobody
}

// appendID appends the first part of a packet. id is the number that the receiving end has chosen.
func appendID(dst []byte, k kind, id uint64) []byte {
	return binary.LittleEndian.AppendUint64(append(dst, byte(k)), id)
}

func appendPayload(dst []byte, id, sequence uint64, payload []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(appendID(dst, kindPayload, id), sequence)
	return append(dst, payload...)
}

// readID returns the number in the first part of a packet. b must have at least idSize bytes.
func readID(b []byte) uint64 { return binary.LittleEndian.Uint64(b[1:]) }

// denial is the reason why a server refuses a client.
type denial uint8

const (
	deniedFull denial = iota + 1
	deniedConnected
	deniedGame
)

// denials are the errors that a client reports for each denial.
var denials = [...]error{
	deniedFull:      fmt.Errorf("denied: %w", connection.ErrServerFull),
	deniedConnected: fmt.Errorf("denied: %w, or one from this address", connection.ErrAlreadyConnected),
	deniedGame:      fmt.Errorf("denied: %w: the server runs another game, or another version of it", connection.ErrProtocolMismatch),
}

var errDenied = errors.New("denied")

func (d denial) err() error {
	if d < deniedFull || int(d) >= len(denials) {
		return errDenied
	}
	return denials[d]
}
