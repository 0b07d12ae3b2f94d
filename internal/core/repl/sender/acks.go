package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// acks implements group.Acks for the peers of a world.
type acks struct {
	world  *World
	oldest entangle.Tick // of the packets and messages in flight to any peer, as of the last Begin
}

func (a *acks) Peers() int { return len(a.world.peers) }

func (a *acks) StructureSent(id ident.Group) group.StructureSent {
	w := a.world
	t := group.StructureSent{ToAll: w.state.Tick, ToAny: w.state.Tick - 1<<30}
	for _, p := range w.peers {
		sp, i := p.groups.Locate(id)
		if i < 0 || sp.Phase[i] == group.Absent {
			continue
		}
		if sp.StructureAsOf[i].Before(t.ToAll) {
			t.ToAll = sp.StructureAsOf[i]
		}
		if t.ToAny.Before(sp.StructureAsOf[i]) {
			t.ToAny = sp.StructureAsOf[i]
		}
	}
	return t
}

func (a *acks) OldestInFlight() entangle.Tick { return a.oldest }

// beginTick finds the oldest packet or message in flight.
func (a *acks) beginTick() {
	w := a.world
	a.oldest = w.oldestPacket()
	for _, p := range w.peers {
		if t := p.actions.OldestTick(w.state.Tick); t.Before(a.oldest) {
			a.oldest = t
		}
	}
}
