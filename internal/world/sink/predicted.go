package sink

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/mlange-42/arche/ecs"
)

// predictor is what a copy asks of the prediction of its world.
type predictor interface {
	// Marks are the components that a predicted entity has in place of components.Remote.
	// The copy puts them on, and takes them off, in the step in which components come.
	Marks() []ecs.ID
	// Track returns the slot of an entity that has just got the marks, with room for it in
	// the store. It is the entity's as long as it lives and has them.
	Track(e ecs.Entity) rollback.Slot
	// Store is where the server's word is kept, in columns by the numbers of components.
	Store() *rollback.Store
	// Confirmed says that there is news of a slot in the store.
	Confirmed(s rollback.Slot)
	// Updated says that there are values of a slot in the store, as of a tick, and that it has
	// what it had. The tick is not in the store yet.
	Updated(s rollback.Slot, tick entangle.Tick)
	// Gone says that the server despawned an entity as of a tick. It stays in the world until
	// the prediction has come to that, and goes by Copy.Bury.
	Gone(e ecs.Entity, s rollback.Slot, tick entangle.Tick)
	// Untrack says that an entity is no longer predicted: it is as the server says, and the
	// marks are off.
	Untrack(e ecs.Entity, s rollback.Slot)
	// Stripped reports whether the game despawned an entity ahead of the server: nothing is
	// written to the world then.
	Stripped(s rollback.Slot) bool
	// InsertOnce says that a component of the mode Once has come, with a value and as a relation
	// a target, and removeOnce that one has gone. They count as always so. The copy writes them to
	// the world, unless the entity is stripped.
	InsertOnce(s rollback.Slot, comp int, value []byte, target ecs.Entity)
	RemoveOnce(s rollback.Slot, comp int)
	// Clear says that the connection ended, and that the copy has let go of all entities.
	Clear()
}

// ahead is what a copy knows of the entities that are predicted. What the server says of
// them goes to columns of the store, and of that into the world at once only what is not
// for the prediction to restore.
type ahead struct {
	by    predictor // nil: nothing is predicted in this world
	store *rollback.Store
	marks []ecs.ID
	count int // entities that are predicted

	said  []foretold    // of the record at hand
	shown []stagedValue // of the member at hand: what goes into the world at once

	gone map[ecs.Entity]rollback.Slot // despawned by the server, and not buried
}

// foretold is that an entity is predicted from a record on, or is not.
type foretold struct {
	slot repl.Slot
	on   bool
}

// PredictBy has the copy hand what the server says of predicted entities to a prediction.
// It comes before the first record. Without one, all entities are components.Remote.
func (c *Copy) PredictBy(by predictor) {
	a := &c.ahead
	a.by, a.store, a.marks, a.gone = by, by.Store(), by.Marks(), map[ecs.Entity]rollback.Slot{}
	c.leaving.signs = append(c.leaving.signs, a.marks...)
}

// modeOf returns how a component of predicted entities follows the server. Of an input
// only its being there does; who controls an entity is nothing to predict.
func (c *Copy) modeOf(info *registry.Component) registry.SyncMode {
	switch {
	case info.Input:
		return registry.Once
	case info.Number == c.own.comp:
		return registry.Simple
	}
	return info.Predict
}

// foresees reports whether what the server says of an entity goes to the store.
func (c *Copy) foresees(s repl.Slot) bool {
	return c.Known[s].slot != 0 && c.world.Alive(c.entities[s].entity)
}

// said returns the memory of a component as the server said it, which is empty for a tag.
// It is not ok where the entity has none, or is gone.
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

// saidTarget returns the target of the relation that an entity has, as the server said it.
func (c *Copy) saidTarget(s repl.Slot, comp int) ecs.Entity {
	if at := c.Known[s].slot; at != 0 {
		return columns.UnpackEntity(c.ahead.store.Confirmed(at).Target)
	}
	return c.world.Relations().Get(c.entities[s].entity, c.comps[comp].id)
}
