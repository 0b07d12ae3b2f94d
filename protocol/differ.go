package protocol

import (
	"reflect"
	"unsafe"

	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Differ is a game's own difference of two values of T, for
// ComponentRule.Diff. Both methods get values as they come out of the wire, base
// the same on both sides, and may be called by several goroutines at a time.
//
// Differences are applied to the base they were made from and to nothing else, so
// they may say "3 more". A difference that takes more than MaxDifferBits, or that
// Apply does not make the value of, is not sent: the whole value is.
type Differ[T any] interface {
	// Diff writes how to make value of base.
	Diff(w *bits.Writer, base, value *T)

	// Apply returns the value that Diff was given. It must read exactly what Diff
	// wrote, and return an error for bits that Diff cannot have written. It must
	// not change base.
	Apply(r *bits.Reader, base *T) (T, error)
}

// MaxDifferBits is the most bits that a difference of a Differ may take.
const MaxDifferBits = wire.MaxDifferBits

// wrapDiffer hides the type of a differ.
func wrapDiffer[T any](d Differ[T]) *wire.Differ {
	return wire.NewDiffer(wire.TypeName(reflect.TypeOf(d)), reflect.TypeFor[T](),
		func(w *bits.Writer, base, value unsafe.Pointer) { d.Diff(w, (*T)(base), (*T)(value)) },
		func(r *bits.Reader, base, value unsafe.Pointer) error {
			v, err := d.Apply(r, (*T)(base))
			*(*T)(value) = v
			return err
		})
}
