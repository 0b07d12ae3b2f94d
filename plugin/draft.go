package plugin

import (
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// draft holds a value while it is encoded. Systems pass messages by value. Without this memory,
// which is reused, each message would be allocated on the heap.
type draft[T any] struct {
	value  T
	encode func(*bits.Writer, wire.RefWriter) error // encodes value
}

func newDraft[T any](plan *wire.Plan) *draft[T] {
	d := &draft[T]{}
	d.encode = func(w *bits.Writer, refs wire.RefWriter) error {
		return wire.EncodeValue(plan, w, &d.value, refs)
	}
	return d
}

// clear drops the value, including its text and slices.
func (d *draft[T]) clear() {
	var none T
	d.value = none
}
