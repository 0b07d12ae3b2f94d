package sink

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// reuser is called when network ids are reused.
type reuser interface {
	// Reuse reports that a network id belongs to its present entity since a tick: values from
	// before that tick refer to a despawned entity. ReuseGroup is Reuse for all ids of a group.
	Reuse(id repl.ID, since entangle.Tick)
	ReuseGroup(h repl.Handle, since entangle.Tick)
}

// Copy is the set of replicas in the Arche world of a client. It applies the records of the
// receiver to that world. All data of one group at one tick is decoded into a buffer first and then
// written at once, so that no system or listener sees a partial group: an entity gets all its
// components in one step, and their values are in place before any listener is called.
//
// An orphaned entity stays in the world as it is. It then belongs to the game: Len, ID, Tick and
// Mirror leave it out. It is still removed when the connection that created it ends, unless it is
// marked components.Persistent.
type Copy struct {
	world  *ecs.World
	writer *columns.Writer
	comps  []copied
	remote ecs.ID
	signed columns.Cells // of remote

	entities []placed // by slot
	Known    []known  // by slot
	free     []repl.Slot
	Slots    map[ecs.Entity]repl.Slot
	letGo    []ecs.Entity
	sweepAt  int // length of letGo at which entities that the game removed are dropped from it
	Spawns   uint64
	Losses   uint64        // entities that left the copy
	Lost     entangle.Tick // tick of the record that removed the last of them
	most     int           // limit on entities at a time
	shapes   shapes

	leaving leaving
	stage   stage
	choices choices
	run     updateRun
	refs    refReader
	late    refs.Late
	related source.Related
	left    left
	past    refs.Past
	taught  taught
	moment  receiver.Moment // of the current record, if there are differences
	own     ownership
	ahead   ahead
	twins   twins
	last    lastWords

	Resources reuser // nil: no resource refers to entities of the copy

	onSpawned, onDespawned func(ecs.Entity)
}

// copied is one registered component in this world.
type copied struct {
	number int
	id     ecs.ID
	cells  columns.Cells
	plan   *wire.Plan
	events *event.ComponentEvents
	value  []byte // one value: the old one, which a failed update restores

	relation bool
	input    bool              // only its presence is sent
	mode     registry.SyncMode // on predicted entities
}

// placed is the data of an entity that an update needs. It is kept small, because with many
// entities an update spends its time waiting for this memory.
type placed struct {
	entity ecs.Entity
	tick   entangle.Tick
	holds  uint32 // bits of the choices of which the entity is known to have all components
	waits  uint16 // references that wait for their entity
	used   bool
	fresh  bool // not committed yet
}

// known is the rest of the data of an entity.
type known struct {
	ID   repl.ID
	mask repl.Mask // its components on the server

	aimed    bool // it is or was the target of a relation
	referred bool // a component refers or referred to it

	promised bool          // it is predicted once it has its components
	slot     rollback.Slot // in the store, which holds its confirmed state; 0: that is in the world
	twin     ecs.Entity
}

// NewCopy returns a copy without entities in w. Its events go to the hub. The two functions are
// called for each entity that spawns or despawns.
func NewCopy(w *ecs.World, hub *event.Hub, infos []*registry.Component, onSpawned, onDespawned func(ecs.Entity)) *Copy {
	writer, remote := columns.NewWriter(w), ecs.ComponentID[components.Remote](w)
	c := &Copy{
		world: w, writer: writer,
		remote: remote, signed: writer.Cells(remote),
		Slots: map[ecs.Entity]repl.Slot{}, most: DefaultMaxEntities, shapes: shapes{known: map[shape]struct{}{}},
		late: refs.NewLate(), leaving: newLeaving(w, remote), past: source.NewHistory(infos), own: newOwn(w, infos),

		onSpawned: onSpawned, onDespawned: onDespawned,
	}
	for _, info := range infos {
		id := ecs.TypeID(w, info.Type)
		c.comps = append(c.comps, copied{
			number: len(c.comps), id: id, cells: c.writer.Cells(id), plan: info.Plan, events: hub.AddComponent(info.Type),
			value: make([]byte, info.Plan.Size()), relation: info.Relation, input: info.Input, mode: c.modeOf(info),
		})
		if info.Relation {
			c.related.Comps.Set(info.Number)
		}
		if info.Plan.HasRefs() {
			c.left.comps.Set(info.Number)
		}
	}
	c.taught = newTaught(&c.past)
	c.refs.copy = c
	c.stage.fill = c.fill
	return c
}

// ID returns the network id of an entity, and whether the entity belongs to the copy.
func (c *Copy) ID(e ecs.Entity) (repl.ID, bool) {
	s, ok := c.Slots[e]
	if !ok {
		return repl.ID{}, false
	}
	return c.Known[s].ID, true
}

// Entity returns the entity of a slot, or the zero entity for repl.NoSlot.
func (c *Copy) Entity(s repl.Slot) ecs.Entity {
	if s == repl.NoSlot {
		return ecs.Entity{}
	}
	return c.entities[s].entity
}

// Tick returns the server's tick of the newest state that an entity has received.
func (c *Copy) Tick(e ecs.Entity) (entangle.Tick, bool) {
	s, ok := c.Slots[e]
	if !ok {
		return 0, false
	}
	return c.entities[s].tick, true
}

// Len returns the number of entities, without orphaned ones.
func (c *Copy) Len() int { return len(c.Slots) }

func (c *Copy) place(id repl.ID) repl.Slot {
	e := placed{entity: c.world.NewEntity(), used: true, fresh: true}
	var s repl.Slot
	if n := len(c.free); n > 0 {
		s, c.free = c.free[n-1], c.free[:n-1]
	} else {
		s = repl.Slot(len(c.entities))
		c.entities, c.Known = append(c.entities, placed{}), append(c.Known, known{})
	}
	c.entities[s], c.Known[s] = e, known{ID: id}
	c.Slots[e.entity] = s
	c.Spawns++
	return s
}

// forget removes an entity from the copy and frees its slot.
func (c *Copy) forget(s repl.Slot) ecs.Entity {
	e := &c.entities[s]
	if e.waits > 0 {
		c.late.ForgetAll(s, &c.Known[s].mask)
	}
	c.past.Forget(s)
	c.letAhead(s)
	entity := e.entity
	delete(c.Slots, entity)
	c.Losses++
	c.Lost = c.stage.tick
	c.entities[s], c.Known[s] = placed{}, known{}
	c.free = append(c.free, s)
	return entity
}

// Forget removes an entity from the copy and from the world.
func (c *Copy) Forget(s repl.Slot) { c.vanish(c.forget(s)) }

// vanish removes an entity from the world, unless the game did that already.
func (c *Copy) vanish(e ecs.Entity) {
	if c.world.Alive(e) {
		c.writer.Remove(e)
	}
	c.onDespawned(e)
}

// release orphans an entity: it belongs to the game until the connection ends.
func (c *Copy) release(s repl.Slot) {
	if len(c.letGo) >= c.sweepAt {
		c.forgetRemoved()
		c.sweepAt = 2*len(c.letGo) + 64
	}
	if c.foresees(s) {
		c.demote(s)
	}
	c.letGo = append(c.letGo, c.forget(s))
}

// refReader turns the indexes in a component into entities.
type refReader struct {
	copy *Copy
	refs receiver.Refs
	late []repl.ID // by placeholder: ids in the current component that have no entity yet
}

// At implements wire.RefReader.
func (r *refReader) At(index uint32) (ecs.Entity, bool) {
	to, ok := r.refs.At(index)
	if !to.Late {
		r.copy.refer(to.Slot)
		return r.copy.Entity(to.Slot), ok
	}
	if len(r.late) == refs.MaxLate {
		r.copy.late.Dropped++
		return ecs.Entity{}, ok
	}
	r.late = append(r.late, to.ID)
	return wire.Placeholder(uint32(len(r.late) - 1)), ok
}

// Skip implements receiver.Sink.
func (c *Copy) Skip(r *bits.Reader, comp int) error {
	if c.differs(comp) {
		return c.skipDifference(r, comp)
	}
	if err := c.comps[comp].plan.Decode(r, c.comps[comp].value, NoRefs{}); err != nil || !c.comps[comp].relation {
		return err
	}
	wire.DecodeTarget(r, NoRefs{})
	return r.Err()
}

// NoRefs resolves every index to the zero entity.
type NoRefs struct{}

// At implements wire.RefReader.
func (NoRefs) At(uint32) (ecs.Entity, bool) { return ecs.Entity{}, true }

var _ receiver.Sink = (*Copy)(nil)
