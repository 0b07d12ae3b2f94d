package predict

import (
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/mlange-42/arche/ecs"
)

// spared is the entities with components.NoRollback: while others are computed anew, they are
// moved like those, and put back as they were.
type spared struct {
	p      *Prediction
	never  ecs.ID
	slots  []rollback.Slot
	were   []sparedForm // parallel to slots
	values []byte
}

// sparedForm is what a spared entity was.
type sparedForm struct {
	entity ecs.Entity
	form   rollback.Form
	shed   bool
	at     int // where its values begin
}

// has reports whether a slot is of such an entity.
func (s *spared) has(slot rollback.Slot) bool {
	mask := s.p.table.Mask(columns.Slot(slot))
	return mask.Has(s.p.modes.never)
}

// save keeps what they are.
func (s *spared) save() {
	p := s.p
	s.slots, s.were, s.values = s.slots[:0], s.were[:0], s.values[:0]
	for seg := range p.table.Segments() {
		rows, mask := p.table.Rows(seg)
		if !mask.Has(p.modes.never) {
			continue
		}
		for _, slot := range rows {
			s.saveOne(rollback.Slot(slot))
		}
	}
}

func (s *spared) saveOne(slot rollback.Slot) {
	p := s.p
	e, form := p.entity(slot), p.forms[slot]
	s.slots = append(s.slots, slot)
	s.were = append(s.were, sparedForm{e, form, p.shed[slot].on, len(s.values)})
	for col := form.Mask.Next(0); col >= 0; col = form.Mask.Next(col + 1) {
		s.values = append(s.values, p.cols[col].of(e)...)
	}
}

// putBack puts back what they were, as far as they are still there.
func (s *spared) putBack() {
	p := s.p
	s.regain()
	for i, slot := range s.slots {
		was := &s.were[i]
		if !p.world.Alive(was.entity) || p.entity(slot) != was.entity {
			continue
		}
		s.reshape(slot, was)
		at := was.at
		for col := was.form.Mask.Next(0); col >= 0; col = was.form.Mask.Next(col + 1) {
			at += copy(p.cols[col].of(was.entity), s.values[at:])
		}
	}
	if len(s.slots) > 0 {
		p.settle(ticked)
		p.scatter(p.at)
	}
}

// reshape gives a spared entity back the structure that it had, whatever of it is compared.
func (s *spared) reshape(slot rollback.Slot, was *sparedForm) {
	p := s.p
	switch shed := p.shed[slot].on; {
	case shed && !was.shed:
		p.clothe(slot, was.form)
	case !shed && was.shed:
		p.strip(slot)
	case p.forms[slot] != was.form:
		p.exchange(slot, was.form.Mask, p.modes.kept)
	default:
		return
	}
	p.aim(slot, was.form.Mask.And(p.modes.relation), columns.UnpackEntity(was.form.Target))
}

// regain brings back what of the game's went with those that ticks have despawned which were
// computed anew.
func (s *spared) regain() {
	p := s.p
	p.adopted = p.adopted[:0]
	for i, slot := range s.slots {
		if was := &s.were[i]; p.entity(slot) == was.entity && p.shed[slot].on && !was.shed {
			p.regain(slot)
		}
	}
	p.alwaysSo()
}
