package sink

import (
	"reflect"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/mlange-42/arche/ecs"
)

// EntityPredictor is the interface of the applier to the prediction of its world, predict.Prediction.
type EntityPredictor interface {
	// Marks returns the components that a predicted entity has in place of components.Remote. The
	// applier adds and removes them in the same step in which components change.
	Marks() []ecs.ID
	// Track returns the slot of an entity that has just got the marks, with space for it in the
	// store. The slot belongs to the entity as long as it lives and has the marks.
	Track(e ecs.Entity) rollback.Slot
	// Store returns the store of the confirmed state, with columns by component number.
	Store() *rollback.Store
	// Confirmed reports that the confirmed state of a slot has changed.
	Confirmed(s rollback.Slot)
	// Updated reports that the store has new values of a slot as of a tick, with the same
	// components as before. The tick is not in the store yet.
	Updated(s rollback.Slot, tick entangle.Tick)
	// MatchPrespawned returns the entity that the game has spawned ahead of the server and that has
	// the hash of an entity of the server, as of a tick. It has the marks and a slot.
	MatchPrespawned(hash uint32, tick entangle.Tick) (e ecs.Entity, ok bool)
	// PrespawnedArrived reports that an entity with such a hash was added, because there was none.
	PrespawnedArrived(e ecs.Entity, s rollback.Slot, hash uint32, tick entangle.Tick)
	// Gone reports that the server despawned an entity as of a tick. The entity stays in the world
	// until the prediction has reached that tick and removes it with Applier.RemoveDespawned.
	Gone(e ecs.Entity, s rollback.Slot, tick entangle.Tick)
	// Untrack reports that an entity is no longer predicted: it has the confirmed state, and the
	// marks are removed.
	Untrack(e ecs.Entity, s rollback.Slot)
	// IsDisabled reports whether the game despawned an entity ahead of the server. Nothing is
	// written to the world then.
	IsDisabled(s rollback.Slot) bool
	// InsertOnce reports that a component of mode Once was added, with its value and, for a
	// relation, its target. RemoveOnce reports that one was removed. Both apply to all ticks of the
	// history. The applier writes the change to the world, unless the components are disabled.
	InsertOnce(s rollback.Slot, comp int, value []byte, target ecs.Entity)
	RemoveOnce(s rollback.Slot, comp int)
	// Clear reports that the connection ended and that the applier has released all entities.
	Clear()
}

// prediction holds the state of predicted entities. Their confirmed state goes to columns of the
// store. Only components that the prediction does not restore go into the world at once.
type prediction struct {
	by    EntityPredictor // nil: nothing is predicted in this world
	store *rollback.Store
	marks []ecs.ID
	count int // number of predicted entities

	changes []predictionChange // in the current record
	shown   []stagedValue      // values of the current member that go into the world at once

	gone map[ecs.Entity]rollback.Slot // despawned by the server, and not yet removed from the world

	postponed []postponedEvents // by slot
	last      lastConfirmed
}

// predictionChange says whether an entity is predicted from a record on.
type predictionChange struct {
	slot repl.Slot
	on   bool
}

// PredictBy makes the applier pass the confirmed state of predicted entities to a predictor. It must
// be called before the first record. Without a predictor, every replica has components.Remote.
func (a *Applier) PredictBy(by EntityPredictor) {
	p := &a.prediction
	p.by, p.store, p.marks, p.gone = by, by.Store(), by.Marks(), map[ecs.Entity]rollback.Slot{}
	a.persistence.marks = append(a.persistence.marks, p.marks...)
}

// modeOf returns how a component of predicted entities follows the server. Of an input, only its
// presence follows. components.ControlledBy is never predicted.
func (a *Applier) modeOf(info *registry.Component) registry.SyncMode {
	switch {
	case info.Input:
		return registry.Once
	case info.Number == a.owned.comp:
		return registry.Simple
	case info.Type == reflect.TypeFor[components.Interpolated]():
		return registry.None
	case info.Type == reflect.TypeFor[components.Prespawned]():
		return registry.Once
	}
	return info.Predict
}

// interpolatedModeOf returns how a component of interpolated entities follows the server. Of an input, only
// its presence follows.
func interpolatedModeOf(info *registry.Component) registry.SyncMode {
	if info.Input {
		return registry.Once
	}
	return info.Interpolate
}

// isPredicted reports whether the confirmed state of an entity goes to the store.
func (a *Applier) isPredicted(s repl.Slot) bool {
	return a.Replicas.Info[s].storeSlot != 0 && a.world.Alive(a.Replicas.entities[s].entity)
}

// confirmedValue returns the confirmed value of a component as memory, which is empty for a tag. ok
// is false if the entity does not have the component, or is gone.
func (a *Applier) confirmedValue(s repl.Slot, comp int) (value []byte, ok bool) {
	e, at := a.Replicas.entities[s].entity, a.Replicas.Info[s].storeSlot
	switch {
	case !a.world.Alive(e):
		return nil, false
	case at != 0:
		return a.prediction.store.ConfirmedValue(at, comp), a.prediction.store.Confirmed(at).Mask.Has(comp)
	case a.isInterpolated(s):
		at := a.Replicas.Info[s].snapshotSlot
		return a.interpolation.confirmed.value(at, comp), a.interpolation.slots[at].has.Has(comp)
	}
	return a.writer.Bytes(e, a.comps[comp].id), a.world.Has(e, a.comps[comp].id)
}

// confirmedTarget returns the confirmed target of the relation of an entity.
func (a *Applier) confirmedTarget(s repl.Slot, comp int) ecs.Entity {
	if at := a.Replicas.Info[s].storeSlot; at != 0 {
		return columns.UnpackEntity(a.prediction.store.Confirmed(at).Target)
	}
	if at := a.Replicas.Info[s].snapshotSlot; at != 0 {
		return a.Replicas.Info[s].confirmedTarget
	}
	return a.world.Relations().Get(a.Replicas.entities[s].entity, a.comps[comp].id)
}
