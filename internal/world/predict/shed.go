package predict

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/mlange-42/arche/ecs"
)

// shedding is what an entity has shed: one that is despawned ahead of the server, or that
// is not there yet in the tick that the world is at, is kept as an entity without the
// components that the prediction knows of. No system finds it, and it can come back.
type shedding struct {
	on     bool
	tick   entangle.Tick // in which it was
	mask   rollback.Mask
	values []byte // in the order of columns
	target ecs.Entity
}

// strip has an entity shed its components.
func (p *Prediction) strip(slot rollback.Slot) {
	e, s := p.entity(slot), &p.shed[slot]
	s.on, s.tick, s.mask, s.values, s.target = true, p.present(), rollback.Mask{}, s.values[:0], ecs.Entity{}
	p.drops = p.drops[:0]
	cols := p.modes.kept.Union(p.modes.simple)
	for col := cols.Next(0); col >= 0; col = cols.Next(col + 1) {
		c := &p.cols[col]
		if !p.world.Has(e, c.id) {
			continue
		}
		s.mask.Set(col)
		s.values = append(s.values, c.of(e)...)
		p.drops = append(p.drops, c.id)
		if p.modes.relation.Has(col) {
			s.target = p.world.Relations().Get(e, c.id)
		}
	}
	p.writer.Exchange(e, nil, p.drops, nil)
}

// InsertOnce has an entity have a component in all ticks, and with it come back if it is stripped.
func (p *Prediction) InsertOnce(slot rollback.Slot, comp int, value []byte, target ecs.Entity) {
	p.RemoveOnce(slot, comp)
	s, is := &p.shed[slot], rollback.Form{Target: columns.PackEntity(target)}
	is.Mask.Set(comp)
	if s.on {
		s.mask.Set(comp)
		s.values = slices.Insert(s.values, p.shedAt(s, comp), value...)
	}
	p.memory.Always(slot, is.Mask, is)
	if len(value) > 0 {
		p.memory.Backfill(slot, comp, value)
	}
}

// RemoveOnce has an entity have a component in no tick, and come back without it if it is
// stripped.
func (p *Prediction) RemoveOnce(slot rollback.Slot, comp int) {
	var col rollback.Mask
	col.Set(comp)
	if s := &p.shed[slot]; s.on && s.mask.Has(comp) {
		at := p.shedAt(s, comp)
		s.values = slices.Delete(s.values, at, at+p.cols[comp].size)
		s.mask.Clear(comp)
	}
	p.memory.Always(slot, col, rollback.Form{})
}

// shedAt returns where in the values that an entity has shed those of a column are.
func (p *Prediction) shedAt(s *shedding, to int) (at int) {
	for col := s.mask.Next(0); col >= 0 && col < to; col = s.mask.Next(col + 1) {
		at += p.cols[col].size
	}
	return at
}

// clothe gives an entity back what it has shed, as far as it is to have it: the columns of
// a form, what is the game's own if that was shed too late for the histories to tell, and of
// the rest what the server says, or had been there.
func (p *Prediction) clothe(slot rollback.Slot, form rollback.Form) {
	e, s, word := p.entity(slot), &p.shed[slot], p.memory.Confirmed(slot)
	s.on = false
	rest, among, target := s.mask, p.modes.simple, s.target
	if word.Known {
		rest, among, target = word.Mask, among.Union(p.modes.inputs), columns.UnpackEntity(word.Target)
	}
	want := form.Mask.Union(rest.And(among))
	p.exchange(slot, want, p.modes.kept.Union(among))
	p.fillShed(e, s, want)
	if word.Known {
		p.showSimple(slot, want)
	}
	p.aim(slot, want.And(p.modes.relation), target)
}

// leaveOwn gives an entity that is there again back what it has shed of the game's own.
func (p *Prediction) leaveOwn(slot rollback.Slot) {
	own := p.shed[slot].mask.And(p.modes.local).Without(p.modes.relation)
	p.exchange(slot, own, own)
	p.fillShed(p.entity(slot), &p.shed[slot], own)
}

// fillShed writes back the values that an entity has shed.
func (p *Prediction) fillShed(e ecs.Entity, s *shedding, want rollback.Mask) {
	at := 0
	for col := s.mask.Next(0); col >= 0; col = s.mask.Next(col + 1) {
		c := &p.cols[col]
		if want.Has(col) { // a relation may have given way to another
			copy(c.of(e), s.values[at:at+c.size])
		}
		at += c.size
	}
}

// showSimple has an entity hold what the server said last of what is shown as it comes.
func (p *Prediction) showSimple(slot rollback.Slot, cols rollback.Mask) {
	e := p.entity(slot)
	cols = cols.And(p.modes.simple).And(p.memory.Confirmed(slot).Mask)
	for col := cols.Next(0); col >= 0; col = cols.Next(col + 1) {
		if p.cols[col].size > 0 {
			copy(p.cols[col].of(e), p.memory.ConfirmedValue(slot, col))
		}
	}
}

// bare reports whether a form is that of an entity without anything that is compared; or that
// is kept, for one of which the server knows nothing.
func (p *Prediction) bare(slot rollback.Slot, form *rollback.Form) bool {
	has := form.Mask.And(p.modes.full)
	if !p.memory.Confirmed(slot).Known {
		has = form.Mask.And(p.modes.kept)
	}
	return has.IsZero()
}

// reshape gives an entity a form. had is what the histories know of it at the same tick,
// without the server's word.
func (p *Prediction) reshape(slot rollback.Slot, had, form rollback.Form) {
	e, now := p.entity(slot), p.forms[slot]
	switch {
	case !p.world.Alive(e):
	case !form.Alive && !p.memory.Confirmed(slot).Known:
		p.writer.Remove(e)
	case p.bare(slot, &form):
		if !p.shed[slot].on && !p.bare(slot, &now) {
			p.kids.each(e, func(kid ecs.Entity) { p.despawn(kid, e) })
			p.strip(slot)
		}
	default:
		p.dress(slot, now, had, form)
	}
}

// dress is reshape for an entity that is there.
func (p *Prediction) dress(slot rollback.Slot, now, had, form rollback.Form) {
	has := now.Mask
	if p.shed[slot].on {
		has = p.shed[slot].mask
	}
	anew := !had.Alive || p.bare(slot, &had)
	if anew { // the histories do not know what is the game's own of it
		form.Mask = form.Mask.Union(has.And(p.modes.own()))
	}
	if p.shed[slot].on {
		if anew {
			p.regain(slot)
		}
		p.clothe(slot, form)
	} else {
		p.exchange(slot, form.Mask, p.modes.kept)
	}
	p.aim(slot, form.Mask.And(p.modes.relation), columns.UnpackEntity(form.Target))
	if anew {
		p.adopted = append(p.adopted, slot)
	}
}
