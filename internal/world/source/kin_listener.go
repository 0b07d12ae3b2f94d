package source

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
)

// MaxHeard bounds the events stored between two ticks. Beyond it, all children are checked.
const MaxHeard = 4096

// kinListener records events that concern hierarchies and changes nothing: it may be called while
// the world is locked.
type kinListener struct{ k *kindred }

// Subscriptions implements ecs.Listener.
func (kinListener) Subscriptions() event.Subscription { return event.All }

// Components implements ecs.Listener: all, because any entity may have had children.
func (kinListener) Components() *ecs.Mask { return nil }

// Notify implements ecs.Listener.
func (l kinListener) Notify(w *ecs.World, evt ecs.EntityEvent) {
	k, e := l.k, evt.Entity
	switch {
	case w != k.world:
	case evt.Contains(event.EntityRemoved):
		if k.hasChildren(e) {
			k.childless(e)
			k.hear(&k.ended, e)
		}
	case !w.Alive(e): // a listener before this one removed it
	default:
		k.changed(e, &evt)
	}
}

// changed records a change of a living entity.
func (k *kindred) changed(e ecs.Entity, evt *ecs.EntityEvent) {
	if evt.EventTypes.ContainsAny(event.Relations) {
		if evt.NewRelation != nil {
			k.bond(e, *evt.NewRelation)
		} else if evt.OldRelation != nil && k.is.Get(*evt.OldRelation) {
			k.hear(&k.Children, e)
		}
	}
	marked := evt.Added.Get(k.marker) || evt.Removed.Get(k.marker)
	if marked && !k.acting {
		k.mark(e, evt.Added.Get(k.marker))
	}
	if (marked || evt.Added.Get(k.apart) || evt.Removed.Get(k.apart)) && k.hasChildren(e) {
		k.hear(&k.parents, e)
	}
}

// bond records a new relation of an entity.
func (k *kindred) bond(e ecs.Entity, relation ecs.ID) {
	if !k.is.Get(relation) {
		k.overlook(relation)
		return
	}
	if !k.world.Has(e, relation) {
		return // an earlier listener removed it
	}
	if to := k.world.Relations().GetUnchecked(e, relation); !to.IsZero() {
		k.adopt(to)
	}
	k.hear(&k.Children, e)
}

// mark records that the game added or removed a Replicate. A Replicate that the game removed stays
// off until the game adds it again.
func (k *kindred) mark(e ecs.Entity, added bool) {
	s, ok := k.publisher.Table.SlotOf(e)
	if !ok || k.none() {
		return
	}
	k.grow(int(s) + 1)
	if added {
		k.given.Clear(int(s))
		k.Held.Clear(int(s))
	} else {
		k.Held.Set(int(s))
	}
}

// grow makes room for slots below n.
func (k *kindred) grow(n int) {
	k.given.Grow(n)
	k.Held.Grow(n)
	k.withheld.Grow(n)
}

func (k *kindred) hear(list *[]ecs.Entity, e ecs.Entity) {
	if len(*list) >= MaxHeard && !k.acting {
		k.Anew = true
		return
	}
	*list = append(*list, e)
}

// adopt records that an entity has children, or had.
func (k *kindred) adopt(e ecs.Entity) {
	k.parental.Grow(int(e.ID()) + 1)
	k.parental.Set(int(e.ID()))
}

func (k *kindred) hasChildren(e ecs.Entity) bool { return k.parental.Has(int(e.ID())) }

func (k *kindred) childless(e ecs.Entity) { k.parental.Clear(int(e.ID())) }

// forget clears the state of a slot.
func (k *kindred) forget(s repl.Slot) {
	k.given.Clear(int(s))
	k.Held.Clear(int(s))
	k.withheld.Clear(int(s))
}
