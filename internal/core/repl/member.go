package repl

import (
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// Fate is what became of an entity that is no longer in a group.
type Fate uint8

const (
	Despawned Fate = iota
	// Moved: it moved to another group, the action of which is in the same unit. Its replica stays.
	Moved
	// Orphaned: the entity is no longer replicated, and its replicas stay as they are.
	Orphaned

	fates = Orphaned + 1

	fateBits = 2
)

// Numbers packs rising member numbers, each by how many it skips since the one before:
// bodies that lie next to each other tend to change together, and so do their numbers. A
// new value starts a list.
type Numbers struct {
	next uint64
}

// A number that follows the one before is a bit 1. Else a bit 0 and skipBits stand for
// how many are skipped: none means that the list ends, and manySkipped that a Uvarint
// says how many more.
const (
	skipBits    = 5
	manySkipped = 1<<skipBits - 1
)

// Append writes the next number.
func (n *Numbers) Append(w *pack.Writer, m Member) {
	skipped := uint64(m) - n.next
	n.next = uint64(m) + 1
	w.Bool(skipped == 0)
	if skipped > 0 {
		appendSkipped(w, skipped)
	}
}

func appendSkipped(w *pack.Writer, skipped uint64) {
	if skipped < manySkipped {
		w.Put(skipped, skipBits)
		return
	}
	w.Put(manySkipped, skipBits)
	w.Uvarint(skipped - manySkipped)
}

// maxNumberBits bounds the size of a number.
const maxNumberBits = 1 + skipBits + 20

// readSkipped reads how many numbers are skipped. More than there are members come out as
// that.
func readSkipped(r *pack.Reader) (skipped uint64) {
	if skipped = r.Bits(skipBits); skipped == manySkipped {
		skipped = min(manySkipped+min(r.Uvarint(), MaxMembers), MaxMembers)
	}
	return skipped
}

// End writes that none follows.
func (n *Numbers) End(w *pack.Writer) { w.Put(0, 1+skipBits) }

// Read reads the next number. more is false at the end; ok is false when the bytes
// are malformed.
func (n *Numbers) Read(r *pack.Reader) (m Member, more, ok bool) {
	var skipped uint64
	if !r.Bool() {
		if skipped = readSkipped(r); skipped == 0 {
			return 0, false, r.Err() == nil
		}
	}
	if r.Err() != nil || n.next+skipped >= MaxMembers {
		return 0, true, false
	}
	n.next += skipped + 1
	return Member(n.next - 1), true, true
}

// AppendFate writes what became of a member.
func AppendFate(w *pack.Writer, f Fate) { w.Bits(uint64(f), fateBits) }

// ReadFate reads what became of a member.
func ReadFate(r *pack.Reader) (f Fate, ok bool) {
	f = Fate(r.Bits(fateBits))
	return f, r.Err() == nil && f < fates
}

// AppendJoiner writes which entity joins a group: the index of its id in the table of references, or 0
// for one that is born in the group, with the number that it joins with.
func AppendJoiner(w *pack.Writer, index uint32) {
	w.Bool(index == 0)
	if index > 0 {
		w.Uvarint(uint64(index - 1))
	}
}

// ReadJoiner reads what AppendJoiner writes, behind a table of some references.
func ReadJoiner(r *pack.Reader, refs int) (index uint32, ok bool) {
	if r.Bool() {
		return 0, r.Err() == nil
	}
	before := r.Uvarint()
	return uint32(before + 1), r.Err() == nil && before < uint64(refs)
}
