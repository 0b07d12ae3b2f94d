package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// quarantine is how many ticks a handle rests after its group has ended: longer
// than any packet is late that was presumed lost. What refers to a group by its
// handle may not find another one there.
const quarantine = 64

// freed is a handle whose group has ended everywhere.
type freed struct {
	handle repl.Handle
	tick   entangle.Tick // when it ended
}

// freeList gives handles out again, the longest free first.
type freeList struct {
	list []freed
	head int

	oldest entangle.Tick // of what is under way to any peer, as of the tick asked
	asked  entangle.Tick
	known  bool
}

func (f *freeList) put(g repl.Handle, now entangle.Tick) {
	if f.head > len(f.list)/2 {
		f.list = f.list[:copy(f.list, f.list[f.head:])]
		f.head = 0
	}
	f.list = append(f.list, freed{g, now})
}

// takeHandle returns a handle that nothing under way refers to any more: a peer
// that never had the group may still be sent values of others that refer to it.
func (w *World) takeHandle() (g repl.Handle, ok bool) {
	f := &w.free
	if f.head == len(f.list) {
		return 0, false
	}
	first := f.list[f.head]
	if w.tick.Sub(first.tick) < quarantine || !first.tick.Before(w.underWay()) {
		return 0, false
	}
	f.head++
	return first.handle, true
}

// underWay returns the tick of the oldest thing that is under way to any peer,
// worked out once per tick.
func (w *World) underWay() entangle.Tick {
	f := &w.free
	if f.known && f.asked == w.tick {
		return f.oldest
	}
	f.oldest, f.asked, f.known = w.tick, w.tick, true
	for _, p := range w.peers {
		for _, t := range [...]entangle.Tick{p.flights.oldest(w.tick), p.actions.oldest(w.tick)} {
			if t.Before(f.oldest) {
				f.oldest = t
			}
		}
	}
	return f.oldest
}

// oldest returns the tick of the oldest packet under way, or now if there is none.
func (f *flightLog) oldest(now entangle.Tick) entangle.Tick {
	if f.n == 0 {
		return now
	}
	return f.packets[f.head].tick
}

// oldest returns the tick of the oldest message under way, or now if there is
// none.
func (a *actionLog) oldest(now entangle.Tick) entangle.Tick {
	if len(a.messages) == 0 {
		return now
	}
	return a.messages[0].tick
}
