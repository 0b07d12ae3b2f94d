package systems

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/protocol"
)

// predictor is what a copy asks of the prediction of its world.
type predictor interface {
	// marks are the components that a predicted entity has in place of components.Remote.
	// The copy puts them on, and takes them off, in the step in which components come.
	marks() []ecs.ID
	// track returns the slot of an entity that has just got the marks, with room for it in
	// the store. It is the entity's as long as it lives and has them.
	track(e ecs.Entity) rollback.Slot
	// store is where the server's word is kept, in columns by the numbers of components.
	store() *rollback.Store
	// confirmed says that there is news of a slot in the store.
	confirmed(s rollback.Slot)
	// updated says that there are values of a slot in the store, as of a tick, and that it has
	// what it had. The tick is not in the store yet.
	updated(s rollback.Slot, tick entangle.Tick)
	// gone says that the server despawned an entity as of a tick. It stays in the world until
	// the prediction has come to that, and goes by Copy.Bury.
	gone(e ecs.Entity, s rollback.Slot, tick entangle.Tick)
	// untrack says that an entity is no longer predicted: it is as the server says, and the
	// marks are off.
	untrack(e ecs.Entity, s rollback.Slot)
	// stripped reports whether the game despawned an entity ahead of the server: nothing is
	// written to the world then.
	stripped(s rollback.Slot) bool
	// insertOnce says that a component of the mode Once has come, with a value and as a relation
	// a target, and removeOnce that one has gone. They count as always so. The copy writes them to
	// the world, unless the entity is stripped.
	insertOnce(s rollback.Slot, comp int, value []byte, target ecs.Entity)
	removeOnce(s rollback.Slot, comp int)
	// clear says that the connection ended, and that the copy has let go of all entities.
	clear()
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

// predictBy has the copy hand what the server says of predicted entities to a prediction.
// It comes before the first record. Without one, all entities are components.Remote.
func (c *Copy) predictBy(by predictor) {
	a := &c.ahead
	a.by, a.store, a.marks, a.gone = by, by.store(), by.marks(), map[ecs.Entity]rollback.Slot{}
	c.leaving.signs = append(c.leaving.signs, a.marks...)
}

// modeOf returns how a component of predicted entities follows the server. Of an input
// only its being there does; who controls an entity is nothing to predict.
func (c *Copy) modeOf(info *protocol.ComponentInfo) protocol.SyncMode {
	switch {
	case info.Input:
		return protocol.Once
	case info.Number == c.own.comp:
		return protocol.Simple
	}
	return info.Predict
}

// foresees reports whether what the server says of an entity goes to the store.
func (c *Copy) foresees(s repl.Slot) bool {
	return c.known[s].slot != 0 && c.world.Alive(c.entities[s].entity)
}

// said returns the memory of a component as the server said it, which is empty for a tag.
// It is not ok where the entity has none, or is gone.
func (c *Copy) said(s repl.Slot, comp int) (value []byte, ok bool) {
	e, at := c.entities[s].entity, c.known[s].slot
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
	if at := c.known[s].slot; at != 0 {
		return columns.UnpackEntity(c.ahead.store.Confirmed(at).Target)
	}
	return c.world.Relations().Get(c.entities[s].entity, c.comps[comp].id)
}
