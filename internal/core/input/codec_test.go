package input_test

import (
	"encoding/binary"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// hands are the inputs of the tests: a stick with two axes of 8 bits each, and the number of a
// press, which is an event.
type hands struct {
	X, Y  uint8
	Press uint16
}

const handsSize = 4

func (h hands) bytes() []byte {
	return append([]byte{h.X, h.Y}, binary.LittleEndian.AppendUint16(nil, h.Press)...)
}

func handsOf(v []byte) hands {
	if v == nil {
		return hands{}
	}
	return hands{v[0], v[1], binary.LittleEndian.Uint16(v[2:])}
}

// codec encodes hands: 16 bits for the stick, and 1 or 17 bits for the press.
type codec struct{}

func (codec) Size() int { return handsSize }
func (codec) Begin()    {}

func (codec) Encode(w *bits.Writer, v []byte) {
	h := handsOf(v)
	w.Bits(uint64(h.X), 8)
	w.Bits(uint64(h.Y), 8)
	w.Bool(h.Press != 0)
	if h.Press != 0 {
		w.Bits(uint64(h.Press), 16)
	}
}

func (codec) Decode(r *bits.Reader, v []byte) error {
	v[0], v[1] = byte(r.Bits(8)), byte(r.Bits(8))
	var press uint16
	if r.Bool() {
		if press = uint16(r.Bits(16)); press == 0 {
			r.Fail(bits.ErrPadding)
		}
	}
	binary.LittleEndian.PutUint16(v[2:], press)
	return r.Err()
}

func (codec) Equal(a, b []byte) bool { return handsOf(a) == handsOf(b) }
func (codec) Round([]byte)           {}
func (codec) ClearEvents(v []byte)   { clear(v[2:]) }

func (codec) MergeEvents(dst, src []byte) {
	if handsOf(src).Press != 0 {
		copy(dst[2:], src[2:])
	}
}
