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
	for _, slot := range c.slots {
		m := &s.moves[slot]
		if !now.before(m.end) {
			s.arrive(slot, now)
		}
		if s.pairs.from[slot] != s.pairs.to[slot] {
			s.pairs.share[slot] = m.share(now)
		}
	}
}

// arrive begins the next movement of an entity whose movement is over, or that is shown now.
func (s *Store) arrive(slot Slot, now moment) {
	e, m := &s.entities[slot], &s.moves[slot]
	for !now.before(m.end) {
		switch {
		case e.count == 0 || e.resting():
			by := now - restTicks*oneTick - m.start
			m.before, m.start, m.end = m.before+by, m.start+by, now+restTicks*oneTick
			e.newest = m.start.tick() // and not older, see restTicks
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
			m.next(m.end + restTicks*oneTick)
		} else {
			m.next(atTick(s.ticks[s.index(slot, e.from()+1)]))
		}
	}
	s.begin(slot)
}

// begin begins the movement of a slot to its next sample.
func (s *Store) begin(slot Slot) {
	s.pair(slot)
	s.pairs.share[slot] = 0
	if s.limited.IsZero() {
		return
	}
	e := &s.entities[slot]
	limited := s.limited.And(e.cols)
	for col := limited.Next(0); col >= 0; col = limited.Next(col + 1) {
		from := s.pairs.from[slot]
		if e.resting() {
			from = s.index(slot, e.first) // for extrapolation
		}
		s.far[col].Assign(int(slot), s.kinds[col].TooFar(s.value(col, from), s.value(col, s.pairs.to[slot])))
	}
}
