package plugin

import (
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// draft holds a value while it is encoded. A system hands its messages over by value, and
// each of them would move to the heap, if there were not one place for them there.
type draft[T any] struct {
	value  T
	encode func(*bits.Writer, wire.RefWriter) error // of value
}

func newDraft[T any](plan *wire.Plan) *draft[T] {
	d := &draft[T]{}
	d.encode = func(w *bits.Writer, refs wire.RefWriter) error {
		return wire.EncodeValue(plan, w, &d.value, refs)
	}
	return d
}

// clear lets go of the value, and of the text and the slices in it.
func (d *draft[T]) clear() {
	var none T
	d.value = none
}
