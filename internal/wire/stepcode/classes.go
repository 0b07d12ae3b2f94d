package stepcode

import (
	"errors"
	mathbits "math/bits"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// A step is written in three parts: its class, which is the number of bits of its magnitude; its
// sign; and the bits of the magnitude below the highest one, which is always 1.
//
// Most of the possible savings are in the class. The steps of successive ticks are alike: a body at
// rest stays at rest, and a moving one keeps its speed. So the class is encoded relative to an
// expected class, and classes near that one have short codes. If a sign is expected as well, class
// and sign have one code. The expectation depends on earlier steps and never on values, so that a
// reader without the baseline parses the same bits.

// ErrDelta means that Plan.EncodeDelta cannot have written a difference: it says that something
// changed which did not, or it takes more bits than necessary.
var ErrDelta = errors.New("protocol: not a difference in its shortest form")

// ClassOf returns the number of bits of the magnitude of a step.
func ClassOf(step int64) uint8 { return uint8(mathbits.Len64(uint64(max(step, -step)))) }

// Hint is what is expected of a step.
type Hint struct {
	class uint8 // the expected class, or unknown
	sign  int8  // -1 or 1; 0 if no sign is expected
	turns bool  // the step is of a rotation
}

// unknown is the class of a Hint if no class is expected.
const unknown = 255

// direct reports whether places below far are equal to the classes.
func (h Hint) direct() bool { return h.class < nearby || h.class == unknown }

// A place stands for a class, or several, and has a code. Place 0 is always class 0, and place far
// is every class without a place of its own. The places between them depend on the expected class.
// If that is unknown, or below the constant nearby, place n is class n. Otherwise they are the
// classes from reach below the expected one to reach above it.
const (
	nearby = 3
	reach  = 4
	middle = reach + 1          // the place of the expected class itself
	far    = middle + reach + 1 // the place of all other classes: the class follows in 6 bits
	places = far + 1

	farBits = 6
	whole   = 1<<farBits - 1 // after far, in place of a class: the number follows in full and not a step
	Classes = whole          // a step of this class or above cannot be written
)

// placeOf returns the place of a class.
func (h Hint) placeOf(class uint8) uint8 {
	switch {
	case class == 0:
		return 0
	case class >= Classes:
		return far
	case h.direct():
		return min(class, far)
	case class+reach >= h.class && class <= h.class+reach:
		return class + middle - h.class
	default:
		return far
	}
}

// classAt is the inverse of placeOf for every place except far.
func (h Hint) classAt(place uint8) uint8 {
	if place == 0 || h.direct() {
		return place
	}
	return h.class + place - middle
}

// signed reports whether the code for the expected class includes the sign.
func (h Hint) signed() bool { return h.sign != 0 && h.class > 0 && h.class != unknown }

// book returns the book for the hint.
func (h Hint) book() *book {
	near := min(h.class, nearby)
	switch {
	case h.class == unknown && h.turns:
		return &books[bookOfAny+1]
	case h.class == unknown:
		return &books[bookOfAny]
	case h.sign != 0 && near > 0:
		return &books[nearby+near]
	case h.turns:
		return &books[near]
	default:
		return &books[chainedBooks[near]]
	}
}

// WriteStep writes a step. Its class must be below Classes.
func WriteStep(w *bits.Writer, h Hint, step int64) {
	magnitude, class, signed := max(step, -step), ClassOf(step), h.signed()
	place := h.placeOf(class)
	symbol := place << 1
	if signed && place > 0 && place < far {
		symbol |= uint8(uint64(int64(h.sign)^step) >> 63)
	}
	b := h.book()
	code, width := uint64(b.code[symbol]), uint(b.width[symbol])
	if place == far {
		code, width, signed = code|uint64(class)<<width, width+farBits, false
	}
	if class > 0 && !signed {
		code, width = code|uint64(step)>>63<<(width&63), width+1
	}
	w.Put(code, width)
	if class > 1 {
		w.Put(uint64(magnitude)&^(1<<((class-1)&63)), uint(class-1))
	}
}

// WriteWhole writes, in place of a step, a mark after which the number follows in full.
func WriteWhole(w *bits.Writer, h Hint) {
	b := h.book()
	w.Put(uint64(b.code[far<<1]), uint(b.width[far<<1]))
	w.Put(whole, farBits)
}

// ReadStep reads a step. instead is true if it read the mark of WriteWhole.
func ReadStep(r *bits.Reader, h Hint) (step int64, instead bool) {
	ahead := r.Peek()
	s := h.book().symbols[ahead&(1<<longest-1)]
	place, sign := s.symbol>>1, uint64(s.symbol&1)
	if place == far {
		r.Skip(uint(s.width))
		return readFar(r, h)
	}
	class := h.classAt(place)
	width := uint(s.width)
	switch {
	case h.placeOf(class) != place: // the class would be 0 or below, or too large
		r.Fail(ErrDelta)
		return 0, false
	case class == 0:
		r.Skip(width)
		return 0, false
	case h.signed():
		sign ^= uint64(int64(h.sign)) >> 63
	default:
		sign = ahead >> width & 1
		width++
	}
	r.Skip(width)
	return signedStep(r, class, sign), false
}

// signedStep reads the magnitude of a step of a class and returns the step with its sign.
func signedStep(r *bits.Reader, class uint8, sign uint64) int64 {
	magnitude := int64(1<<((class-1)&63) | r.Bits(uint(class-1)))
	return (magnitude ^ -int64(sign)) + int64(sign)
}

// readFar reads what follows the code for far: a class and its step, or the rest of the mark of
// WriteWhole. It refuses a class that has a code of its own.
func readFar(r *bits.Reader, h Hint) (step int64, instead bool) {
	class := uint8(r.Bits(farBits))
	switch {
	case class == whole:
		return 0, true
	case h.placeOf(class) != far:
		r.Fail(ErrDelta)
		return 0, false
	}
	return signedStep(r, class, r.Bits(1)), false
}
