package wire

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// EncodeValue writes v, which must have the type of p. It returns ErrTooLong for a text or slice
// that is longer than its limit, and ErrMemory for a value that receivers would refuse; the bits
// that w has of the value must then be discarded. refs may be nil if HasRefs is false.
func EncodeValue[T any](p *Plan, w *bits.Writer, v *T, refs RefWriter) error {
	_, err := EncodeCounted(p, w, v, refs)
	return err
}

// EncodeCounted is EncodeValue, and also returns how many numbers were outside of their range and
// were clamped.
func EncodeCounted[T any](p *Plan, w *bits.Writer, v *T, refs RefWriter) (clamped int, err error) {
	mustBe[T](p)
	return p.encodeCounted(w, unsafe.Pointer(v), refs)
}

func (p *Plan) encodeCounted(w *bits.Writer, at unsafe.Pointer, refs RefWriter) (clamped int, err error) {
	if k := p.codec(); k != nil && k.Try != nil {
		return 0, k.Try(w, at)
	}
	weight, err := weigh(p.ops, at)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", p.typ, err)
	}
	start := w.LenBits()
	clamped = encodeOps(p.ops, w, at, refs)
	if weight > budget(w.LenBits()-start) {
		return clamped, fmt.Errorf("%s: %w", p.typ, ErrMemory)
	}
	return clamped, nil
}

// DecodeValue reads into v, which must have the type of p. It overwrites v, and allocates new
// memory for text and slices. After an error v is only partly written.
func DecodeValue[T any](p *Plan, r *bits.Reader, v *T, refs RefReader) error {
	mustBe[T](p)
	var zero T
	*v = zero
	return p.decodeValue(r, unsafe.Pointer(v), refs)
}

// decodeValue decodes into the value at address at, which must be zero.
func (p *Plan) decodeValue(r *bits.Reader, at unsafe.Pointer, refs RefReader) error {
	var left *int
	start := r.RemainingBits()
	most := budget(start)
	if p.lists {
		left = new(int)
		*left = most
	}
	decodeOps(p.ops, r, at, refs, left)
	memory := p.size
	if left != nil {
		memory += most - *left
	}
	measure(refs, memory, start-r.RemainingBits())
	return r.Err()
}

// EqualValues reports whether the wire encodings of two values are equal.
func EqualValues[T any](p *Plan, a, b *T) bool {
	mustBe[T](p)
	return equalOps(p.ops, unsafe.Pointer(a), unsafe.Pointer(b))
}

// budget returns how many bytes a value that takes so many bits may allocate.
func budget(bits int) int { return freeMemory + (bits+7)/8*memoryPerByte }

func mustBe[T any](p *Plan) {
	if p.typ != reflect.TypeFor[T]() {
		panic(fmt.Sprintf("protocol: the plan is for %s, the value is a %s: look the plan up by the value's type", p.typ, reflect.TypeFor[T]()))
	}
}
