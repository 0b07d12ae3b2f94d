package protocol

import (
	"reflect"
	"unsafe"

	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Differ computes and applies differences of values of T that a game defines, for
// ComponentRule.Diff. Both methods get values as the receiver decodes them, and the same base on
// both sides. They may be called by several goroutines at a time.
//
// A difference is only ever applied to the base from which it was computed, so it may mean "3
// more". If a difference takes more than MaxDifferBits, or Apply does not return the exact value,
// the whole value is sent instead.
type Differ[T any] interface {
	// Diff writes how to compute value from base.
	Diff(w *bits.Writer, base, value *T)

	// Apply returns the value that was passed to Diff. It must read exactly the bits that Diff
	// wrote, and return an error for bits that Diff cannot have written. It must not change base.
	Apply(r *bits.Reader, base *T) (T, error)
}

// MaxDifferBits is the greatest number of bits that a difference of a Differ may take.
const MaxDifferBits = wire.MaxDifferBits

// wrapDiffer removes the type parameter from a differ.
func wrapDiffer[T any](d Differ[T]) *wire.Differ {
	return wire.NewDiffer(wire.TypeName(reflect.TypeOf(d)), reflect.TypeFor[T](),
		func(w *bits.Writer, base, value unsafe.Pointer) { d.Diff(w, (*T)(base), (*T)(value)) },
		func(r *bits.Reader, base, value unsafe.Pointer) error {
			v, err := d.Apply(r, (*T)(base))
			*(*T)(value) = v
			return err
		})
}
