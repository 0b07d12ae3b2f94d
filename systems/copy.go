package systems

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Copy is the way from the receiver into an Arche world. What belongs to one
// group at one tick is first decoded beside the world and then written in one go,
// so that nobody meets half of it: an entity gets all its components in one step,
// with their values in place before any listener hears of it.
type Copy struct {
	world  *ecs.World
	writer *columns.Writer
	comps  []copied
	remote ecs.ID

	entities []placed // by slot
	free     []repl.Slot
	slots    map[ecs.Entity]repl.Slot

	stage    stage
	updates  repl.Mask // components of the update at hand
	updating []*copied // the same
	refs     refReader

	onSpawned, onDespawned func(ecs.Entity)
}

// copied is one registered component in this world.
type copied struct {
	number int
	id     ecs.ID
	cells  columns.Cells
	plan   *protocol.Plan
	events *ComponentEvents
	value  []byte // one value: what an update at hand may have to put back
}

// placed is one entity of the copy.
type placed struct {
	entity ecs.Entity
	id     repl.ID
	mask   repl.Mask // what the sender says it has
	tick   entangle.Tick
	used   bool
	fresh  bool // not yet in any state that was committed
}

// NewCopy returns a copy without entities in w. Its events go to the hub; entities
// that appear and vanish are told to the two functions.
func NewCopy(w *ecs.World, hub *Hub, infos []*protocol.ComponentInfo, onSpawned, onDespawned func(ecs.Entity)) *Copy {
	c := &Copy{
		world: w, writer: columns.NewWriter(w),
		remote: ecs.ComponentID[components.Remote](w),
		slots:  map[ecs.Entity]repl.Slot{},

		onSpawned: onSpawned, onDespawned: onDespawned,
	}
	for _, info := range infos {
		id := ecs.TypeID(w, info.Type)
		c.comps = append(c.comps, copied{
			number: len(c.comps), id: id, cells: c.writer.Cells(id), plan: info.Plan, events: hub.AddComponent(info.Type),
			value: make([]byte, info.Plan.Size()),
		})
	}
	c.refs.copy = c
	c.stage.fill = c.fill
	return c
}

// Clear removes every entity of the copy from the world.
func (c *Copy) Clear() {
	for s := range c.entities {
		if c.entities[s].used {
			c.remove(repl.Slot(s))
		}
	}
}

// ID returns the sender's id of an entity, and whether it is one of the copy.
func (c *Copy) ID(e ecs.Entity) (repl.ID, bool) {
	s, ok := c.slots[e]
	if !ok {
		return repl.ID{}, false
	}
	return c.entities[s].id, true
}

// Entity returns the entity of a slot, the zero entity for repl.NoSlot.
func (c *Copy) Entity(s repl.Slot) ecs.Entity {
	if s == repl.NoSlot {
		return ecs.Entity{}
	}
	return c.entities[s].entity
}

// Tick returns the sender's tick of which an entity last heard.
func (c *Copy) Tick(e ecs.Entity) (entangle.Tick, bool) {
	s, ok := c.slots[e]
	if !ok {
		return 0, false
	}
	return c.entities[s].tick, true
}

// Len returns the number of entities.
func (c *Copy) Len() int { return len(c.slots) }

func (c *Copy) place(id repl.ID) repl.Slot {
	e := placed{entity: c.world.NewEntity(), id: id, used: true, fresh: true}
	var s repl.Slot
	if n := len(c.free); n > 0 {
		s, c.free = c.free[n-1], c.free[:n-1]
		c.entities[s] = e
	} else {
		s = repl.Slot(len(c.entities))
		c.entities = append(c.entities, e)
	}
	c.slots[e.entity] = s
	return s
}

// remove takes an entity out of the copy and out of the world, unless the game
// did that already.
func (c *Copy) remove(s repl.Slot) {
	e := c.entities[s].entity
	delete(c.slots, e)
	c.entities[s] = placed{}
	c.free = append(c.free, s)
	if c.world.Alive(e) {
		c.writer.Remove(e)
	}
	c.onDespawned(e)
}

// refReader turns the indexes in a component into entities.
type refReader struct {
	copy *Copy
	refs receiver.Refs
}

// At implements protocol.RefReader.
func (r *refReader) At(index uint32) (ecs.Entity, bool) {
	s, ok := r.refs.At(index)
	return r.copy.Entity(s), ok
}

// Skip implements receiver.Sink.
func (c *Copy) Skip(r *bits.Reader, comp int) error {
	return c.comps[comp].plan.Decode(r, c.comps[comp].value, noRefs{})
}

// noRefs knows every index, as no entity.
type noRefs struct{}

// At implements protocol.RefReader.
func (noRefs) At(uint32) (ecs.Entity, bool) { return ecs.Entity{}, true }

var _ receiver.Sink = (*Copy)(nil)
