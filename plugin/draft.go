package plugin

import (
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// draft holds a value while it is encoded. A system hands its messages over by value, and
// each of them would move to the heap, if there were not one place for them there.
type draft[T any] struct {
	value  T
	encode func(*bits.Writer, protocol.RefWriter) error // of value
}

func newDraft[T any](plan *protocol.Plan) *draft[T] {
	d := &draft[T]{}
	d.encode = func(w *bits.Writer, refs protocol.RefWriter) error {
		return protocol.EncodeValue(plan, w, &d.value, refs)
	}
	return d
}

// clear lets go of the value, and of the text and the slices in it.
func (d *draft[T]) clear() {
	var none T
	d.value = none
}
