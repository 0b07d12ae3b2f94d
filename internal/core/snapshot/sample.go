package snapshot

import (
	"bytes"
	"iter"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
)

// AddSample adds the values of an entity at a tick. cols are the columns that have changed since
// the sample before, or were inserted; value returns the memory of their values. Columns without
// samples are ignored. It returns false, and does nothing, if the slot has a sample at that tick or
// a later one.
func (s *Store) AddSample(slot Slot, tick entangle.Tick, cols set.Mask, value func(col int) []byte) bool {
	e, m := &s.entities[slot], &s.members[slot]
	if e.count > 0 && tick.Sub(e.newest) <= 0 {
		s.stats.Ignored++
		return false
	}
	if inserted := cols.And(s.sampled).Without(m.cols); !inserted.IsZero() {
		s.changeCurves(slot, inserted)
		s.makeFit(s.stride, &inserted)
		for col := range inserted.All() {
			s.use(col)
		}
	}
	waited := e.late || e.resting()
	s.reserve(slot)
	if e.count == 0 {
		e.first = uint32(tick) / uint32(m.class.every) // entities of one tick share a row
	}
	e.count++
	e.newest = tick
	s.setValues(slot, cols.And(s.sampled), value)
	switch {
	case waited:
		s.restart(slot, set.Mask{}, nil)
	case e.count == 1:
		s.pair(slot)
		if e.end = atTick(tick); !m.class.started || !m.class.now.before(e.end) {
			s.stats.Late++
		}
	}
	return true
}

// Hold adds a sample with the values of the newest one to an entity that has not changed up to a tick. If it rests, and is not
// shown at that tick yet, it waits until then for the sample that is added next.
func (s *Store) Hold(slot Slot, tick entangle.Tick) {
	e, m := &s.entities[slot], &s.members[slot]
	if e.count == 0 || tick.Sub(e.newest) <= 0 {
		return
	}
	rests := e.resting()
	if rests && !m.class.now.before(atTick(tick)) {
		return
	}
	s.reserve(slot)
	e.count++
	e.newest = tick
	s.setValues(slot, set.Mask{}, nil)
	s.jumps[s.index(slot, e.last())] = s.jumps[s.index(slot, e.last()-1)] // it may be teleported after that
	switch {
	case e.late && !rests, rests && s.behind > 0: // it may be shown beyond its newest sample
		s.restart(slot, set.Mask{}, nil)
	case rests:
		e.start, e.end, e.late = m.class.now, atTick(tick), false
		s.begin(slot)
	}
}

// SetTeleports sets how often an entity has been teleported up to the samples that are added from now
// on, a number that wraps around. Two samples with different numbers are not blended. It reports whether the number is
// another one.
func (s *Store) SetTeleports(slot Slot, n uint8) (changed bool) {
	m := &s.members[slot]
	changed = m.jumps != n
	m.jumps = n
	return changed
}

// TeleportAhead reports whether an entity is teleported between its shown values and its newest sample.
func (s *Store) TeleportAhead(slot Slot) bool {
	e := &s.entities[slot]
	return e.count > 0 && s.jumps[s.index(slot, e.from())] != s.jumps[s.index(slot, e.last())]
}

// setValues sets the values of the newest sample. Columns that are not given have the values of the
// sample before. Columns that the entity did not have get the value in all samples.
func (s *Store) setValues(slot Slot, cols set.Mask, value func(col int) []byte) {
	e, m := &s.entities[slot], &s.members[slot]
	to := s.index(slot, e.last())
	s.ticks[to], s.jumps[to] = e.newest, m.jumps
	carried := m.cols.Without(cols)
	for col := carried.Next(0); col >= 0; col = carried.Next(col + 1) {
		copy(s.value(col, to), s.value(col, s.index(slot, e.last()-1)))
	}
	for col := cols.Next(0); col >= 0; col = cols.Next(col + 1) {
		v := value(col)
		if m.cols.Has(col) {
			copy(s.value(col, to), v)
			continue
		}
		for n := range uint32(e.count) {
			copy(s.value(col, s.index(slot, e.first+n)), v)
		}
	}
	m.cols = m.cols.Or(cols)
}

// changeCurves is called before columns of an entity are inserted or removed. Where others are blended
// together with these from now on, or no longer, their movement begins again.
func (s *Store) changeCurves(slot Slot, cols set.Mask) {
	cols = cols.And(s.withs)
	if e := &s.entities[slot]; e.shown && !e.resting() && !cols.IsZero() {
		s.restart(slot, set.Mask{}, nil)
	}
}

// RemoveColumns removes columns of an entity.
func (s *Store) RemoveColumns(slot Slot, cols set.Mask) {
	m := &s.members[slot]
	s.changeCurves(slot, cols.And(m.cols))
	m.cols = m.cols.Without(cols)
}

// Reinsert gives columns that are inserted at a tick their values of that tick in the samples before it too. Without it,
// one that was removed meanwhile would move on from its former values, or continue in the direction from these. It is
// called before the entity is shown at the tick.
func (s *Store) Reinsert(slot Slot, tick entangle.Tick, cols set.Mask, value func(col int) []byte) {
	var former set.Mask
	for at := range s.samplesBefore(slot, tick) {
		for col := range cols.And(s.members[slot].cols).All() {
			if !bytes.Equal(s.value(col, at), value(col)) {
				former.Set(col)
			}
		}
	}
	if former.IsZero() {
		return
	}
	s.changeCurves(slot, former)
	for at := range s.samplesBefore(slot, tick) {
		for col := range former.All() {
			copy(s.value(col, at), value(col))
		}
	}
	if s.entities[slot].shown {
		s.findFar(slot)
	}
}

// samplesBefore returns the indexes of the samples of a slot before a tick.
func (s *Store) samplesBefore(slot Slot, tick entangle.Tick) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		e := &s.entities[slot]
		for n := range uint32(e.count) {
			if at := s.index(slot, e.first+n); !s.ticks[at].Before(tick) || !yield(at) {
				return
			}
		}
	}
}

// Rebase replaces the shown values of some columns of an entity, from which it then moves to its
// samples, as after a rest. The entity is shown at once, so this is for one that was on the screen
// already, but not by its samples. It does nothing before the first sample and before the first
// Advance of its class.
func (s *Store) Rebase(slot Slot, cols set.Mask, value func(col int) []byte) {
	e := &s.entities[slot]
	if e.count == 0 || !s.members[slot].class.started {
		return
	}
	if !e.shown || e.resting() {
		s.reserve(slot) // the given values precede all samples
	}
	s.restart(slot, cols, value)
}

// restart begins a movement from the shown values, or from the given ones, at the shown time. It
// leads to the first sample that is far enough ahead, or else to the newest one, which is then late.
// A teleport on the way happens at its tick, at once if that is over.
func (s *Store) restart(slot Slot, cols set.Mask, value func(col int) []byte) {
	e, m := &s.entities[slot], &s.members[slot]
	s.stats.Late++
	now := m.class.now
	soonest := now + min(oneTick*moment(m.class.every), s.second)
	target, last := e.from()+1, e.last()
	if !e.shown || e.resting() {
		target = e.from()
	}
	jumps := s.jumps[s.index(slot, e.from())] // of the shown values
	jumped := func() bool { return s.jumps[s.index(slot, target)] != jumps }
	for target != last && !jumped() && atTick(s.ticks[s.index(slot, target)]).before(soonest) {
		target++
	}
	base, shown := s.index(slot, target-1), s.shownValues(slot)
	for col := range m.cols.All() {
		if cols.Has(col) {
			copy(s.value(col, base), value(col))
		} else {
			copy(s.value(col, base), shown)
		}
		shown = shown[s.sizes[col]:]
	}
	s.ticks[base], s.jumps[base] = now.tick(), jumps
	e.first, e.count, e.behind, e.shown, e.restarted = target-1, uint16(last-target+2), 0, true, true
	e.start, e.end = now, atTick(s.ticks[s.index(slot, target)])
	e.late = e.end.before(soonest) && !jumped()
	if e.late {
		e.end = soonest
		s.copyDiscrete(slot, base, s.index(slot, target))
	}
	s.begin(slot)
}

// copyDiscrete gives a sample what another one has that is not blended. On a line that has become slower, or after the server stood
// still, each sample may be late and move on before the end of the movement: flags would never change.
func (s *Store) copyDiscrete(slot Slot, at, like uint32) {
	for col := range s.members[slot].cols.All() {
		if discrete := s.kinds[col].Discrete; discrete != nil {
			discrete(s.value(col, at), s.value(col, like))
		}
	}
}
