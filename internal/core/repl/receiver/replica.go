package receiver

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/confirm"
)

// replica applies the records of groups in their order, and keeps those that can't be applied yet.
type replica struct {
	groups    table
	entities  entities
	bodies    applier
	waiting   pool
	confirmed confirm.Ticks
	stats     *Stats
}

func (r *replica) init(sink Sink, comps int) {
	r.waiting.limit = DefaultWaitingBytes
	r.entities.groups = &r.groups
	r.stats = &Stats{}
	r.bodies = applier{sinks: newSinks(sink), sets: repl.NewSets(comps), groups: &r.groups, entities: &r.entities}
}

// finish ends a call of HandleActions or HandleUpdates: it finds the confirmed tick.
func (r *replica) finish() error {
	r.confirmed.Advance(&r.groups)
	return r.checkRoom()
}

// checkRoom fails if more waits than may.
func (r *replica) checkRoom() error {
	if r.waiting.isOver() {
		return ErrNoRoom
	}
	return nil
}

// despawnAbandoned despawns the entities that left a group to move to another, and that no other has taken.
func (r *replica) despawnAbandoned(tick entangle.Tick) {
	e := &r.entities
	for _, id := range e.transit {
		if p, ok := e.away[id]; ok && p.g == nil {
			e.leave(id, p)
			r.bodies.Begin(tick, tick)
			r.bodies.Despawn(p.slot)
			r.bodies.Commit()
			r.stats.Abandoned++
		}
	}
	e.transit = e.transit[:0]
}

// apply applies a record to the replica. The group may have ended after it.
func (r *replica) apply(g *group, rec *repl.Record) error {
	if err := r.bodies.apply(g, rec); err != nil {
		return err
	}
	if g.tick = rec.Tick; rec.Kind == repl.Update {
		r.stats.Updates++
		return nil
	}
	r.stats.Actions++
	switch rec.Kind {
	case repl.Full:
		r.groups.setKnown(g)
	case repl.Gone:
		r.end(g, rec.Tick)
	}
	return nil
}

// end ends a group without members. What waits for it is older: a handle is reused when every peer has acknowledged the
// end.
func (r *replica) end(g *group, tick entangle.Tick) {
	r.groups.setEnded(g.handle, tick)
	r.waiting.dropIf(g.waiting, func(*waitingRecord) bool { return true })
	r.groups.remove(g)
}

// handle decides about a record of a group, and then applies what has waited for it.
func (r *replica) handle(g *group, rec *repl.Record) error {
	switch g.judge(rec) {
	case drop:
		return r.skipStale(rec)
	case wait:
		return r.hold(g, rec)
	}
	if err := r.apply(g, rec); err != nil {
		return err
	}
	return r.release(rec.Group)
}

// skipStale skips a record that the replica is past, or of a group that is no more.
func (r *replica) skipStale(rec *repl.Record) error {
	r.stats.Stale++
	return r.bodies.skipRecord(rec)
}
