package source

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
)

// MaxRecordedEvents bounds the events stored between two ticks. Beyond it, all children are checked.
const MaxRecordedEvents = 4096

// hierarchyListener records events that concern hierarchies and changes nothing: it may be called
// while the world is locked.
type hierarchyListener struct{ p *propagation }

// Subscriptions implements ecs.Listener.
func (hierarchyListener) Subscriptions() event.Subscription { return event.All }

// Components implements ecs.Listener: all, because any entity may have had children.
func (hierarchyListener) Components() *ecs.Mask { return nil }

// Notify implements ecs.Listener.
func (l hierarchyListener) Notify(w *ecs.World, evt ecs.EntityEvent) {
	p, e := l.p, evt.Entity
	switch {
	case w != p.world:
	case evt.Contains(event.EntityRemoved):
		if p.hasChildren(e) {
			p.clearParent(e)
			p.Events.recordEntity(&p.Events.removed, e)
		}
	case !w.Alive(e): // a listener before this one removed it
	default:
		p.recordChange(e, &evt)
	}
}

// recordChange records a change of a living entity.
func (p *propagation) recordChange(e ecs.Entity, evt *ecs.EntityEvent) {
	if evt.EventTypes.ContainsAny(event.Relations) {
		if evt.NewRelation != nil {
			p.recordRelation(e, *evt.NewRelation)
		}
		if old := evt.OldRelation; old != nil && p.comps.mask.Get(*old) && !p.world.HasUnchecked(e, *old) {
			p.Events.recordEntity(&p.Events.Children, e)
		}
	}
	marked := evt.Added.Get(p.comps.marker) || evt.Removed.Get(p.comps.marker)
	if marked && !p.Events.applying {
		p.recordMarker(e, evt.Added.Get(p.comps.marker))
	}
	if (marked || evt.Added.Get(p.comps.excludes) || evt.Removed.Get(p.comps.excludes)) && p.hasChildren(e) {
		p.Events.recordEntity(&p.Events.parents, e)
	}
}

// recordRelation records a new relation of an entity.
func (p *propagation) recordRelation(e ecs.Entity, relation ecs.ID) {
	if !p.comps.mask.Get(relation) {
		p.warnUnregistered(relation)
		return
	}
	if !p.world.Has(e, relation) {
		return // an earlier listener removed it
	}
	if to := p.world.Relations().GetUnchecked(e, relation); !to.IsZero() {
		p.recordParent(to)
	}
	p.Events.recordEntity(&p.Events.Children, e)
}

// recordMarker records that the game added or removed a Replicate. A Replicate that the game
// removed stays off until the game adds it again.
func (p *propagation) recordMarker(e ecs.Entity, added bool) {
	s, ok := p.table.SlotOf(e)
	if !ok || p.unused() {
		return
	}
	p.Slots.growSlots(int(s) + 1)
	if added {
		if p.Slots.added.Has(int(s)) {
			p.checked = append(p.checked, e) // it may have former ancestors, which count no more
		}
		p.Slots.added.Clear(int(s))
		p.Slots.RemovedByGame.Clear(int(s))
	} else {
		p.Slots.RemovedByGame.Set(int(s))
	}
}

// growSlots makes room for slots below n.
func (s *propagatedSlots) growSlots(n int) {
	s.added.Grow(n)
	s.RemovedByGame.Grow(n)
	s.withheld.Grow(n)
}

func (v *hierarchyEvents) recordEntity(list *[]ecs.Entity, e ecs.Entity) {
	if len(*list) >= MaxRecordedEvents && !v.applying {
		v.Overflowed = true
		return
	}
	*list = append(*list, e)
}

// recordParent records that an entity has children, or had.
func (p *propagation) recordParent(e ecs.Entity) {
	p.hadChildren.Grow(int(e.ID()) + 1)
	p.hadChildren.Set(int(e.ID()))
}

func (p *propagation) hasChildren(e ecs.Entity) bool { return p.hadChildren.Has(int(e.ID())) }

func (p *propagation) clearParent(e ecs.Entity) { p.hadChildren.Clear(int(e.ID())) }

// clearSlot clears the state of a slot.
func (s *propagatedSlots) clearSlot(slot repl.Slot) {
	s.added.Clear(int(slot))
	s.RemovedByGame.Clear(int(slot))
	s.withheld.Clear(int(slot))
	delete(s.written, slot)
}
