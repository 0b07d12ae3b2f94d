package snapshot

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
)

// AddSample adds the values of an entity at a tick. cols are the columns that have changed since
// the sample before, or were inserted; value returns the memory of their values. Columns without
// samples are ignored. It returns false, and does nothing, if the slot has a sample at that tick or
// a later one.
func (s *Store) AddSample(slot Slot, tick entangle.Tick, cols set.Mask, value func(col int) []byte) bool {
	e := &s.entities[slot]
	if e.count > 0 && tick.Sub(e.newest) <= 0 {
		s.stats.Ignored++
		return false
	}
	waited := e.late || e.resting()
	s.reserve(slot)
	if e.count == 0 {
		e.first = uint32(tick) / uint32(e.class.every) // entities of one tick share a row
	}
	e.count++
	e.newest = tick
	s.setValues(slot, cols.And(s.sampled), value)
	switch {
	case waited:
		s.restart(slot, set.Mask{}, nil)
	case e.count == 1:
		s.pair(slot)
		s.moves[slot].end = atTick(tick)
	}
	return true
}

// setValues sets the values of the newest sample. Columns that are not given have the values of the
// sample before. Columns that the entity did not have get the value in all samples.
func (s *Store) setValues(slot Slot, cols set.Mask, value func(col int) []byte) {
	e := &s.entities[slot]
	to := s.index(slot, e.last())
	s.ticks[to] = e.newest
	carried := e.cols.Without(cols)
	for col := carried.Next(0); col >= 0; col = carried.Next(col + 1) {
		copy(s.value(col, to), s.value(col, s.index(slot, e.last()-1)))
	}
	for col := cols.Next(0); col >= 0; col = cols.Next(col + 1) {
		v := value(col)
		if e.cols.Has(col) {
			copy(s.value(col, to), v)
			continue
		}
		s.use(col)
		for n := e.first; n != e.first+e.count; n++ {
			copy(s.value(col, s.index(slot, n)), v)
		}
	}
	e.cols = e.cols.Or(cols)
}

// RemoveColumns removes columns of an entity.
func (s *Store) RemoveColumns(slot Slot, cols set.Mask) {
	e := &s.entities[slot]
	e.cols = e.cols.Without(cols)
}

// Rebase replaces the shown values of some columns of an entity, from which it then moves to its
// samples, as after a rest. The entity is shown at once, so this is for one that was on the screen
// already, but not by its samples. It does nothing before the first sample and before the first
// Advance of its class.
func (s *Store) Rebase(slot Slot, cols set.Mask, value func(col int) []byte) {
	e := &s.entities[slot]
	if e.count == 0 || !e.class.started {
		return
	}
	if !e.shown || e.resting() {
		s.reserve(slot) // the given values precede all samples
	}
	s.restart(slot, cols, value)
}

// restart begins a movement from the shown values, or from the given ones, at the shown time. It
// leads to the first sample that is far enough ahead, or else to the newest one, which is then late.
func (s *Store) restart(slot Slot, cols set.Mask, value func(col int) []byte) {
	e := &s.entities[slot]
	now := e.class.now
	soonest := now + oneTick*moment(e.class.every)
	target, last := e.from()+1, e.last()
	if !e.shown || e.resting() {
		target = e.from()
	}
	for target != last && atTick(s.ticks[s.index(slot, target)]).before(soonest) {
		target++
	}
	base := s.index(slot, target-1)
	for col := range e.cols.All() {
		if cols.Has(col) {
			copy(s.value(col, base), value(col))
		} else {
			copy(s.value(col, base), s.shownValue(col, slot))
		}
	}
	s.ticks[base] = now.tick()
	e.first, e.count, e.behind, e.shown, e.restarted = target-1, last-target+2, 0, true, true

	m, tick := &s.moves[slot], atTick(s.ticks[s.index(slot, target)])
	m.start, m.end = now, tick
	e.late = tick.before(soonest)
	if e.late {
		m.end = soonest
	}
	s.begin(slot)
}
