package predict

import (
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/set"
)

// untracked is the slots of which the prediction has ended since the last Check. If it has begun again, the entity
// keeps its histories, so that also components which are not sent are as if the prediction had never ended.
type untracked struct {
	slots []rollback.Slot
	has   set.Bitset // by slot
}

// untrack ends the prediction of a slot. Its histories end in the next commitStructure, unless it is tracked again.
func (t *entities) untrack(slot rollback.Slot) {
	if !t.forms[slot].Alive {
		t.endSlot(slot)
		return
	}
	*t.store.Confirmed(slot) = rollback.Confirmed{}
	t.store.Note(slot)
	if u := &t.untracked; !u.has.Has(int(slot)) {
		u.has.Grow(int(slot) + 1)
		u.has.Set(int(slot))
		u.slots = append(u.slots, slot)
	}
}

// resume gives entities that are predicted again the compared components that they had at the end of the last tick, in
// place of the confirmed ones.
func (s *shaper) resume() {
	for _, slot := range s.untracked.slots {
		s.untracked.has.Clear(int(slot))
		if s.forms[slot].Alive && s.predicts(s.entity(slot)) {
			s.resumeOne(slot)
		}
	}
	s.untracked.slots = s.untracked.slots[:0]
}

func (s *shaper) resumeOne(slot rollback.Slot) {
	was, e, tick := s.forms[slot], s.entity(slot), s.progress.worldTick
	if !s.store.Holds(tick) {
		return
	}
	s.exchange(slot, was.Mask, s.modes.full)
	s.setTarget(slot, was.Mask.And(s.modes.relation).And(s.modes.full), columns.UnpackEntity(was.Target))
	for col := range was.Mask.And(s.modes.full).All() {
		c := &s.cols[col]
		if row := s.store.Column(tick, col); len(row) > 0 && s.world.Has(e, c.id) {
			copy(c.memoryOf(e), row[int(slot)*c.size:(int(slot)+1)*c.size])
		}
	}
}
