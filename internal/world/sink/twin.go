package sink

import (
	"slices"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
)

// twins manages the confirmed twins of predicted entities.
type twins struct {
	on        bool
	of        ecs.ID // components.ConfirmedOf
	ids       []ecs.ID
	predicted ecs.Entity // the predicted entity of the current twin
	fill      func(ecs.Entity)
}

// KeepTwins makes the applier keep a confirmed twin of every entity that is predicted from now on.
func (a *Applier) KeepTwins() {
	t := &a.twins
	t.on, t.of = true, ecs.ComponentID[components.ConfirmedOf](a.world)
	t.ids, t.fill = []ecs.ID{a.remote, t.of}, a.linkTwin
}

// linkTwin sets the reference from the current twin to its predicted entity.
func (a *Applier) linkTwin(twin ecs.Entity) {
	a.writer.Sign(twin, a.remote)
	(*components.ConfirmedOf)(a.world.Get(twin, a.twins.of)).Entity = a.twins.predicted
}

// Twin returns the confirmed twin of a predicted entity.
func (a *Applier) Twin(e ecs.Entity) (ecs.Entity, bool) {
	s, ok := a.Replicas.Slot(e)
	if !ok || !a.world.Alive(a.Replicas.Info[s].twin) {
		return ecs.Entity{}, false
	}
	return a.Replicas.Info[s].twin, true
}

func (a *Applier) spawnTwin(s repl.Slot) {
	if a.twins.on {
		a.twins.predicted = a.Replicas.entities[s].entity
		a.Replicas.Info[s].twin = a.writer.Spawn(a.twins.ids, a.twins.fill)
	}
}

// removeTwin removes a twin from the world, unless the game did that already.
func (a *Applier) removeTwin(s repl.Slot) {
	if twin := a.Replicas.Info[s].twin; a.world.Alive(twin) {
		a.writer.Remove(twin)
	}
	a.Replicas.Info[s].twin = ecs.Entity{}
}

// writeTwin writes one member to its twin, which has all components of the confirmed state.
func (a *Applier) writeTwin(twin ecs.Entity, m *stagedMember, values []stagedValue) {
	if a.world.Alive(twin) {
		a.stage.add, a.stage.remove = a.stage.add[:0], a.stage.remove[:0]
		if a.interpolation.comp >= 0 {
			values = slices.DeleteFunc(slices.Clone(values), func(v stagedValue) bool { return v.comp == a.interpolation.comp })
		}
		a.changeEntity(twin, m, values)
	}
}

// updateTwin copies the values of the current update to a twin, as far as the twin has the
// components.
func (a *Applier) updateTwin(s repl.Slot) {
	for _, comp := range a.sets.now.comps {
		a.copyToTwin(s, comp)
	}
}

// copyToTwin copies one value to a twin.
func (a *Applier) copyToTwin(s repl.Slot, comp *component) {
	k := &a.Replicas.Info[s]
	if !a.world.Alive(k.twin) {
		return
	}
	if place := comp.cells.At(k.twin); place != nil {
		copy(comp.cells.Bytes(place), a.prediction.store.ConfirmedValue(k.storeSlot, comp.number))
	}
}

// setTwinTarget sets the relation target of a twin.
func (a *Applier) setTwinTarget(s repl.Slot, comp *component, to ecs.Entity) {
	if twin := a.Replicas.Info[s].twin; a.world.Alive(twin) && a.world.Has(twin, comp.id) {
		a.setTarget(twin, comp.id, to)
	}
}
