package receiver

import (
	"errors"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// ErrBaseline is returned by a Differ for a difference that does not fit the replica: its
// baseline is unknown, or it leads to an impossible value. No sender writes such a difference.
var ErrBaseline = errors.New("receiver: a difference from a value that is not held")

// Sink is the world of the replica. All calls between Begin and Commit belong to one group at one
// tick: the game must not see the group in between, and Discard must leave the world as it was at
// Begin.
type Sink interface {
	// before is the tick of the group's replica until then: what its members have now they had at that tick, too. For a new
	// replica it is tick.
	Begin(tick, before entangle.Tick)
	// Spawn makes a new entity without components. It has no values yet, but references may already
	// point at it. All entities that a record adds exist before the first value of that record is
	// read.
	Spawn(id repl.ID) repl.Slot
	// Member selects the entity of the following calls. whole: it will have exactly the components
	// that are named now.
	Member(slot repl.Slot, whole bool)
	// Predict states whether an entity is predicted by this peer from the tick of the record on. It may
	// repeat what holds already. It is called when all entities of the record exist and before its first
	// value is read. A new entity is not predicted; when a predicted entity is removed, Predict is not
	// called.
	Predict(slot repl.Slot, on bool)
	// Remove removes a component; a missing one is no error.
	Remove(comp int)
	// Insert reads the value of a component, which is added if it is missing.
	Insert(r *bits.Reader, comp int, refs Refs) error
	// Update reads the value of a component that must be there.
	Update(r *bits.Reader, comp int, refs Refs) error
	Despawn(slot repl.Slot)
	// Orphan orphans an entity: no more records of it will come, and it stays as it is.
	Orphan(slot repl.Slot)
	Commit()
	Discard()

	// The others may be called at any time.

	// Skip reads past a value.
	Skip(r *bits.Reader, comp int) error
	// Outdate says that a handle has reached a generation: entities with ids of older ones have ended,
	// and will not arrive. References to them need not wait.
	Outdate(h repl.Handle, to repl.Generation)
	// Most returns how many entities the sink holds at a time. The receiver also takes in no more groups
	// than that, because some may have no members.
	Most() int
	// AtLimit reports whether the limit is reached: Spawn is not called then.
	AtLimit() bool
}

// Updater is a Sink that takes the updates of many entities in one call, which saves the separate calls
// for most records: benchmark case receive/pose.
type Updater interface {
	Sink
	// UpdateBlock does, for one slot after the other, what Begin, Member, Update of each component in
	// the set, by rising number, and Commit do. It returns how many updates it applied, at least one
	// without an error. The error is that of the record behind these, for which it leaves the world
	// alone, and before which it leaves r. before are the ticks for Begin, one for each slot.
	UpdateBlock(slots []repl.Slot, before []entangle.Tick, tick entangle.Tick, comps *set.Mask, r *bits.Reader, refs Refs) (n int, err error)
}

// Spawner is a Sink that takes the usual fulls of many new groups, which are of one entity with the same
// components each, in three steps. The entities are then created at once, with all their components.
// The benchmark case spawn/run-1000-client takes six times as long without it.
type Spawner interface {
	Sink
	// Reserve prepares for n entities.
	Reserve(n int)
	// BeginSpawns returns how many entities with these components it takes now. If that is 0, they
	// are to be spawned one by one.
	BeginSpawns(tick entangle.Tick, comps *set.Mask) (room int)
	// ReadSpawn reads the values of one more entity, by rising component number. The world stays as
	// it is, and after an error the entity does not count.
	ReadSpawn(r *bits.Reader, refs Refs) error
	// CommitSpawns does, for each entity that was read, what Begin, Spawn, Member, Insert of each
	// component, and Commit do. It returns their slots, valid until the next call.
	CommitSpawns(ids []repl.ID) []repl.Slot
}

// Despawner is a Sink that takes the ends of many groups of one entity in one call. The benchmark case
// despawn/1000-client takes 1.8 times as long without it.
type Despawner interface {
	Sink
	// DespawnRun does, for one slot after the other, what Begin, Despawn and Commit do.
	DespawnRun(slots []repl.Slot, tick entangle.Tick)
}

// Differ is a Sink of components with differences in their updates: from the value when the replica of
// the group was at the baseline.
type Differ interface {
	Sink
	// Deltas returns those components.
	Deltas() set.Mask
	// From sets the moment of all calls until the next From. It begins a record, or several of a block,
	// as Updater.UpdateBlock applies them.
	From(m *Moment)
}

// Moment is the baseline and the tick of a record.
type Moment struct {
	Tick entangle.Tick
	// Differs: values of Deltas are differences.
	Differs bool
	repl.From
	// ReplicaTick is the tick of the group before the record; Known: there is a replica.
	ReplicaTick entangle.Tick
	Known       bool
}

// Refs resolves the references of a body.
type Refs interface {
	// At returns the target of an index in the body. It is not ok for an index that is not in the
	// body's table.
	At(index uint32) (to Target, ok bool)
}

// Target is the target of a reference.
type Target struct {
	// Slot is the entity's, or repl.NoSlot for index 0 and for an entity that this
	// side does not have.
	Slot repl.Slot
	// Late: the entity has not arrived yet. If it does, Spawn is called with ID.
	Late bool
	ID   repl.ID
}

// sinks is the sink and the interfaces that it implements; those that it does not are nil.
type sinks struct {
	Sink
	updater   Updater
	spawner   Spawner
	despawner Despawner
	differ    Differ // nil also if no component is sent as differences
}

func newSinks(sink Sink) (s sinks) {
	s.Sink = sink
	s.updater, _ = sink.(Updater)
	s.spawner, _ = sink.(Spawner)
	s.despawner, _ = sink.(Despawner)
	if differ, ok := sink.(Differ); ok {
		if deltas := differ.Deltas(); !deltas.IsZero() {
			s.differ = differ
		}
	}
	return s
}

// outdate ends the waits for entities with older generations of a handle.
func (s *sinks) outdate(h repl.Handle, to repl.Generation) {
	if to > 0 {
		s.Outdate(h, to)
	}
}
