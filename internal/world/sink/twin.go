package sink

import (
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
)

// twins manages the confirmed twins of predicted entities.
type twins struct {
	on    bool
	of    ecs.ID // components.ConfirmedOf
	ids   []ecs.ID
	leads ecs.Entity // the predicted entity of the current twin
	fill  func(ecs.Entity)
}

// KeepTwins makes the copy keep a confirmed twin of every entity that is predicted from now on.
func (c *Copy) KeepTwins() {
	t := &c.twins
	t.on, t.of = true, ecs.ComponentID[components.ConfirmedOf](c.world)
	t.ids, t.fill = []ecs.ID{c.remote, t.of}, c.lead
}

// lead sets the reference from the current twin to its predicted entity.
func (c *Copy) lead(twin ecs.Entity) {
	c.writer.Sign(twin, c.remote)
	(*components.ConfirmedOf)(c.world.Get(twin, c.twins.of)).Entity = c.twins.leads
}

// Twin returns the confirmed twin of a predicted entity.
func (c *Copy) Twin(e ecs.Entity) (ecs.Entity, bool) {
	s, ok := c.Slots[e]
	if !ok || !c.world.Alive(c.Known[s].twin) {
		return ecs.Entity{}, false
	}
	return c.Known[s].twin, true
}

func (c *Copy) spawnTwin(s repl.Slot) {
	if c.twins.on {
		c.twins.leads = c.entities[s].entity
		c.Known[s].twin = c.writer.Spawn(c.twins.ids, c.twins.fill)
	}
}

// removeTwin removes a twin from the world, unless the game did that already.
func (c *Copy) removeTwin(s repl.Slot) {
	if twin := c.Known[s].twin; c.world.Alive(twin) {
		c.writer.Remove(twin)
	}
	c.Known[s].twin = ecs.Entity{}
}

// writeTwin writes one member to its twin, which has all components of the confirmed state.
func (c *Copy) writeTwin(twin ecs.Entity, m *stagedMember, values []stagedValue) {
	if c.world.Alive(twin) {
		c.stage.add, c.stage.remove = c.stage.add[:0], c.stage.remove[:0]
		c.change(twin, m, values)
	}
}

// updateTwin copies the values of the current update to a twin, for the components that it has.
func (c *Copy) updateTwin(s repl.Slot) {
	for _, comp := range c.choices.now.comps {
		c.renewTwin(s, comp)
	}
}

// renewTwin copies one value to a twin.
func (c *Copy) renewTwin(s repl.Slot, comp *copied) {
	k := &c.Known[s]
	if !c.world.Alive(k.twin) {
		return
	}
	if place := comp.cells.At(k.twin); place != nil {
		copy(comp.cells.Bytes(place), c.ahead.store.ConfirmedValue(k.slot, comp.number))
	}
}

// aimTwin sets the relation target of a twin.
func (c *Copy) aimTwin(s repl.Slot, comp *copied, to ecs.Entity) {
	if twin := c.Known[s].twin; c.world.Alive(twin) && c.world.Has(twin, comp.id) {
		c.aim(twin, comp.id, to)
	}
}
