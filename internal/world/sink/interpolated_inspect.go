package sink

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// WatchInterpolation makes the applier report what happens to interpolated entities, in its order. It is for
// tests and tools, and must be called before the first record.
func (a *Applier) WatchInterpolation(seen func(inspect.Interpolation)) { a.interpolation.seen = seen }

// tell reports what happens to an entity of which interpolated state is kept, if a test wants to know.
func (a *Applier) tell(s repl.Slot, what inspect.InterpolationChange, tick entangle.Tick) {
	if a.interpolation.seen != nil {
		a.report(s, what, tick)
	}
}

func (a *Applier) report(s repl.Slot, what inspect.InterpolationChange, tick entangle.Tick) {
	one := &a.interpolation.slots[a.Replicas.Info[s].snapshotSlot]
	a.interpolation.seen(inspect.Interpolation{
		Change: what, ID: inspect.MirrorID(a.Replicas.Info[s].ID), Entity: a.Replicas.entities[s].entity,
		Tick: tick, Every: one.every, Hidden: !one.shown, Predicted: a.Replicas.Info[s].storeSlot != 0,
	})
}
