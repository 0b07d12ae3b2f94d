package snapshot

import "github.com/entangle-ecs/entangle"

// Advance sets the shown time of a class to a fraction of a tick, from 0 to 1, after a tick, unless
// it is later already. It drops the samples that are no longer needed.
func (s *Store) Advance(every uint16, tick entangle.Tick, fraction float64) {
	c := s.class(every)
	if now := momentOf(tick, fraction); !c.started || c.now.before(now) {
		c.started, c.now = true, now
	}
	now := c.now
	from, to, shares := s.pairs.from[:len(s.entities)], s.pairs.to[:len(s.entities)], s.pairs.share[:len(s.entities)]
	plain := s.behind == 0 && s.limited.IsZero()
	var last movement // most entities move between the same ticks
	var share float32
	for _, slot := range c.slots {
		e := &s.entities[slot]
		if !now.before(e.end) {
			// The usual case of arrive: the entity has reached one sample, and there is another one
			// to move to. Without it, interpolate/snapshot takes a quarter more time.
			next := s.index(slot, e.first+2)
			if end := atTick(s.ticks[next]); plain && e.shown && e.count > 2 && now.before(end) &&
				from[slot] != to[slot] && s.jumps[next] == s.jumps[to[slot]] {
				e.first++
				e.count--
				e.next(end)
				from[slot], to[slot] = to[slot], next
			} else {
				s.arrive(slot, now)
			}
		}
		if from[slot] != to[slot] {
			if e.start != last.start || e.end != last.end {
				last = e.movement
				share = last.share(now)
			}
			shares[slot] = share
		}
	}
}

// arrive begins the next movement of an entity whose movement is over, or that is shown now.
func (s *Store) arrive(slot Slot, now moment) {
	e := &s.entities[slot]
	for !now.before(e.end) {
		switch {
		case e.count == 0 || e.resting():
			e.start, e.end = now-restTicks*oneTick, now+restTicks*oneTick
			e.newest = e.start.tick() // and not older, see restTicks
			return
		case !e.shown:
			e.shown = true
		case e.behind < s.behind && !e.restarted:
			e.behind++
		default:
			e.first++
			e.count--
		}
		e.restarted = false
		if e.resting() {
			e.next(e.end + restTicks*oneTick)
		} else {
			e.next(atTick(s.ticks[s.index(slot, e.from()+1)]))
		}
	}
	s.begin(slot)
}

// begin begins the movement of a slot to its next sample.
func (s *Store) begin(slot Slot) {
	s.pair(slot)
	s.pairs.share[slot] = 0
	s.findFar(slot)
}

// findFar finds the columns in which the values that a slot is shown between are too far from each other.
func (s *Store) findFar(slot Slot) {
	if s.limited.IsZero() {
		return
	}
	e := &s.entities[slot]
	limited := s.limited.And(s.members[slot].cols)
	for col := limited.Next(0); col >= 0; col = limited.Next(col + 1) {
		from := s.pairs.from[slot]
		if e.resting() {
			from = s.index(slot, e.first) // for extrapolation
		}
		s.far[col].Assign(int(slot), s.kinds[col].TooFar(s.value(col, from), s.value(col, s.pairs.to[slot])))
	}
}
