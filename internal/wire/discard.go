package wire

import (
	"reflect"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Discard reads past a value and checks it: a server that relays a message must know that it
// is valid and where it ends. It costs the memory of the value.
func (p *Plan) Discard(r *bits.Reader, refs RefReader) error {
	start := r.RemainingBits()
	most := budget(start)
	left := most
	decodeOps(p.ops, r, reflect.New(p.typ).UnsafePointer(), refs, &left)
	measure(refs, p.size+most-left, start-r.RemainingBits())
	return r.Err()
}
