package sink

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/core/snapshot"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
)

// replicas are the entities that the applier created and that the server updates.
type replicas struct {
	entities []replica     // by slot
	Info     []replicaInfo // by slot
	free     []repl.Slot
	slots    slotIndex
	Spawns   uint64
	Losses   uint64        // entities that are no longer replicas
	LastLoss entangle.Tick // tick of the record that removed the last of them
	most     int           // limit on entities at a time
	orphans  orphans       // entities that were replicas
}

// replica is the data of an entity that an update needs. It is kept small, because with many
// entities an update spends its time waiting for this memory.
type replica struct {
	entity ecs.Entity
	tick   entangle.Tick
	holds  uint32 // bits of the component sets that the entity is known to have in full
	waits  uint16 // references that wait for their entity
	used   bool
	fresh  bool // the entity is not committed yet
}

// replicaInfo is the rest of the data of an entity.
type replicaInfo struct {
	ID   repl.ID
	mask set.Mask // its components on the server

	targeted bool // it is or was the target of a relation
	referred bool // a component refers or referred to it

	predictOnSpawn bool          // it is predicted once it has its components
	storeSlot      rollback.Slot // its slot in the store of confirmed state; 0: it is not predicted
	snapshotSlot   snapshot.Slot // its slot among the interpolated entities; 0: it is not interpolated
	twin           ecs.Entity
	// confirmedTarget is the relation target of a predicted or interpolated entity under which
	// relations.holdersOf has it; zero: it is not there.
	confirmedTarget ecs.Entity
}

// ID returns the network id of an entity, and whether the entity is a replica.
func (r *replicas) ID(e ecs.Entity) (repl.ID, bool) {
	s, ok := r.Slot(e)
	if !ok {
		return repl.ID{}, false
	}
	return r.Info[s].ID, true
}

// Entity returns the entity of a slot, or the zero entity for repl.NoSlot.
func (r *replicas) Entity(s repl.Slot) ecs.Entity {
	if s == repl.NoSlot {
		return ecs.Entity{}
	}
	return r.entities[s].entity
}

// Tick returns the server's tick of the newest state that an entity has received.
func (r *replicas) Tick(e ecs.Entity) (entangle.Tick, bool) {
	s, ok := r.Slot(e)
	if !ok {
		return 0, false
	}
	return r.entities[s].tick, true
}

// Len returns the number of entities, without orphaned ones.
func (r *replicas) Len() int { return r.slots.n }

// addEntity makes a new entity a replica.
func (r *replicas) addEntity(e ecs.Entity, id repl.ID) (s repl.Slot) {
	one, info := replica{entity: e, used: true, fresh: true}, replicaInfo{ID: id}
	if n := len(r.free); n > 0 {
		s, r.free = r.free[n-1], r.free[:n-1]
		r.entities[s], r.Info[s] = one, info
	} else {
		s = repl.Slot(len(r.entities))
		r.entities = append(r.entities, one)
		r.Info = append(r.Info, info)
	}
	r.setSlot(e, s)
	r.Spawns++
	return s
}

// grow makes room for n more entities.
func (r *replicas) grow(n int) {
	r.entities, r.Info, r.slots.byID = slices.Grow(r.entities, n), slices.Grow(r.Info, n), slices.Grow(r.slots.byID, n)
}

// removeSlot removes an entity, as of the tick of a record, and frees its slot.
func (r *replicas) removeSlot(s repl.Slot, tick entangle.Tick) ecs.Entity {
	e := r.entities[s].entity
	r.clearSlot(e, s)
	r.Losses++
	r.LastLoss = tick
	r.entities[s], r.Info[s] = replica{}, replicaInfo{}
	r.free = append(r.free, s)
	return e
}

// markReferred marks an entity as referred to.
func (r *replicas) markReferred(s repl.Slot) {
	if s != repl.NoSlot {
		r.Info[s].referred = true
	}
}

// slotIndex finds slots by entity. Ids of entities are dense in a world, and an index is much cheaper than a
// map for a lookup, and when many entities appear at once.
type slotIndex struct {
	byID []repl.Slot // by id in the world: the slot plus 1, or 0
	// older holds replicas that the game has removed, if another one has got the id since.
	older map[ecs.Entity]repl.Slot
	n     int
}

// Slot returns the slot of an entity, and whether the entity is a replica.
func (r *replicas) Slot(e ecs.Entity) (s repl.Slot, ok bool) {
	x := &r.slots
	if at := int(e.ID()); at < len(x.byID) && x.byID[at] != 0 {
		if s = x.byID[at] - 1; r.entities[s].entity == e {
			return s, true
		}
	}
	s, ok = x.older[e]
	return s, ok
}

func (r *replicas) setSlot(e ecs.Entity, s repl.Slot) {
	x, at := &r.slots, int(e.ID())
	if missing := at + 1 - len(x.byID); missing > 0 {
		x.byID = append(x.byID, make([]repl.Slot, missing)...)
	}
	if x.byID[at] != 0 {
		if x.older == nil {
			x.older = map[ecs.Entity]repl.Slot{}
		}
		older := x.byID[at] - 1
		x.older[r.entities[older].entity] = older
	}
	x.byID[at] = s + 1
	x.n++
}

func (r *replicas) clearSlot(e ecs.Entity, s repl.Slot) {
	x := &r.slots
	if at := e.ID(); x.byID[at] == s+1 {
		x.byID[at] = 0
	} else {
		delete(x.older, e)
	}
	x.n--
}
