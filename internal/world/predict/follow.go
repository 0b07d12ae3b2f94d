package predict

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/mlange-42/arche/ecs"
)

// changes says what became of the structure of predicted entities, and so what is kept of
// it.
type changes uint8

const (
	// ticked: it is of the simulation, and was otherwise before the tick at hand.
	ticked changes = iota
	// between: it happened between two ticks. What the game does there is no part of the
	// simulation, and counts as always so.
	between
	// restored: it is that of a tick that the world went back to.
	restored
)

// Settle brings rows and slots up to date with the world, within a tick.
func (p *Prediction) Settle() { p.settle(ticked) }

// settle takes in how structure changed since the last time.
func (p *Prediction) settle(how changes) {
	if err := p.table.Commit(); err != nil {
		panic("plugin: the entities that are predicted can't be followed: " + err.Error())
	}
	p.room()
	for _, r := range p.table.Undo() {
		p.changed(&r, how)
	}
	for _, slot := range p.tracked {
		p.again(slot)
	}
	p.tracked = p.tracked[:0]
}

// again begins to follow an entity that was not for a while: to the table, where that was
// between two settlings, nothing has changed.
func (p *Prediction) again(slot rollback.Slot) {
	s := columns.Slot(slot)
	if e := p.table.Entity(s); !p.forms[slot].Alive && p.Predicts(e) {
		r := columns.UndoRecord{Slot: s, Entity: e}
		r.Is = columns.Form{Alive: true, Marked: true, Mask: p.table.Mask(s), Target: p.table.Target(s)}
		p.changed(&r, between)
	}
}

// room makes room for all slots there are.
func (p *Prediction) room() {
	n := p.table.Slots()
	p.memory.Grow(n)
	for len(p.forms) < n {
		p.forms, p.shed = append(p.forms, rollback.Form{}), append(p.shed, shedding{})
	}
	p.before.grow(n)
}

// changed takes in that an entity has another structure.
func (p *Prediction) changed(r *columns.UndoRecord, how changes) {
	slot := rollback.Slot(r.Slot)
	was, is := p.forms[slot], p.formOf(&r.Is)
	p.before.note(slot, was.Mask)
	p.forms[slot] = is
	p.used = p.used.Union(is.Mask)
	if !is.Alive {
		p.forget(slot)
		return
	}
	if never := r.Is.Mask.Has(p.modes.never); never != (was.Alive && r.Was.Mask.Has(p.modes.never)) {
		p.memory.Exclude(slot, never)
	}
	switch {
	case was == is || how == restored:
	case how == ticked && (was.Alive || !r.Was.Alive):
		p.memory.Changed(p.present(), slot, was, is)
	default:
		p.changedBetween(slot, was, is)
	}
}

// changedBetween takes in what happened between two ticks. That the network has brought
// an entity is news of the present; the rest is the game's, and was always so: where a
// rollback puts the entity into the past, too.
func (p *Prediction) changedBetween(slot rollback.Slot, was, is rollback.Form) {
	if !was.Alive && !p.memory.Confirmed(slot).Known {
		p.backfill(slot, is.Mask)
		return
	}
	before, own := was, p.modes.own()
	if !was.Alive {
		p.arrived = append(p.arrived, slot)
	} else if !p.shed[slot].on { // else it is despawned, and may come back with all that it had
		cols := is.Mask.Without(was.Mask).Union(was.Mask.Without(is.Mask)).And(own)
		if was.Target != is.Target {
			cols = cols.Union(is.Mask.And(p.modes.relation).And(own))
		}
		before = p.memory.With(was, cols, is)
		p.memory.Always(slot, cols, is)
	}
	p.backfill(slot, is.Mask.Without(was.Mask).And(own))
	p.memory.Changed(p.at, slot, before, is)
	p.adopt(slot, p.at, is.Mask)
}

// forget ends a slot.
func (p *Prediction) forget(slot rollback.Slot) {
	p.memory.Forget(slot)
	p.before.forget(slot)
	p.forms[slot] = rollback.Form{}
	p.shed[slot].on = false
}

// formOf returns what a form of the table is to the histories.
func (p *Prediction) formOf(f *columns.Form) (form rollback.Form) {
	if !f.Alive || !f.Marked {
		return form
	}
	form.Alive, form.Mask = true, rollback.Mask(f.Mask).And(p.modes.kept)
	if related := form.Mask.And(p.modes.relation); !related.IsZero() {
		form.Target = columns.PackEntity(f.Target)
	}
	return form
}

// form is what the memory asks for the present form of a slot.
func (p *Prediction) form(slot rollback.Slot) rollback.Form { return p.forms[slot] }

// entity returns the entity of a slot.
func (p *Prediction) entity(slot rollback.Slot) ecs.Entity { return p.table.Entity(columns.Slot(slot)) }

// adopt writes the present values of some columns into the history of a tick, if that is
// held.
func (p *Prediction) adopt(slot rollback.Slot, tick entangle.Tick, cols rollback.Mask) {
	e := p.entity(slot)
	for col := cols.Next(0); col >= 0; col = cols.Next(col + 1) {
		c := &p.cols[col]
		if row := p.memory.Column(tick, col); len(row) > 0 {
			copy(row[int(slot)*c.size:(int(slot)+1)*c.size], c.of(e))
		}
	}
}

// backfill has some columns hold their present values in all ticks.
func (p *Prediction) backfill(slot rollback.Slot, cols rollback.Mask) {
	e := p.entity(slot)
	for col := cols.Next(0); col >= 0; col = cols.Next(col + 1) {
		if p.cols[col].size > 0 {
			p.memory.Backfill(slot, col, p.cols[col].of(e))
		}
	}
}

// of returns the memory of an entity's component, empty for a tag and where it has none.
func (c *predictedColumn) of(e ecs.Entity) []byte {
	at := c.cells.At(e)
	if at == nil || c.size == 0 {
		return nil
	}
	return c.cells.Bytes(at)
}
