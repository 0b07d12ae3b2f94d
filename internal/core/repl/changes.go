package repl

import (
	"github.com/entangle-ecs/entangle/internal/set"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// Changes packs the changed members of a group, by rising numbers, and their changed components:
// usually the next number, with the same components as the member before, which takes one bit. A
// new value starts a list; before its first member the set of components is empty. Joining members,
// the numbers of which come before all sets, use AppendSet and ReadSet alone.
type Changes struct {
	next uint64
	last set.Mask
}

// Append writes the next number, and reports whether its components are those of the one
// before. If not the caller writes them, wherever they belong.
func (c *Changes) Append(w *pack.Writer, m Member, comps *set.Mask) (same bool) {
	same = *comps == c.last
	skipped := uint64(m) - c.next
	c.next, c.last = uint64(m)+1, *comps
	if same && skipped == 0 {
		w.Put(1, 1)
		return true
	}
	w.Put(0, 1)
	w.Bool(same)
	appendSkipped(w, skipped)
	return same
}

// AppendSet writes the components of a member, and before them whether they are those of the member before.
func (c *Changes) AppendSet(w *pack.Writer, s Sets, comps *set.Mask) {
	same := *comps == c.last
	w.Bool(same)
	if !same {
		c.last = *comps
		s.Append(w, comps)
	}
}

// End writes that none follows: as a next number with the components of the one before, in
// the long form.
func (c *Changes) End(w *pack.Writer) { w.Put(0b10, 2+skipBits) }

// Read reads the next number, and whether its components are those of the one before. more
// is false at the end; ok is false when the bytes are malformed.
func (c *Changes) Read(r *pack.Reader) (m Member, same, more, ok bool) {
	skipped := uint64(0)
	if same = r.Bool(); !same {
		same = r.Bool()
		if skipped = readSkipped(r); same && skipped == 0 {
			return 0, false, false, r.Err() == nil
		}
	}
	if r.Err() != nil || c.next+skipped >= MaxMembers {
		return 0, false, true, false
	}
	c.next += skipped + 1
	return Member(c.next - 1), same, true, true
}

// ReadSet reads the components of the last number into m. Those that are said to be others
// than those of the one before and are the same are malformed.
func (c *Changes) ReadSet(r *pack.Reader, s Sets, m *set.Mask, same bool) (ok bool) {
	if same {
		*m = c.last
		return true
	}
	if !s.Read(r, m) || *m == c.last {
		return false
	}
	c.last = *m
	return true
}
