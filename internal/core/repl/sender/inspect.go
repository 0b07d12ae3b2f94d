package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// Seat returns the entity that has a number in a group, which is given by its handle at the peer,
// for tests and inspection, or that the peer keeps there. It is not ok where no entity has the number.
func (p *Peer) Seat(h repl.Handle, n repl.Member) (s repl.Slot, ok bool) {
	sp, i := p.spaceOf(h)
	if i >= len(sp.phase) {
		return repl.NoSlot, false
	}
	id := p.group(sp, i)
	if id == ident.NoGroup {
		return repl.NoSlot, false
	}
	gr := &p.state.groups[id]
	at, ok := gr.searchNumber(n)
	if _, vacant := p.vacant[id]; vacant {
		if at = slices.IndexFunc(gr.left, func(l leaver) bool { return l.number == n && l.slot != repl.NoSlot }); at >= 0 {
			return gr.left[at].slot, true
		}
	}
	if !ok {
		return repl.NoSlot, false
	}
	return gr.members[at].slot, true
}
