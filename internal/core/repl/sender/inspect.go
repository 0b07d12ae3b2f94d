package sender

import "github.com/entangle-ecs/entangle/internal/core/repl"

// Seat returns who has a number in a group, by the handle that the peer knows it by, for
// tests and inspection. It is not ok where nobody has it.
func (p *Peer) Seat(h repl.Handle, n repl.Member) (s repl.Slot, ok bool) {
	sp, i := p.spaceOf(h)
	if i >= len(sp.phase) {
		return repl.NoSlot, false
	}
	id := p.group(sp, i)
	if id == noGroup {
		return repl.NoSlot, false
	}
	gr := &p.world.groups[id]
	at, ok := gr.find(n)
	if !ok {
		return repl.NoSlot, false
	}
	return gr.members[at].slot, true
}
