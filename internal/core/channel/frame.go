package channel

import (
	"encoding/binary"
	"errors"
)

// Bits of the channel byte.
const (
	flagLast     = 0x80 // no length: the body extends to the end of the packet
	flagFragment = 0x40
	maskID       = 0x3f
)

const (
	wholeHead     = 3 // channel byte, message id
	fragmentHead  = 5 // channel byte, message id, index, last index
	maxLengthSize = 2
	maxLength     = 1<<14 - 1
)

// Errors of HandleFrames.
var (
	// ErrMalformed means that the bytes are not a sequence of frames.
	ErrMalformed = errors.New("channel: malformed frame")
	// ErrUnknownChannel means that a frame has the id of a channel that does not exist.
	ErrUnknownChannel = errors.New("channel: frame on an unknown channel")
	// ErrRefused means that a frame is on a channel on which this end only sends.
	ErrRefused = errors.New("channel: frame against the direction of its channel")
	// ErrWindow means that a reliable message is too far ahead, or that the peer sent more data
	// than the receiver keeps.
	ErrWindow = errors.New("channel: peer runs ahead of its window")
	// ErrFragment means that fragments of one message disagree about their number.
	ErrFragment = errors.New("channel: fragments contradict each other")
)

// frame is one parsed frame.
type frame struct {
	id       ID
	last     bool // has no length and extends to the end of the packet
	fragment bool
	hasID    bool
	message  uint16 // id of the message, if hasID
	index    uint8  // if fragment: 0 to final
	final    uint8  // if fragment: index of the message's last fragment
	body     []byte
}

// carriesID reports whether frames of the mode carry the id of their message.
func (m Mode) carriesID(fragment bool) bool {
	return fragment || m.Reliable() || m == SequencedUnreliable
}

// hasLength reports whether a length or flagLast tells where the body ends. The bodies of all
// fragments but the final one have FragmentSize bytes.
func (f *frame) hasLength() bool { return !f.fragment || f.index == f.final }

// appendFrame appends the bytes of f.
func appendFrame(dst []byte, f frame) []byte {
	head := byte(f.id)
	if f.fragment {
		head |= flagFragment
	}
	if f.last {
		head |= flagLast
	}
	dst = append(dst, head)
	if f.hasID {
		dst = binary.LittleEndian.AppendUint16(dst, f.message)
	}
	if f.fragment {
		dst = append(dst, f.index, f.final)
	}
	if f.hasLength() && !f.last {
		dst = appendLength(dst, len(f.body))
	}
	return append(dst, f.body...)
}

// frameSize is the number of bytes that appendFrame appends for f.
func frameSize(f *frame) int {
	n := 1 + len(f.body)
	if f.hasID {
		n += 2
	}
	if f.fragment {
		n += 2
	}
	if f.hasLength() && !f.last {
		n += lengthSize(len(f.body))
	}
	return n
}

// parseFrame reads the frame at the start of b, which must not be empty, and returns it with the
// bytes that follow.
func (r *receiver) parseFrame(b []byte) (f frame, rest []byte, err error) {
	f.id, f.last, f.fragment = ID(b[0]&maskID), b[0]&flagLast != 0, b[0]&flagFragment != 0
	b = b[1:]
	in := r.inbound[f.id]
	mode := in.mode()
	switch {
	case in == noChannel:
		return f, nil, ErrUnknownChannel
	case f.fragment && mode == External:
		return f, nil, ErrMalformed
	}
	if f.hasID = mode.carriesID(f.fragment); f.hasID {
		if len(b) < 2 {
			return f, nil, ErrMalformed
		}
		f.message, b = binary.LittleEndian.Uint16(b), b[2:]
	}
	if f.fragment {
		if len(b) < 2 || !validFragment(b[0], b[1], mode) {
			return f, nil, ErrMalformed
		}
		f.index, f.final, b = b[0], b[1], b[2:]
	}
	return f.parseBody(b, mode)
}

func validFragment(index, final uint8, mode Mode) bool {
	limit := fragmentCount(mode.maxMessage()) - 1
	return final >= 1 && index <= final && int(final) <= limit
}

// parseBody reads the length, if there is one, and the body. It accepts only the encoding that
// appendFrame writes, so that equal frames have equal bytes.
func (f frame) parseBody(b []byte, mode Mode) (frame, []byte, error) {
	n := FragmentSize
	switch {
	case !f.hasLength():
		if f.last {
			return f, nil, ErrMalformed
		}
	case f.last:
		n = len(b)
	default:
		var ok bool
		if n, b, ok = parseLength(b); !ok {
			return f, nil, ErrMalformed
		}
	}
	if n > len(b) || mode != External && n > FragmentSize || f.fragment && n == 0 {
		return f, nil, ErrMalformed
	}
	if f.fragment && int(f.final)*FragmentSize+n > mode.maxMessage() && f.hasLength() {
		return f, nil, ErrMalformed
	}
	f.body = b[:n:n]
	return f, b[n:], nil
}

// appendLength appends n in one byte if it is below 128, otherwise in two: the low 7 bits with the
// top bit set, then the upper bits.
func appendLength(dst []byte, n int) []byte {
	if n < 0x80 {
		return append(dst, byte(n))
	}
	return append(dst, byte(n)|0x80, byte(n>>7))
}

func lengthSize(n int) int {
	if n < 0x80 {
		return 1
	}
	return 2
}

func parseLength(b []byte) (n int, rest []byte, ok bool) {
	if len(b) == 0 {
		return 0, nil, false
	}
	if b[0] < 0x80 {
		return int(b[0]), b[1:], true
	}
	if len(b) < 2 || b[1] == 0 || b[1] >= 0x80 {
		return 0, nil, false
	}
	return int(b[0]&0x7f) | int(b[1])<<7, b[2:], true
}

func (m Mode) maxMessage() int {
	if m.Reliable() {
		return MaxMessage
	}
	return MaxUnreliableMessage
}
