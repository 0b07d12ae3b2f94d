package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// acks implements group.Acks for the peers of a world.
type acks struct {
	world *World
	// oldest is the tick of the oldest packet or message in flight to any peer, found at most once per tick.
	oldest, oldestTick entangle.Tick
	cached             bool
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

func (a *acks) OldestInFlight() entangle.Tick {
	w := a.world
	if a.cached && a.oldestTick == w.state.Tick {
		return a.oldest
	}
	a.oldest, a.oldestTick, a.cached = w.state.Tick, w.state.Tick, true
	for _, p := range w.peers {
		for _, t := range [2]entangle.Tick{p.updates.flights.OldestTick(w.state.Tick), p.actions.OldestTick(w.state.Tick)} {
			if t.Before(a.oldest) {
				a.oldest = t
			}
		}
	}
	return a.oldest
}
