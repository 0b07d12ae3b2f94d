package receiver

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Spawner is a Sink that takes the usual fulls of many new groups, which are of one entity with the same
// components each, in three steps. The entities are then created at once, with all their components.
// The benchmark case spawn/run-1000-client takes six times as long without it.
type Spawner interface {
	Sink
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

// maxSpawnRun bounds the entities of a run, and so the buffers for it. Messages hold fewer, unless
// their values are very short.
const maxSpawnRun = 256

// spawnRun applies the usual full at hand, before its values, and those that follow it, as far as their
// handles are free. It returns how many it applied; what it leaves is read as other records are.
func (r *Receiver) spawnRun(rec *record) (n int) {
	u := &r.usuals
	if r.spawner == nil || !u.ok || rec.Kind != repl.Full || r.strangers >= maxStrangers {
		return 0
	}
	r.refs = r.refs[:0]
	r.start(rec, 0, false)
	room := min(r.spawner.BeginSpawns(rec.Tick, &u.set), maxSpawnRun)
	if r.bounded != nil {
		room = min(room, r.bounded.Most()-r.Len())
	}
	r.spawned = r.spawned[:0]
	id := repl.ID{Group: rec.Group, Generation: rec.Generation}
	for len(r.spawned) < room && r.isFree(id, rec.Tick) {
		if !r.readSpawn(len(r.spawned) == 0) {
			break
		}
		r.spawned = append(r.spawned, id)
		id.Group++
	}
	if len(r.spawned) > 0 {
		r.addSpawned(rec.Tick)
	}
	return len(r.spawned)
}

// isFree reports whether nothing is known of a group and of the entity that is born in it, and that the
// handle's last group ended before a tick. The first handle of a space follows no other.
func (r *Receiver) isFree(id repl.ID, tick entangle.Tick) bool {
	if id.Group%repl.Private == 0 || r.groups.get(id.Group) != nil {
		return false
	}
	if ended, ok := r.groups.ended(id.Group); ok && !ended.Before(tick) {
		return false
	}
	_, away := r.away[id]
	return !away
}

// readSpawn reads the values of a usual full, and unless it is the first of the run, the bit before them.
// If they are malformed, or none follows, the reader stays where it was.
func (r *Receiver) readSpawn(first bool) (ok bool) {
	begun := r.in
	if (first || r.in.Bool()) && r.spawner.ReadSpawn(&r.in, r) == nil && r.in.Err() == nil {
		return true
	}
	r.in = begun
	return false
}

// addSpawned adds the groups of a run.
func (r *Receiver) addSpawned(tick entangle.Tick) {
	for _, id := range r.spawned {
		r.outdate(id.Group, id.Generation)
	}
	r.growSpare(len(r.spawned))
	slots := r.spawner.CommitSpawns(r.spawned)
	for i, id := range r.spawned {
		g := r.fresh()
		g.handle, g.generation = id.Group, id.Generation
		g.newest = newest{at: firstAt, tick: tick}
		g.state = state{known: true, at: firstAt, held: tick}
		g.members = append(g.members, member{slot: slots[i], id: id})
		r.groups.put(g)
	}
	r.stats.Actions += uint64(len(r.spawned))
}

// growSpare makes n groups of one member ready for use, in two pieces of memory.
func (r *Receiver) growSpare(n int) {
	missing := n - len(r.spare)
	if missing <= 0 {
		return
	}
	groups, members := make([]group, missing), make([]member, missing)
	for i := range groups {
		groups[i].members = members[i : i : i+1]
		r.spare = append(r.spare, &groups[i])
	}
}
