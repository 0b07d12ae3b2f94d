package receiver

import "github.com/entangle-ecs/entangle/internal/core/repl"

// Groups appends the handles of the groups that the copy has, by rising handle, for
// tests and inspection.
func (r *Receiver) Groups(dst []repl.Handle) []repl.Handle {
	r.groups.each(func(g *group) {
		if g.known {
			dst = append(dst, g.handle)
		}
	})
	return dst
}

// Members appends the slots of a group's members to dst, by rising number, for tests
// and inspection.
func (r *Receiver) Members(h repl.Handle, dst []repl.Slot) []repl.Slot {
	g := r.groups.get(h)
	if g == nil {
		return dst
	}
	for i := range g.members {
		dst = append(dst, g.members[i].slot)
	}
	return dst
}
