package repl

import pack "github.com/entangle-ecs/entangle/protocol/bits"

// Fate is what became of an entity that is no longer in a group.
type Fate uint8

const (
	Despawned Fate = iota
	// Moved: it went over to another group, and keeps its copy meanwhile.
	Moved
	// LetGo: it is no longer replicated, and its copy stays as it is.
	LetGo

	fates = LetGo + 1

	fateBits = 2
)

// Numbers packs rising member numbers, each by its distance from the one before. A
// new value starts a list.
type Numbers struct {
	next uint64
}

// Append writes the next number.
func (n *Numbers) Append(w *pack.Writer, m Member) {
	w.Uvarint(uint64(m) - n.next + 1)
	n.next = uint64(m) + 1
}

// End writes that none follows.
func (n *Numbers) End(w *pack.Writer) { w.Uvarint(0) }

// Read reads the next number. more is false at the end; ok is false when the bytes
// are malformed.
func (n *Numbers) Read(r *pack.Reader) (m Member, more, ok bool) {
	gap := r.Uvarint()
	if r.Err() != nil || gap == 0 {
		return 0, false, r.Err() == nil
	}
	if gap > MaxMembers-n.next {
		return 0, true, false
	}
	n.next += gap
	return Member(n.next - 1), true, true
}

// AppendFate writes what became of a member.
func AppendFate(w *pack.Writer, f Fate) { w.Bits(uint64(f), fateBits) }

// ReadFate reads what became of a member.
func ReadFate(r *pack.Reader) (f Fate, ok bool) {
	f = Fate(r.Bits(fateBits))
	return f, r.Err() == nil && f < fates
}
