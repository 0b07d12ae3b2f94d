package sink

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

var _ receiver.Spawner = (*Applier)(nil)

// spawnRun is a run of new entities with the same components. Their values are in stage.buf.
type spawnRun struct {
	now      *spawnSet
	list     []*spawnSet // the first maxSets sets that occurred
	entities []ecs.Entity
	slots    []repl.Slot
}

// spawnSet is a set of components that new entities have.
type spawnSet struct {
	set       set.Mask
	archetype archetype
	comps     []*component
	batch     *columns.Batch // nil: entities with the set are spawned one by one
}

// Reserve implements receiver.Spawner.
func (a *Applier) Reserve(n int) { a.Replicas.grow(n) }

// BeginSpawns implements receiver.Spawner. Entities with a relation have archetypes of their own, and an
// entity with an owner may be tagged, so that they are spawned one by one.
func (a *Applier) BeginSpawns(tick entangle.Tick, comps *set.Mask) (room int) {
	run := &a.spawning
	if run.now == nil || run.now.set != *comps {
		run.now = a.spawnSetOf(comps)
	}
	if run.now.batch == nil || !a.archetypes.allow(run.now.archetype) {
		return 0
	}
	if holders := comps.And(a.refs.departed.comps); a.interpolation.hidden > 0 && !holders.IsZero() {
		return 0 // a reference to an entity that is not shown yet waits, see hideReferences
	}
	a.Begin(tick, tick)
	return a.Replicas.most - a.counted()
}

func (a *Applier) spawnSetOf(mask *set.Mask) *spawnSet {
	run := &a.spawning
	if i := slices.IndexFunc(run.list, func(s *spawnSet) bool { return s.set == *mask }); i >= 0 {
		return run.list[i]
	}
	s := a.newSpawnSet(mask)
	if len(run.list) < maxSets {
		run.list = append(run.list, s)
	}
	return s
}

func (a *Applier) newSpawnSet(mask *set.Mask) *spawnSet {
	s := &spawnSet{set: *mask}
	if a.owned.affectedBy(mask) || a.interpolation.comp >= 0 && mask.Has(a.interpolation.comp) {
		return s
	}
	var ids []ecs.ID
	var sizes []int
	for comp := range mask.All() {
		c := &a.comps[comp]
		if c.relation {
			return s
		}
		s.comps, ids, sizes = append(s.comps, c), append(ids, c.id), append(sizes, c.plan.Size())
	}
	s.archetype.mask = ecs.All(append([]ecs.ID{a.remote}, ids...)...)
	s.batch = a.writer.NewBatch(a.remote, ids, sizes)
	return s
}

// ReadSpawn implements receiver.Spawner.
func (a *Applier) ReadSpawn(r *bits.Reader, table receiver.Refs) error {
	now, s := a.spawning.now, &a.stage
	at := s.reserve(now.batch.Stride())
	for i, comp := range now.comps {
		if err := a.decodeInto(now.batch.Cell(s.buf[at:], i), r, refs.LateHolder{Comp: comp.number}, table); err != nil {
			s.buf = s.buf[:at]
			return err
		}
	}
	return nil
}

// CommitSpawns implements receiver.Spawner. All entities of the run exist before the events of the first
// one are raised; the events come in the order of the entities.
func (a *Applier) CommitSpawns(ids []repl.ID) []repl.Slot {
	run, values := &a.spawning, a.stage.buf
	run.entities = slices.Grow(run.entities[:0], len(ids))[:len(ids)]
	run.now.batch.Spawn(run.entities, values)
	a.Reserve(len(ids))
	run.slots = run.slots[:0]
	for i, e := range run.entities {
		s := a.Replicas.addEntity(e, ids[i])
		a.Replicas.entities[s].tick = a.stage.tick
		a.recordSpawned(s, values[i*run.now.batch.Stride():])
		run.slots = append(run.slots, s)
		if len(a.refs.departed.byID) > 0 {
			a.noteReturn(s)
		}
	}
	a.interpolation.late.atOnce = true
	for _, s := range run.slots {
		a.showFormerEnd(s)
	}
	for _, s := range run.slots {
		a.raiseSpawned(s)
	}
	return run.slots
}

// recordSpawned adds the values of a new entity to the history.
func (a *Applier) recordSpawned(s repl.Slot, values []byte) {
	now := a.spawning.now
	if a.diffs.history.Deltas.IsZero() {
		return
	}
	for i, comp := range now.comps {
		a.diffs.recordValue(s, comp.number, now.batch.Cell(values, i), true)
	}
}

// raiseSpawned sets the references that waited for a new entity, and raises its events, unless a listener
// has removed it.
func (a *Applier) raiseSpawned(s repl.Slot) {
	a.resolveWaiting(s)
	e := a.Replicas.entities[s].entity
	a.Replicas.entities[s].fresh, a.Replicas.Info[s].mask = false, a.spawning.now.set
	if a.world.Alive(e) {
		a.on.spawned(e)
		for _, comp := range a.spawning.now.comps {
			comp.events.Inserted(e)
		}
	}
	a.raiseResolved()
}
