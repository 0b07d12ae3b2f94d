package oracle

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
	orphaned              // the replicas are orphaned: they stay and belong to the clients
)

// removals records the entities that had no Replicate when they were removed.
type removals struct {
	world        *ecs.World
	unreplicated map[ecs.Entity]bool
}

// Subscriptions implements ecs.Listener.
func (*removals) Subscriptions() event.Subscription { return event.EntityRemoved }

// Components implements ecs.Listener: all of them.
func (*removals) Components() *ecs.Mask { return nil }

// Notify implements ecs.Listener.
func (r *removals) Notify(w *ecs.World, evt ecs.EntityEvent) {
	if w == r.world && !w.Has(evt.Entity, ecs.ComponentID[components.Replicate](w)) {
		r.unreplicated[evt.Entity] = true
	}
}

// listenRemovals starts to record removals from the server's world.
func (h *history) listenRemovals(w *ecs.World) {
	h.removals = &removals{world: w, unreplicated: map[ecs.Entity]bool{}}
	ecs.GetResource[listener.Dispatch](w).AddListener(h.removals)
}

// lastParents returns the entities that had a child in their group at the last recorded tick.
func (h *history) lastParents() map[ecs.Entity]bool {
	all := map[ecs.Entity]bool{}
	for e := range h.versions {
		if v := h.lastVersion(e); v != nil && !v.state.Paused {
			all[v.parent] = true
		}
	}
	return all
}

// fateOf returns the fate of the replicas of an entity that was removed since the last recorded
// tick. They are orphaned if the entity had no Replicate when it was removed, because it was paused
// or lost it since that tick. A parent that has lost it since then is still despawned with its
// children.
func (h *history) fateOf(e ecs.Entity, parent bool) fate {
	if h.removals != nil && h.removals.unreplicated[e] && (h.lastVersion(e).state.Paused || !parent) {
		return orphaned
	}
	return despawned
}

// checkRemoved checks replicas with a removed original: an orphaned one must still exist in the
// client's world, and a despawned one must not. There is one exception: a predicted replica stays
// until the tick of the despawn, and so does an interpolated one, for which see CheckShown. A replica that was hidden from the client in between was despawned
// earlier.
func (c *clientCheck) checkRemoved() error {
	for e, original := range c.last.originals {
		if c.world == nil || c.replicas[original] == e {
			continue
		}
		from := c.last.ticks[e]
		is, ended := c.history.fateSince(original, c.client, from)
		switch there := c.world.Alive(e) && len(c.world.Ids(e)) > 0; {
		case !ended:
		case is == orphaned && !there && !c.shown.isLeaving(e):
			return fmt.Errorf("its %v, a copy of the server's %v as of tick %d, is gone, which was removed while it was paused", e, original, from)
		case is == despawned && there && !c.world.Has(e, ecs.ComponentID[components.Predicted](c.world)) && !c.shown.isLeaving(e):
			return fmt.Errorf("its %v, a copy of the server's %v as of tick %d, is there still, which was removed", e, original, from)
		}
	}
	return nil
}

// fateSince returns the fate of an entity that was removed, if the client could see or retain it
// from a tick until its removal.
func (h *history) fateSince(e ecs.Entity, client entangle.ClientID, from entangle.Tick) (is fate, ended bool) {
	list := h.versions[e]
	first := max(0, firstAfter(list, from, versionTick)-1)
	for i := range list[first:] {
		v := &list[first+i]
		is := v.views[client]
		switch {
		case v.removed:
			return v.fate, true
		case !is.sees && !is.retained, is.retained && mayBeLost(list[first:first+i+1]):
			return despawned, false
		}
	}
	return despawned, false
}
