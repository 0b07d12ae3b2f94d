package source

import (
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/mlange-42/arche/ecs"
)

// TargetsOf returns the Targets resource of a world: its sets of clients. It adds the resource if the
// world has none.
func TargetsOf(w *ecs.World) *components.Targets {
	if t, ok := w.Resources().Get(ecs.ResourceID[components.Targets](w)).(*components.Targets); ok {
		return t
	}
	t := &components.Targets{}
	ecs.AddResource(w, t)
	return t
}

// heldTargets calls hold for each target that an entity or an override uses.
func (v *visibility) heldTargets(hold func(components.Target)) {
	marked := ecs.All(v.collector.marker)
	for query := v.collector.Arche.Query(&marked); query.Next(); {
		r := (*components.Replicate)(query.Get(v.collector.marker))
		hold(r.Target)
		hold(r.Predict)
		hold(r.Interpolate)
	}
	for _, target := range v.Assigned.targets {
		hold(target) // also of paused entities
	}
	for _, written := range v.collector.Hierarchy.Propagation.Slots.written { // of children that are paused with their parent
		hold(written.Target)
		hold(written.Predict)
		hold(written.Interpolate)
	}
	for _, former := range v.former.of {
		for _, above := range former.targets {
			hold(above.target)
		}
	}
	for i := range v.Predictions.Of {
		hold(v.Predictions.Of[i].target)
	}
	for i := range v.Interpolations.of {
		hold(v.Interpolations.of[i].target)
	}
	for i := range v.Overrides.list {
		hold(v.Overrides.list[i].requested)
		hold(v.Overrides.list[i].target) // also of paused entities
	}
}

// targetIndex holds the target of each entity.
type targetIndex struct {
	targets []components.Target          // by slot: the target in the entity's Replicate
	Rooms   refs.Chains[components.Room] // the slots of entities whose target is a room, by room
}

// setTarget records an entity's target.
func (t *targetIndex) setTarget(s repl.Slot, target components.Target) {
	if room, ok := t.targets[s].Room(); ok {
		t.Rooms.Remove(room, int32(s))
	}
	t.targets[s] = target
	if room, ok := target.Room(); ok {
		t.Rooms.Add(room, int32(s))
	}
}
