package repl

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// MaxGroupRefs bounds the different entities that the record of one group may refer to: no more
// than MaxGroupBytes hold, as a sender counts them. A body with so many is therefore too large to
// be sent, and what its table has no room for is lost to nobody.
const MaxGroupRefs = MaxGroupBytes * 8 / MaxRefBits

// RefTable gathers the entities that a body refers to. The body holds indexes
// into it, so that it stays the same for every peer, while each peer gets the
// table in its own ids. Index 0 is no entity; entry i has index i+1.
type RefTable struct{ slots Numbering[Slot] }

// Index returns the index of a slot, adding it if it is new. A table that is full returns 0:
// its body is not to be sent, see MaxGroupRefs.
func (t *RefTable) Index(s Slot) uint32 {
	if i := t.slots.Find(s); i != 0 || s == NoSlot || len(t.slots.keys) == MaxGroupRefs {
		return i
	}
	return t.slots.Add(s)
}

// Slots returns what was gathered, in the order of the indexes.
func (t *RefTable) Slots() []Slot { return t.slots.keys }

// Reset empties the table and keeps its memory.
func (t *RefTable) Reset() { t.slots.Reset() }

// Ref is one entry of a reference table on the wire.
type Ref struct {
	// ID is the entity's, in the id space of its sender.
	ID ID
	// Yours: the id is one of the receiver's own, not of who writes the table.
	Yours bool
	// Since is from when on it is called so, in the table of an action.
	Since Since
}

// AppendRef writes one entry.
func AppendRef(w *pack.Writer, ref Ref) {
	w.Bool(ref.Yours)
	appendHandle(w, ref.ID.Group)
	w.Bool(ref.ID.Member != 0)
	if ref.ID.Member != 0 {
		w.Uvarint(uint64(ref.ID.Member) - 1)
	}
}

// ReadRef reads one entry.
func ReadRef(r *pack.Reader) (Ref, bool) {
	ref := Ref{Yours: r.Bool()}
	group, ok := readHandle(r)
	member := uint64(0)
	if r.Bool() {
		member = r.Uvarint() + 1
	}
	if r.Err() != nil || !ok || member >= MaxMembers {
		return Ref{}, false
	}
	ref.ID = ID{Group: group, Member: Member(member)}
	return ref, true
}

// appendHandle writes a handle that stands alone: its space, then its number there.
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

// MaxRefBits bounds what AppendRef writes, and a table's count. A table of MaxGroupRefs does not
// fit into MaxGroupBytes.
const MaxRefBits = 3 + 32 + 16

// minRefBits is the least that one entry takes, to check a count against what
// is left before anything is made for it.
const minRefBits = 7

// AppendSinces writes, behind the table of an action of a tick, since when its entries are
// called so: an action can bring those that were called otherwise.
func AppendSinces(w *pack.Writer, now entangle.Tick, sinces []Since) {
	some := slices.ContainsFunc(sinces, func(s Since) bool { return s.Some })
	w.Bool(some)
	if !some {
		return
	}
	for _, s := range sinces {
		s.append(w, now)
	}
}

// ReadSinces reads that into the entries.
func ReadSinces(r *pack.Reader, now entangle.Tick, refs []Ref) (ok bool) {
	if !r.Bool() {
		return r.Err() == nil
	}
	some := false
	for i := range refs {
		if refs[i].Since, ok = readSince(r, now); !ok {
			return false
		}
		some = some || refs[i].Since.Some
	}
	return some
}

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
