package sink

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/mlange-42/arche/ecs"
)

// predictor is the interface of the copy to the prediction of its world.
type predictor interface {
	// Marks returns the components that a predicted entity has in place of components.Remote. The
	// copy adds and removes them in the same step in which components change.
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
	// Gone reports that the server despawned an entity as of a tick. The entity stays in the world
	// until the prediction has reached that tick and removes it with Copy.Bury.
	Gone(e ecs.Entity, s rollback.Slot, tick entangle.Tick)
	// Untrack reports that an entity is no longer predicted: it has the confirmed state, and the
	// marks are removed.
	Untrack(e ecs.Entity, s rollback.Slot)
	// IsDisabled reports whether the game despawned an entity ahead of the server. Nothing is written
	// to the world then.
	IsDisabled(s rollback.Slot) bool
	// InsertOnce reports that a component of mode Once was added, with its value and, for a
	// relation, its target. RemoveOnce reports that one was removed. Both apply to all ticks of the
	// history. The copy writes the change to the world, unless the components are disabled.
	InsertOnce(s rollback.Slot, comp int, value []byte, target ecs.Entity)
	RemoveOnce(s rollback.Slot, comp int)
	// Clear reports that the connection ended and that the copy has released all entities.
	Clear()
}

// ahead holds the state of predicted entities. Their confirmed state goes to columns of the store.
// Only components that the prediction does not restore go into the world at once.
type ahead struct {
	by    predictor // nil: nothing is predicted in this world
	store *rollback.Store
	marks []ecs.ID
	count int // number of predicted entities

	said  []foretold    // in the current record
	shown []stagedValue // values of the current member that go into the world at once

	gone map[ecs.Entity]rollback.Slot // despawned by the server, and not yet removed from the world
}

// foretold says whether an entity is predicted from a record on.
type foretold struct {
	slot repl.Slot
	on   bool
}

// PredictBy makes the copy pass the confirmed state of predicted entities to a prediction. It must
// be called before the first record. Without a prediction, all entities are components.Remote.
func (c *Copy) PredictBy(by predictor) {
	a := &c.ahead
	a.by, a.store, a.marks, a.gone = by, by.Store(), by.Marks(), map[ecs.Entity]rollback.Slot{}
	c.leaving.signs = append(c.leaving.signs, a.marks...)
}

// modeOf returns how a component of predicted entities follows the server. Of an input, only its
// presence follows. components.ControlledBy is never predicted.
func (c *Copy) modeOf(info *registry.Component) registry.SyncMode {
	switch {
	case info.Input:
		return registry.Once
	case info.Number == c.own.comp:
		return registry.Simple
	}
	return info.Predict
}

// foresees reports whether the confirmed state of an entity goes to the store.
func (c *Copy) foresees(s repl.Slot) bool {
	return c.Known[s].slot != 0 && c.world.Alive(c.entities[s].entity)
}

// said returns the confirmed value of a component as memory, which is empty for a tag. ok is false
// if the entity does not have the component, or is gone.
func (c *Copy) said(s repl.Slot, comp int) (value []byte, ok bool) {
	e, at := c.entities[s].entity, c.Known[s].slot
	switch {
	case !c.world.Alive(e):
		return nil, false
	case at != 0:
		return c.ahead.store.ConfirmedValue(at, comp), c.ahead.store.Confirmed(at).Mask.Has(comp)
	}
	return c.writer.Bytes(e, c.comps[comp].id), c.world.Has(e, c.comps[comp].id)
}

// saidTarget returns the confirmed target of the relation of an entity.
func (c *Copy) saidTarget(s repl.Slot, comp int) ecs.Entity {
	if at := c.Known[s].slot; at != 0 {
		return columns.UnpackEntity(c.ahead.store.Confirmed(at).Target)
	}
	return c.world.Relations().Get(c.entities[s].entity, c.comps[comp].id)
}
