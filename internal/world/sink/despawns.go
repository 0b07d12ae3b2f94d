package sink

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
)

var _ receiver.Despawner = (*Applier)(nil)

// DespawnRun implements receiver.Despawner. Predicted entities and the targets of relations are removed
// one by one, because their removal changes other entities.
func (a *Applier) DespawnRun(slots []repl.Slot, tick entangle.Tick) {
	a.Begin(tick, tick)
	for _, s := range slots {
		if a.Replicas.Info[s].targeted || a.Replicas.Info[s].storeSlot != 0 || a.isInterpolated(s) {
			a.Begin(tick, tick)
			a.Despawn(s)
			a.Commit()
		} else if !a.archetypes.exceeded {
			a.recordDeparture(s)
			a.Forget(s)
		}
	}
	a.awaitTargets()
	a.raiseResolved()
}
