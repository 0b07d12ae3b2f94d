package repl

import (
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// MaxGroupRefs bounds the different entities that the record of one group may refer to: as many of the
// largest references as fit into MaxGroupBytes. A body with that many is not sent, so no reference gets
// lost when its table is full.
const MaxGroupRefs = MaxGroupBytes * 8 / MaxRefBits

// RefTable collects the entities that a body refers to. The body holds indexes into it, and so is
// the same for every peer, while each peer gets the table in its own ids. Index 0 is no entity;
// entry i has index i+1.
type RefTable struct{ slots Numbering[Slot] }

// Index returns the index of a slot, adding it if it is new. A full table returns 0: its body must
// not be sent, see MaxGroupRefs.
func (t *RefTable) Index(s Slot) uint32 {
	if i := t.slots.Find(s); i != 0 || s == NoSlot || len(t.slots.keys) == MaxGroupRefs {
		return i
	}
	return t.slots.Add(s)
}

// Slots returns the collected slots, in the order of the indexes.
func (t *RefTable) Slots() []Slot { return t.slots.keys }

// Reset empties the table and keeps its memory.
func (t *RefTable) Reset() { t.slots.Reset() }

// Ref is one entry of a reference table on the wire.
type Ref struct {
	// ID is the entity's, in the id space of its sender.
	ID ID
	// Yours: the id is from the receiver's own id space, not from that of the table's writer.
	Yours bool
}

// AppendRef writes one entry.
func AppendRef(w *pack.Writer, ref Ref) {
	w.Bool(ref.Yours)
	appendHandle(w, ref.ID.Group)
	ref.ID.Generation.append(w)
	w.Bool(ref.ID.Member != 0)
	if ref.ID.Member != 0 {
		w.Uvarint(uint64(ref.ID.Member) - 1)
	}
}

// ReadRef reads one entry.
func ReadRef(r *pack.Reader) (Ref, bool) {
	ref := Ref{Yours: r.Bool()}
	group, ok := readHandle(r)
	generation, counted := readGeneration(r)
	member := uint64(0)
	if r.Bool() {
		member = r.Uvarint() + 1
	}
	if r.Err() != nil || !ok || !counted || member >= MaxMembers {
		return Ref{}, false
	}
	ref.ID = ID{Group: group, Generation: generation, Member: Member(member)}
	return ref, true
}

// appendHandle writes a single handle: its space, then its number there.
func appendHandle(w *pack.Writer, h Handle) {
	w.Bool(h.Private())
	w.Uvarint(uint64(h % Private))
}

func readHandle(r *pack.Reader) (h Handle, ok bool) {
	private, number := r.Bool(), r.Uvarint()
	if r.Err() != nil || number >= MaxGroups {
		return 0, false
	}
	h = Handle(number)
	if private {
		h += Private
	}
	return h, true
}

// append writes a generation: one bit for the first.
func (g Generation) append(w *pack.Writer) {
	w.Bool(g > 0)
	if g > 0 {
		w.Uvarint(uint64(g - 1))
	}
}

// MaxGenerationBits bounds the size of a generation.
const MaxGenerationBits = 1 + 32

func readGeneration(r *pack.Reader) (g Generation, ok bool) {
	if !r.Bool() {
		return 0, r.Err() == nil
	}
	before := r.Uvarint()
	return Generation(before + 1), r.Err() == nil && before < MaxGeneration
}

// MaxRefBits bounds the output of AppendRef, and the size of a table's count. A table of
// MaxGroupRefs does not fit into MaxGroupBytes.
const MaxRefBits = 3 + 32 + MaxGenerationBits + 16

// RefBits returns the number of bits that AppendRef writes of an id.
func RefBits(id ID) int {
	n := 4 + pack.UvarintBits(uint64(id.Group%Private))
	if id.Generation > 0 {
		n += pack.UvarintBits(uint64(id.Generation - 1))
	}
	if id.Member > 0 {
		n += pack.UvarintBits(uint64(id.Member - 1))
	}
	return n
}

// minRefBits is the smallest size of an entry, to check a count against the remaining bits before
// memory is allocated for it.
const minRefBits = 8

// ReadRefs appends a whole table to dst: a count, then the entries.
func ReadRefs(r *pack.Reader, dst []Ref) ([]Ref, bool) {
	n := r.Uvarint()
	if r.Err() != nil || n > MaxGroupRefs || n*minRefBits > uint64(r.RemainingBits()) {
		return dst, false
	}
	for range n {
		ref, ok := ReadRef(r)
		if !ok {
			return dst, false
		}
		dst = append(dst, ref)
	}
	return dst, true
}
