package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// acks is what the peers of a world were sent and have acknowledged, as its groups need to know.
type acks struct {
	world *World
	// oldest is the tick of the oldest packet or message in flight to any peer, found at most once per tick.
	oldest, asked entangle.Tick
	known         bool
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
	if a.known && a.asked == w.state.Tick {
		return a.oldest
	}
	a.oldest, a.asked, a.known = w.state.Tick, w.state.Tick, true
	for _, p := range w.peers {
		for _, t := range [2]entangle.Tick{p.flights.OldestTick(w.state.Tick), p.actions.OldestTick(w.state.Tick)} {
			if t.Before(a.oldest) {
				a.oldest = t
			}
		}
	}
	return a.oldest
}
