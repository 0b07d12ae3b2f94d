package predict

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
)

// lifecycle despawns predicted entities and brings them back, and gives them the components
// that they should have.
type lifecycle struct {
	*shaper
	children        *children
	removeDespawned func(e ecs.Entity)      // removes an entity that the server has despawned
	isAbsent        func(e ecs.Entity) bool // reports whether a replay will spawn a prespawned entity again

	// removeSpawned removes an entity with components.Prespawned that this tick has spawned, with its children. It returns
	// false for any other one.
	removeSpawned func(e ecs.Entity) bool

	// assembledAfter returns the columns that an entity, which has some columns, got from blueprints of later ticks.
	assembledAfter func(slot rollback.Slot, has set.Mask, tick entangle.Tick) set.Mask

	leaving  []leavingEntity // despawned entities that are still in the world
	excluded []leavingEntity // entities with components.NoRollback that are despawned ahead of the server
	returned []rollback.Slot // scratch: returned entities; the histories lack the components that the game added to them
	reshaped []reshaped      // scratch
	removing set.Bitset      // by slot: entities that removeOne is removing
}

// leavingEntity is an entity that is despawned. It stays in the world until there can be no
// rollback to before its tick.
type leavingEntity struct {
	entity ecs.Entity
	slot   rollback.Slot
	tick   entangle.Tick
	local  bool       // the game despawned it, and the server does not know it
	root   ecs.Entity // the entity with which this one was despawned, as its child
}

// despawn despawns an entity ahead of the server, with its children. root is the entity that
// the game despawned.
func (l *lifecycle) despawn(e, root ecs.Entity) {
	slot := l.slotOf(e)
	if !l.predicts(e) || l.disabled[slot].on {
		return
	}
	l.disabled[slot].on = true // in a cycle of relations it is a descendant of its own
	l.children.each(e, func(child ecs.Entity) {
		if l.children.isCandidate(child) && !l.removeSpawned(child) {
			l.children.follow(child) // it was attached in this tick
			l.grow()
		}
		l.despawn(child, root)
	})
	l.disable(slot)
	now := l.progress.present()
	switch {
	case !l.store.Confirmed(slot).Known:
		l.leaving = append(l.leaving, leavingEntity{e, slot, now, true, root})
	case l.excludes(slot):
		l.excluded = append(l.excluded, leavingEntity{e, slot, now, false, root})
	}
}

// excludes reports whether an entity is excluded from rollback.
func (l *lifecycle) excludes(slot rollback.Slot) bool {
	mask := l.table.Mask(columns.Slot(slot))
	return mask.Has(l.modes.never)
}

// returnChildren brings back the children that were despawned with an entity.
func (l *lifecycle) returnChildren(slot rollback.Slot) {
	root, tick := l.entity(slot), l.disabled[slot].tick
	for i := range l.leaving {
		if g := &l.leaving[i]; g.root == root && g.entity != root && g.tick == tick && !l.isOver(g) {
			form := rollback.Form{Alive: true, Mask: l.disabled[g.slot].mask.And(l.modes.kept)}
			l.enable(g.slot, form)
			l.returned = append(l.returned, g.slot)
		}
	}
}

// revive brings back entities that are excluded from rollback and were despawned ahead of the server,
// if the server has not despawned them. No rollback brings these back.
func (l *lifecycle) revive() {
	kept := l.excluded[:0]
	l.returned = l.returned[:0]
	for _, g := range l.excluded {
		state, d := l.store.Confirmed(g.slot), &l.disabled[g.slot]
		switch {
		case !l.world.Alive(g.entity) || !d.on || d.tick != g.tick || state.Gone:
		case l.progress.confirmed.Before(g.tick):
			kept = append(kept, g)
		default:
			l.returnChildren(g.slot)
			l.enable(g.slot, l.store.Corrected(g.slot, rollback.Form{Mask: d.mask.And(l.modes.own())}))
			l.writeConfirmed(g.slot)
			l.returned = append(l.returned, g.slot)
		}
	}
	l.excluded = kept
	l.backfillReturned()
}

// backfillReturned writes entities that have returned into the histories of all ticks.
func (l *lifecycle) backfillReturned() {
	if len(l.returned) == 0 {
		return
	}
	l.commitStructure(restored)
	for _, slot := range l.returned {
		l.backfill(slot, l.forms[slot].Mask)
	}
	l.returned = l.returned[:0]
}

// removeFinal removes despawned entities from the world, once that is final.
func (l *lifecycle) removeFinal() {
	leaving := l.leaving
	l.leaving = l.leaving[len(l.leaving):] // removing one may despawn others
	kept := leaving[:0]
	for _, g := range leaving {
		switch {
		case l.isOver(&g):
		case l.mayReturn(&g):
			kept = append(kept, g)
		default:
			l.removeOne(&g)
		}
	}
	l.leaving = append(kept, l.leaving...)
}

// mayReturn reports whether there may still be a rollback to before the despawn.
func (l *lifecycle) mayReturn(g *leavingEntity) bool {
	progress := l.progress
	return l.world.Alive(g.entity) && progress.synced() && progress.confirmed.Before(g.tick) && !progress.tooDeep(g.tick)
}

// isOver reports whether the despawn of an entity that the game spawned on the client needs no more
// attention: the entity has returned, or it was removed for good.
func (l *lifecycle) isOver(g *leavingEntity) bool {
	return g.local && !(l.world.Alive(g.entity) && l.disabled[g.slot].on && l.disabled[g.slot].tick == g.tick)
}

// removeOne removes an entity from the world, with the children that the game spawned.
func (l *lifecycle) removeOne(g *leavingEntity) {
	if g.local && !l.world.Alive(g.entity) {
		return
	}
	l.removing.Grow(int(g.slot) + 1)
	l.removing.Set(int(g.slot)) // in a cycle of relations it is a descendant of its own
	l.children.each(g.entity, func(child ecs.Entity) {
		s := l.slotOf(child)
		if !l.removing.Has(int(s)) && !l.store.Confirmed(s).Known && !l.world.Has(child, l.children.remote) {
			l.removeOne(&leavingEntity{entity: child, slot: s, local: true})
		}
	})
	l.removing.Clear(int(g.slot))
	switch {
	case !g.local:
		l.removeDespawned(g.entity)
	case l.world.Alive(g.entity):
		l.writer.Remove(g.entity)
	}
}

// removeAll removes all despawned entities, because the connection has ended.
func (l *lifecycle) removeAll() {
	for i := range l.leaving {
		l.removeOne(&l.leaving[i])
	}
	l.leaving, l.excluded = l.leaving[:0], l.excluded[:0]
}

// reshape gives an entity a form of a tick. had is its form in the histories of the same tick, without
// the confirmed state.
func (l *lifecycle) reshape(slot rollback.Slot, had, form rollback.Form, tick entangle.Tick) {
	e := l.entity(slot)
	switch {
	case !l.world.Alive(e):
	case !form.Alive && !l.store.Confirmed(slot).Known && !l.isAbsent(e):
		l.writer.Remove(e)
	case form.Disabled, !form.Alive:
		l.disableAbsent(slot)
	default:
		l.reshapeEnabled(slot, had, form, tick)
	}
}

// disableAbsent disables an entity that does not exist in the tick that the world is at, with the
// children that the game has spawned.
func (l *lifecycle) disableAbsent(slot rollback.Slot) {
	if !l.disabled[slot].on {
		l.despawnLocalChildren(l.entity(slot))
		l.disable(slot)
	}
}

// disableUnknown disables the entities with confirmed state of a tick between the confirmed one and the present, if there
// are no histories that say what they were at the confirmed one. They return when the replay inserts that state.
func (l *lifecycle) disableUnknown() {
	for i := range l.forms {
		slot := rollback.Slot(i)
		state := l.store.Confirmed(slot)
		later := l.progress.confirmed.Before(state.Tick) && !l.progress.present().Before(state.Tick)
		if state.Known && later && !l.excludes(slot) {
			l.disableAbsent(slot)
		}
	}
	l.commitStructure(restored)
}

// despawnLocalChildren despawns the children of an entity that the server does not know. For all
// others the confirmed state says in which ticks they exist.
func (l *lifecycle) despawnLocalChildren(e ecs.Entity) {
	l.children.each(e, func(child ecs.Entity) {
		if !l.store.Confirmed(l.slotOf(child)).Known {
			l.despawn(child, e)
		}
	})
}

// reshapeEnabled is reshape for an entity of which the components are not disabled in that form.
func (l *lifecycle) reshapeEnabled(slot rollback.Slot, had, form rollback.Form, tick entangle.Tick) {
	has := l.forms[slot].Mask
	if l.disabled[slot].on {
		has = l.disabled[slot].mask
	}
	returns := !had.Alive || had.Disabled
	if returns { // the histories do not know its own components
		form.Mask = form.Mask.Or(has.And(l.modes.own()).Without(l.assembledAfter(slot, has, tick)))
	}
	if l.disabled[slot].on {
		if returns {
			l.returnChildren(slot)
		}
		l.enable(slot, form)
	} else {
		l.exchange(slot, form.Mask, l.modes.kept)
	}
	l.setTarget(slot, form.Mask.And(l.modes.relation), columns.UnpackEntity(form.Target))
	if returns {
		l.returned = append(l.returned, slot)
	}
}
