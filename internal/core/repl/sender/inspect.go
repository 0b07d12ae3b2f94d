package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// MemberSlot returns the entity with a member number in a group, for tests and inspection. h is the group's handle at the
// peer. In a vacated group it is the entity that the peer keeps there. ok is false if no entity has the number.
func (p *Peer) MemberSlot(h repl.Handle, n repl.Member) (s repl.Slot, ok bool) {
	sp, i := p.groups.LocateHandle(h)
	if i >= len(sp.Phase) {
		return repl.NoSlot, false
	}
	id := sp.Group(i)
	if id == ident.NoGroup {
		return repl.NoSlot, false
	}
	gr := &p.state.Groups[id]
	at, ok := gr.SearchNumber(n)
	if _, vacant := p.visibility.vacant[id]; vacant {
		if at = slices.IndexFunc(gr.Left, func(l group.Leaver) bool { return l.Number == n && l.Slot != repl.NoSlot }); at >= 0 {
			return gr.Left[at].Slot, true
		}
	}
	if !ok {
		return repl.NoSlot, false
	}
	return gr.Members[at].Slot, true
}
