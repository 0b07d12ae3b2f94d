package netsim

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/listener"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
)

// fate says whether replicas despawn when their original is removed from the server's world.
type fate uint8

const (
	despawned fate = iota // the replicas are removed
	letGo                 // the replicas are orphaned: they stay and belong to the clients
)

// removals records the entities that had no Replicate when they were removed.
type removals struct {
	world *ecs.World
	bare  map[ecs.Entity]bool
}

// Subscriptions implements ecs.Listener.
func (*removals) Subscriptions() event.Subscription { return event.EntityRemoved }

// Components implements ecs.Listener: all of them.
func (*removals) Components() *ecs.Mask { return nil }

// Notify implements ecs.Listener.
func (r *removals) Notify(w *ecs.World, evt ecs.EntityEvent) {
	if w == r.world && !w.Has(evt.Entity, ecs.ComponentID[components.Replicate](w)) {
		r.bare[evt.Entity] = true
	}
}

// hear starts to record removals from the server's world.
func (p *past) hear(w *ecs.World) {
	p.removals = &removals{world: w, bare: map[ecs.Entity]bool{}}
	ecs.GetResource[listener.Dispatch](w).AddListener(p.removals)
}

// lastParents returns the entities that had a child in their group at the last recorded tick.
func (p *past) lastParents() map[ecs.Entity]bool {
	all := map[ecs.Entity]bool{}
	for e := range p.versions {
		if v := p.last(e); v != nil && !v.state.Paused {
			all[v.parent] = true
		}
	}
	return all
}

// fateOf returns the fate of the replicas of an entity that was removed since the last recorded
// tick. They are orphaned if the entity had no Replicate when it was removed, because it was paused
// or lost it since that tick. A parent that lost it since then still despawns with its children.
func (p *past) fateOf(e ecs.Entity, parent bool) fate {
	if p.removals != nil && p.removals.bare[e] && (p.last(e).state.Paused || !parent) {
		return letGo
	}
	return despawned
}

// ended checks replicas with a removed original: an orphaned one must still exist in the client's
// world, and a despawned one must not. Exception: a predicted replica stays until its tick. A
// replica that was hidden from the client in between despawned earlier.
func (l *look) ended() error {
	for e, original := range l.before.of {
		if l.world == nil || l.local[original] == e {
			continue
		}
		from := l.before.entities[e]
		is, ended := l.past.endOf(original, l.client, from, l.resynced)
		switch there := l.world.Alive(e) && len(l.world.Ids(e)) > 0; {
		case !ended:
		case is == letGo && !there:
			return fmt.Errorf("its %v, a copy of the server's %v as of tick %d, is gone, which was removed while it was paused", e, original, from)
		case is == despawned && there && !l.world.Has(e, ecs.ComponentID[components.Predicted](l.world)):
			return fmt.Errorf("its %v, a copy of the server's %v as of tick %d, is there still, which was removed", e, original, from)
		}
	}
	return nil
}

// endOf returns the fate of an entity that was removed, if the client could see or retain it from a
// tick until its removal.
func (p *past) endOf(e ecs.Entity, client entangle.ClientID, from entangle.Tick, resynced bool) (is fate, ended bool) {
	list := p.versions[e]
	first := max(0, after(list, from, since)-1)
	for i := range list[first:] {
		v := &list[first+i]
		is := v.seen[client]
		switch {
		case v.gone:
			return v.fate, true
		case !is.sees && !is.kept, is.kept && (resynced || outgrown(list[first:first+i+1])):
			return despawned, false
		}
	}
	return despawned, false
}
