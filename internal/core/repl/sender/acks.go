package sender

import (
	"github.com/entangle-ecs/entangle"
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

func (a *acks) Told(id ident.Group) Told {
	w := a.world
	t := Told{All: w.state.tick, Last: w.state.tick - 1<<30}
	for _, p := range w.peers {
		sp, i := p.stateOf(id)
		if i < 0 || sp.phase[i] == unknown {
			continue
		}
		if sp.shaped[i].Before(t.All) {
			t.All = sp.shaped[i]
		}
		if t.Last.Before(sp.shaped[i]) {
			t.Last = sp.shaped[i]
		}
	}
	return t
}

func (a *acks) InFlight() entangle.Tick {
	w := a.world
	if a.known && a.asked == w.state.tick {
		return a.oldest
	}
	a.oldest, a.asked, a.known = w.state.tick, w.state.tick, true
	for _, p := range w.peers {
		for _, t := range [2]entangle.Tick{p.flights.Oldest(w.state.tick), p.actions.Oldest(w.state.tick)} {
			if t.Before(a.oldest) {
				a.oldest = t
			}
		}
	}
	return a.oldest
}
