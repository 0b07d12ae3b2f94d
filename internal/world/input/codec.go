package input

import (
	"errors"
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

var errInputRefs = errors.New("input: malformed table of entities of an input")

// inputCodec stores and encodes the inputs of one type by the type's plan. Entities in them are
// written by their index in a table at the head of their stream.
type inputCodec struct {
	plan *wire.Plan
	out  []ecs.Entity // the table of the input stream that is being written
	in   []ecs.Entity // the table of the input stream that is being read

	leftOut uint64 // references beyond protocol.MaxInputEntities since the last noteLeftOut
}

func newInputCodec(plan *wire.Plan) *inputCodec { return &inputCodec{plan: plan} }

// Size implements input.Codec.
func (c *inputCodec) Size() int { return c.plan.Size() }

// Begin implements input.Codec.
func (c *inputCodec) Begin() { c.out = c.out[:0] }

// Encode implements input.Codec.
func (c *inputCodec) Encode(w *bits.Writer, value []byte) { c.plan.Encode(w, value, c) }

// Decode implements input.Codec.
func (c *inputCodec) Decode(r *bits.Reader, value []byte) error { return c.plan.Decode(r, value, c) }

// Equal implements input.Codec.
func (c *inputCodec) Equal(a, b []byte) bool { return c.plan.Equal(a, b) }

// Round implements input.Codec.
func (c *inputCodec) Round(value []byte) { c.plan.Round(value) }

// ClearEvents implements input.Codec.
func (c *inputCodec) ClearEvents(value []byte) { c.plan.ClearEvents(value) }

// MergeEvents implements input.Codec.
func (c *inputCodec) MergeEvents(dst, src []byte) { c.plan.MergeEvents(dst, src) }

// Index implements wire.RefWriter.
func (c *inputCodec) Index(e ecs.Entity) uint32 {
	if at := slices.Index(c.out, e); at >= 0 {
		return uint32(at) + 1
	}
	if len(c.out) == protocol.MaxInputEntities {
		c.leftOut++
		return 0
	}
	c.out = append(c.out, e)
	return uint32(len(c.out))
}

// At implements wire.RefReader.
func (c *inputCodec) At(index uint32) (ecs.Entity, bool) {
	if index == 0 || index > uint32(len(c.in)) {
		return ecs.Entity{}, false
	}
	return c.in[index-1], true
}

// appendHead writes the header of an input stream: the network id of its entity, and the table of
// the entities in its values.
func (c *inputCodec) appendHead(w *bits.Writer, of repl.Ref, name func(ecs.Entity) (repl.Ref, bool)) {
	repl.AppendRef(w, of)
	if c.plan.HasRefs() {
		source.AppendTable(w, c.out, name)
	}
}

// readHead reads the header that appendHead writes, and finds the entities. An unknown entity becomes
// the zero entity.
func (c *inputCodec) readHead(r *bits.Reader, find func(repl.Ref) ecs.Entity) (of ecs.Entity) {
	ref, ok := repl.ReadRef(r)
	if ok && c.plan.HasRefs() {
		ok = c.readTable(r, find)
	}
	if !ok {
		r.Fail(errInputRefs)
		return of
	}
	return find(ref)
}

func (c *inputCodec) readTable(r *bits.Reader, find func(repl.Ref) ecs.Entity) bool {
	c.in = c.in[:0]
	n := r.Uvarint()
	if n > protocol.MaxInputEntities {
		return false
	}
	for range n {
		var e ecs.Entity
		if r.Bool() {
			ref, ok := repl.ReadRef(r)
			if !ok {
				return false
			}
			e = find(ref)
		}
		c.in = append(c.in, e)
	}
	return r.Err() == nil
}
