package wire

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// The functions of this file take values of types that the caller does not know at compile time,
// such as the resources of a world. v is a pointer to a value of the plan's type.

// EncodeAny is EncodeCounted for a value of any type.
func (p *Plan) EncodeAny(w *bits.Writer, v any, refs RefWriter) (clamped int, err error) {
	return p.encodeCounted(w, p.pointer(v), refs)
}

// DecodeAny is DecodeValue for a value of any type.
func (p *Plan) DecodeAny(r *bits.Reader, v any, refs RefReader) error {
	at := p.pointer(v)
	reflect.ValueOf(v).Elem().SetZero()
	return p.decodeValue(r, at, refs)
}

// EqualAny is EqualValues for values of any type.
func (p *Plan) EqualAny(a, b any) bool { return equalOps(p.ops, p.pointer(a), p.pointer(b)) }

// Canonical reports whether equal values have equal encodings. It is false for a codec with a
// comparison of its own: for example, two equal maps may have different encodings.
func (p *Plan) Canonical() bool { return p.codec() == nil || p.codec().Same == nil }

// Takes reports whether EncodeAny, DecodeAny and EqualAny accept v: a pointer to a value of the
// plan's type, and not nil.
func (p *Plan) Takes(v any) bool {
	at := reflect.ValueOf(v)
	return at.Kind() == reflect.Pointer && at.Type().Elem() == p.typ && !at.IsNil()
}

func (p *Plan) pointer(v any) unsafe.Pointer {
	if !p.Takes(v) {
		panic(fmt.Sprintf("protocol: the plan is for %s, the value is a %T: pass a pointer to a value of the plan's type", p.typ, v))
	}
	return reflect.ValueOf(v).UnsafePointer()
}
