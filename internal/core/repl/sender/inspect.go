package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// MemberSlot returns the entity with a member number in a group, for tests and inspection. h is the group's handle at the
// peer. ok is false if no entity has the number.
func (p *Peer) MemberSlot(h repl.Handle, n repl.Member) (s repl.Slot, ok bool) {
	sp, i := p.groups.LocateHandle(h)
	if i >= sp.Len() {
		return repl.NoSlot, false
	}
	id := sp.Group(i)
	if id == ident.NoGroup {
		return repl.NoSlot, false
	}
	gr := &p.state.Groups[id]
	at, ok := gr.SearchNumber(n)
	if !ok {
		return repl.NoSlot, false
	}
	return gr.Members[at].Slot, true
}
