package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// bodyKey says what a body of a group holds. Peers whose keys are equal get the
// same bits.
type bodyKey struct {
	kind   repl.Kind
	base   entangle.Tick // values that changed after it; not of a Full
	shaped entangle.Tick // structure that changed after it; of a Delta
}

// body is one encoded body and the slots that it refers to.
type body struct {
	key   bodyKey
	off   int
	width int // bits
	refs  int // where its slots start
	nrefs int
	next  int32
}

// bodies holds what was encoded in the present tick, found by group and key.
type bodies struct {
	list  []body
	first []int32 // by group: 1 + index into list, 0 for none
	used  []repl.Handle
	arena []byte
	none  body // of a record that has none
	slots []repl.Slot

	w    bits.Writer
	buf  []byte
	refs repl.RefTable
}

func (b *bodies) grow(groups int) {
	for len(b.first) < groups {
		b.first = append(b.first, 0)
	}
}

// reset forgets the bodies of the last tick, at a cost of what it encoded.
func (b *bodies) reset() {
	for _, g := range b.used {
		b.first[g] = 0
	}
	b.used, b.list, b.arena, b.slots = b.used[:0], b.list[:0], b.arena[:0], b.slots[:0]
}

func (b *bodies) find(g repl.Handle, key bodyKey) *body {
	for i := b.first[g]; i != 0; i = b.list[i-1].next {
		if b.list[i-1].key == key {
			return &b.list[i-1]
		}
	}
	return nil
}

// add stores what was just written to b.w.
func (b *bodies) add(g repl.Handle, key bodyKey) *body {
	width := b.w.LenBits()
	b.buf = b.w.Finish()
	if b.first[g] == 0 {
		b.used = append(b.used, g)
	}
	b.list = append(b.list, body{
		key: key, off: len(b.arena), width: width,
		refs: len(b.slots), nrefs: len(b.refs.Slots()), next: b.first[g],
	})
	b.first[g] = int32(len(b.list))
	b.arena = append(b.arena, b.buf...)
	b.slots = append(b.slots, b.refs.Slots()...)
	return &b.list[len(b.list)-1]
}

func (b *bodies) bytes(of *body) []byte {
	return b.arena[of.off : of.off+(of.width+7)/8]
}

func (b *bodies) slotsOf(of *body) []repl.Slot {
	return b.slots[of.refs : of.refs+of.nrefs]
}

// body returns the body of a group by key, encoded on first need.
func (w *World) body(g repl.Handle, key bodyKey) *body {
	if have := w.bodies.find(g, key); have != nil {
		return have
	}
	w.stats.Bodies++
	b := &w.bodies
	b.w.Reset(b.buf[:0])
	b.refs.Reset()
	w.encode(g, key)
	return b.add(g, key)
}

// encode writes a group's members. A group of one, the common case, spends one
// bit on saying so.
func (w *World) encode(g repl.Handle, key bodyKey) {
	out, members := &w.bodies.w, w.groups[g].members
	alone := len(members) == 1 && members[0].number == 0
	out.Bool(alone)
	if alone {
		w.encodeMember(members[0].slot, key)
		return
	}
	for i := range members {
		out.Bool(true)
		out.Uvarint(uint64(members[i].number))
		w.encodeMember(members[i].slot, key)
	}
	out.Bool(false)
}

// encodeMember writes what a member lost and the values that it has to offer.
func (w *World) encodeMember(s repl.Slot, key bodyKey) {
	out := &w.bodies.w
	if key.kind == repl.Delta {
		removed := w.removedSince(s, key.shaped)
		out.Bool(!removed.IsZero())
		if !removed.IsZero() {
			w.sets.Append(out, &removed)
		}
	}
	values := w.slots.mask[s]
	if key.kind != repl.Full {
		values = w.changedSince(s, key.base)
	}
	w.sets.Append(out, &values)
	for c := values.Next(0); c >= 0; c = values.Next(c + 1) {
		w.src.Encode(out, s, c, &w.bodies.refs)
	}
}

// changedSince returns the components that are there and changed after base.
func (w *World) changedSince(s repl.Slot, base entangle.Tick) (m repl.Mask) {
	have := &w.slots.mask[s]
	for c := have.Next(0); c >= 0; c = have.Next(c + 1) {
		if base.Before(w.changed[c][s]) {
			m.Set(c)
		}
	}
	return m
}

// removedSince returns the components that are not there and went after a tick.
func (w *World) removedSince(s repl.Slot, after entangle.Tick) (m repl.Mask) {
	for c := range w.comps {
		if !w.slots.mask[s].Has(c) && after.Before(w.shaped[c][s]) {
			m.Set(c)
		}
	}
	return m
}
