package wire

import (
	"reflect"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Discard reads past a value, for who wants to know where it ends and that it is
// one, but not what it is: a server that passes a message on. It costs the memory
// of the value.
func (p *Plan) Discard(r *bits.Reader, refs RefReader) error {
	start := r.RemainingBits()
	most := budget(start)
	left := most
	decodeOps(p.ops, r, reflect.New(p.typ).UnsafePointer(), refs, &left)
	measure(refs, p.size+most-left, start-r.RemainingBits())
	return r.Err()
}
