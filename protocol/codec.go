package protocol

import (
	"unsafe"

	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Codec replaces the built-in plan of a type. Decode gets a zero value, must
// return an error for bytes that Encode cannot have written, and may be called
// by several goroutines at a time, as may Encode.
type Codec[T any] interface {
	Encode(w *bits.Writer, v *T)
	Decode(r *bits.Reader, v *T) error

	// Version is part of the protocol hash: change it with the format.
	Version() string
}

// RefCodec is a Codec for a type with ecs.Entity fields. Its tables map the entities of one side to
// those of the other, because an entity id is meaningless on the other side.
//
// EncodeRefs should call Index for the zero entity too, which is written as 0. If an entity arrives
// later than a component that refers to it, the reference is set by counting the calls of Index. If
// a codec omits some calls, such a reference stays empty until the component is sent again.
type RefCodec[T any] interface {
	Codec[T]
	EncodeRefs(w *bits.Writer, v *T, refs RefWriter)
	DecodeRefs(r *bits.Reader, v *T, refs RefReader) error
}

// EqualCodec is a Codec that compares values faster than by encoding both.
type EqualCodec[T any] interface {
	Codec[T]
	Equal(a, b *T) bool // true exactly if the encodings are equal
}

// SizedCodec is a Codec that can return the greatest number of bits that one value takes.
type SizedCodec[T any] interface {
	Codec[T]
	MaxBits() int
}

// FallibleCodec is a Codec that cannot encode every value, such as one that is too long.
// EncodeValue calls TryEncode in place of Encode; the bits that it has written before an error are
// discarded.
type FallibleCodec[T any] interface {
	Codec[T]
	TryEncode(w *bits.Writer, v *T) error
}

// CheckedCodec is a Codec that cannot encode every type T. The error of Check is reported as a
// mistake of set-up.
type CheckedCodec[T any] interface {
	Codec[T]
	Check() error
}

// wrapCodec removes the type parameter from a codec.
func wrapCodec[T any](c Codec[T]) *wire.Codec {
	k := &wire.Codec{
		Version: c.Version(),
		Encode:  func(w *bits.Writer, v unsafe.Pointer, _ wire.RefWriter) { c.Encode(w, (*T)(v)) },
		Decode:  func(r *bits.Reader, v unsafe.Pointer, _ wire.RefReader) error { return c.Decode(r, (*T)(v)) },
		Clear:   func(v unsafe.Pointer) { *(*T)(v) = *new(T) },
		Fresh:   func() unsafe.Pointer { return unsafe.Pointer(new(T)) },
	}
	if refs, ok := c.(RefCodec[T]); ok {
		k.Refs = true
		k.Encode = func(w *bits.Writer, v unsafe.Pointer, table wire.RefWriter) { refs.EncodeRefs(w, (*T)(v), table) }
		k.Decode = func(r *bits.Reader, v unsafe.Pointer, table wire.RefReader) error {
			return refs.DecodeRefs(r, (*T)(v), table)
		}
	}
	if eq, ok := c.(EqualCodec[T]); ok {
		k.Same = func(a, b unsafe.Pointer) bool { return eq.Equal((*T)(a), (*T)(b)) }
	}
	if fallible, ok := c.(FallibleCodec[T]); ok {
		k.Try = func(w *bits.Writer, v unsafe.Pointer) error { return fallible.TryEncode(w, (*T)(v)) }
	}
	if sized, ok := c.(SizedCodec[T]); ok {
		k.MaxBits = sized.MaxBits()
	}
	return k
}

// setCodec wraps the codec given as an option, unless it is missing or does not
// fit T.
func setCodec[T any](r *rule, option string, c Codec[T], to **wire.Codec) {
	if !r.option(option) || !r.present(option, c != nil) {
		return
	}
	if checked, ok := c.(CheckedCodec[T]); ok {
		if err := checked.Check(); err != nil {
			r.fail(ErrType, "%v", err)
			return
		}
	}
	*to = wrapCodec(c)
}
