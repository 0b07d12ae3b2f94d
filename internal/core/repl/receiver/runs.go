package receiver

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// maxSpawnRun bounds the entities of a run, and so the buffers for it. Messages hold fewer, unless
// their values are very short.
const maxSpawnRun = 1 << 10

// spawnRun applies the current usual full, before its values, and those that follow it, as far as their
// handles are free. It returns how many it applied; what it leaves is read as other records are.
func (a *actionReader) spawnRun(rec *repl.Record) (n int) {
	spawner, u := a.bodies.spawner, &a.usual
	if spawner == nil {
		return 0
	}
	a.bodies.refs = a.bodies.refs[:0]
	a.bodies.beginRecord(rec, 0, false)
	room := min(spawner.BeginSpawns(rec.Tick, &u.comps), a.bodies.Most()-a.groups.len(), maxSpawnRun)
	a.ids = a.ids[:0]
	id := repl.ID{Group: rec.Group, Generation: rec.Generation}
	for len(a.ids) < room && a.isFree(id, rec.Tick) {
		if !a.readSpawn(len(a.ids) == 0) {
			break
		}
		a.ids = append(a.ids, id)
		id.Group++
	}
	if len(a.ids) > 0 {
		a.addSpawned(rec.Tick)
	}
	return len(a.ids)
}

// isFree reports whether nothing is known of a group and of the entity that is born in it, and that the
// handle's last group ended before a tick. The first handle of a space follows no other.
func (a *actionReader) isFree(id repl.ID, tick entangle.Tick) bool {
	if id.Group%repl.Private == 0 || a.groups.find(id.Group) != nil || a.groups.endedBy(id.Group, tick) {
		return false
	}
	_, away := a.entities.away[id]
	return !away
}

// readSpawn reads the values of a usual full, and unless it is the first of the run, the bit before them.
// If they are malformed, or none follows, the reader stays where it was.
func (a *actionReader) readSpawn(first bool) (ok bool) {
	in := &a.bodies.in
	start := *in
	if (first || in.Bool()) && a.bodies.spawner.ReadSpawn(in, &a.bodies) == nil && in.Err() == nil {
		return true
	}
	*in = start
	return false
}

// addSpawned adds the groups of a run.
func (a *actionReader) addSpawned(tick entangle.Tick) {
	for _, id := range a.ids {
		a.bodies.outdate(id.Group, id.Generation)
	}
	a.groups.grow(len(a.ids))
	slots := a.bodies.spawner.CommitSpawns(a.ids)
	for i, id := range a.ids {
		g := a.groups.add(id.Group)
		a.groups.setKnown(g)
		g.tick, g.generation = tick, id.Generation
		g.members = append(g.members, member{slot: slots[i], id: id})
	}
	a.stats.Actions += uint64(len(a.ids))
}

// endRun applies the current usual end, and those that follow it, as far as they end groups of one
// entity without waiting records. It returns how many it applied.
func (a *actionReader) endRun(rec *repl.Record) (n int) {
	if a.bodies.despawner == nil {
		return 0
	}
	in, one := &a.bodies.in, *rec
	for a.slots = a.slots[:0]; one.Group%repl.Private != 0; one.Group++ {
		start := *in
		g := a.groups.find(one.Group)
		if n > 0 && !in.Bool() || g == nil || !a.endsAlone(g, &one) {
			*in = start
			break
		}
		m := &g.members[0]
		a.slots = append(a.slots, m.slot)
		delete(a.entities.away, m.id)
		a.groups.setEnded(g.handle, rec.Tick)
		a.groups.remove(g)
		n++
	}
	if n > 0 {
		a.bodies.despawner.DespawnRun(a.slots, rec.Tick)
		a.stats.Actions += uint64(n)
	}
	return n
}

// endsAlone reports whether an end applies now to a group of one entity, and nothing waits for it.
func (a *actionReader) endsAlone(g *group, rec *repl.Record) bool {
	return g.known && len(g.members) == 1 && len(g.waiting.all()) == 0 && g.judge(rec) == apply
}
