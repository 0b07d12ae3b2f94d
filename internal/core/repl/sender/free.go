package sender

import "github.com/entangle-ecs/entangle"

// quarantine is the number of ticks for which a handle or a number rests after its group or entity
// has ended: longer than the delay of any packet that was presumed lost. A late reference must not
// find another one under it.
const quarantine = 1 << restBits

const restBits = 6

// freed is a number that is free since a tick.
type freed struct {
	number int32
	tick   entangle.Tick
}

// freeList gives numbers out again, the longest free first.
type freeList struct{ list ring[freed] }

// usualFreed is for how many numbers there is room at once: as many rest if about two are
// freed per tick, and nothing is under way for long.
const usualFreed = 4 * quarantine

func (f *freeList) put(n int32, now entangle.Tick) {
	if f.list.items == nil {
		f.list.reserve(usualFreed)
	}
	f.list.push(freed{n, now})
}

// takeNumber returns a number that nothing under way refers to any more. underWay is
// the tick of the oldest thing that is.
func (f *freeList) takeNumber(now entangle.Tick, underWay func() entangle.Tick) (n int32, ok bool) {
	if f.list.n == 0 {
		return 0, false
	}
	first := *f.list.at(0)
	if !rested(first.tick, now) || !first.tick.Before(underWay()) {
		return 0, false
	}
	f.list.drop(1)
	return first.number, true
}

func rested(since, now entangle.Tick) bool { return now.Sub(since) >= quarantine }

// lull is the tick of the oldest thing that is under way to any peer, worked out
// at most once per tick.
type lull struct {
	oldest, asked entangle.Tick
	known         bool
}

// underWay returns the tick of the oldest thing that is under way to any peer: a
// peer that never had a group may still be sent values of others that refer to it.
func (w *World) underWay() entangle.Tick {
	l := &w.lull
	if l.known && l.asked == w.tick {
		return l.oldest
	}
	*l = lull{oldest: w.tick, asked: w.tick, known: true}
	for _, p := range w.peers {
		if t := p.underWay(w.tick); t.Before(l.oldest) {
			l.oldest = t
		}
	}
	return l.oldest
}

// Pin says of which tick the oldest message is that is under way to the peer and may name
// entities, and what Ends was then: no name is given to another before it has arrived. on is
// false for none.
func (p *Peer) Pin(tick entangle.Tick, ends uint32, on bool) {
	p.pinned, p.pinnedEnds, p.pins = tick, ends, on
}

// naming returns the tick of the oldest thing under way to any peer in which there may be
// names.
func (w *World) naming() entangle.Tick {
	oldest := w.underWay()
	for _, p := range w.peers {
		oldest = p.orPinned(oldest)
	}
	return oldest
}

// naming is that of one peer.
func (p *Peer) naming() entangle.Tick { return p.orPinned(p.underWay(p.world.tick)) }

func (p *Peer) orPinned(oldest entangle.Tick) entangle.Tick {
	if p.pins && p.pinned.Before(oldest) {
		return p.pinned
	}
	return oldest
}

// underWay returns the tick of the oldest thing that is under way to the peer, or
// now if there is none.
func (p *Peer) underWay(now entangle.Tick) entangle.Tick {
	packets, actions := p.flights.oldest(now), p.actions.oldest(now)
	if actions.Before(packets) {
		return actions
	}
	return packets
}
