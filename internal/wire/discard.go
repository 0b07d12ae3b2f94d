package wire

import (
	"reflect"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Discard reads past a value and checks it. A server that relays a message needs it to know that
// the value is valid and where it ends. It allocates the memory of the value.
func (p *Plan) Discard(r *bits.Reader, refs RefReader) error {
	start := r.RemainingBits()
	most := budget(start)
	left := most
	decodeOps(p.ops, r, reflect.New(p.typ).UnsafePointer(), refs, &left)
	measure(refs, p.size+most-left, start-r.RemainingBits())
	return r.Err()
}
