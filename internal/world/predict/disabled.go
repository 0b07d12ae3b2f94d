package predict

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
)

// disabled is the components that were taken off an entity which is despawned ahead of the
// server, or which does not exist yet in the tick that the world is at. The entity stays in the
// world without the components that the prediction knows. So no system finds it, and it can
// come back as the same entity.
type disabled struct {
	on     bool
	tick   entangle.Tick // the tick in which the components were taken off
	mask   set.Mask
	values []byte // the values of the columns in mask, in their order
	target ecs.Entity
}

// disable takes the components off an entity.
func (s *shaper) disable(slot rollback.Slot) {
	e, d := s.entity(slot), &s.disabled[slot]
	s.tracked = append(s.tracked, slot)
	d.on, d.tick, d.mask, d.values, d.target = true, s.progress.present(), set.Mask{}, d.values[:0], ecs.Entity{}
	s.drops = s.drops[:0]
	cols := s.modes.kept.Or(s.modes.simple)
	for col := range cols.All() {
		c := &s.cols[col]
		if !s.world.Has(e, c.id) {
			continue
		}
		d.mask.Set(col)
		d.values = append(d.values, c.memoryOf(e)...)
		s.drops = append(s.drops, c.id)
		if s.modes.relation.Has(col) {
			d.target = s.world.Relations().Get(e, c.id)
		}
	}
	s.writer.Exchange(e, nil, s.drops, nil)
}

// enable restores an entity's components: those of a form, and simple ones, which histories do not
// contain. The simple components and their values come from the confirmed state, or if there is
// none, from the disabled components. All other components get their disabled values back.
func (s *shaper) enable(slot rollback.Slot, form rollback.Form) {
	e, d, state := s.entity(slot), &s.disabled[slot], s.store.Confirmed(slot)
	d.on = false
	s.tracked = append(s.tracked, slot)
	rest, among, target := d.mask, s.modes.simple, d.target
	if state.Known {
		rest, among, target = state.Mask, among.Or(s.modes.inputs), columns.UnpackEntity(state.Target)
	}
	want := form.Mask.Or(rest.And(among))
	s.exchange(slot, want, s.modes.kept.Or(among))
	s.writeDisabled(e, d, want)
	if state.Known {
		s.writeSimple(slot, want)
	}
	s.setTarget(slot, want.And(s.modes.relation), target)
}

// enableLocalComponents gives an entity its local components back, when it is not predicted any more.
func (s *shaper) enableLocalComponents(slot rollback.Slot) {
	own := s.disabled[slot].mask.And(s.modes.local).Without(s.modes.relation)
	s.exchange(slot, own, own)
	s.writeDisabled(s.entity(slot), &s.disabled[slot], own)
}

// writeDisabled writes back the values of components that were taken off.
func (s *shaper) writeDisabled(e ecs.Entity, d *disabled, want set.Mask) {
	at := 0
	for col := range d.mask.All() {
		c := &s.cols[col]
		if want.Has(col) { // the entity may lack it: only one relation stays
			copy(c.memoryOf(e), d.values[at:at+c.size])
		}
		at += c.size
	}
}

// insertOnce inserts a component in all ticks, also among disabled components.
func (s *shaper) insertOnce(slot rollback.Slot, comp int, value []byte, target ecs.Entity) {
	s.removeOnce(slot, comp)
	d, is := &s.disabled[slot], rollback.Form{Target: columns.PackEntity(target)}
	is.Mask.Set(comp)
	if d.on {
		d.mask.Set(comp)
		d.values = slices.Insert(d.values, s.disabledAt(d, comp), value...)
	}
	s.store.Always(slot, is.Mask, is)
	if len(value) > 0 {
		s.store.Backfill(slot, comp, value)
	}
}

// removeOnce removes a component in all ticks, also from disabled components.
func (s *shaper) removeOnce(slot rollback.Slot, comp int) {
	var col set.Mask
	col.Set(comp)
	if d := &s.disabled[slot]; d.on && d.mask.Has(comp) {
		at := s.disabledAt(d, comp)
		d.values = slices.Delete(d.values, at, at+s.cols[comp].size)
		d.mask.Clear(comp)
	}
	s.store.Always(slot, col, rollback.Form{})
}

// disabledAt returns the index of the value of a column in the values of disabled components.
func (s *shaper) disabledAt(d *disabled, to int) (at int) {
	for col := d.mask.Next(0); col >= 0 && col < to; col = d.mask.Next(col + 1) {
		at += s.cols[col].size
	}
	return at
}
