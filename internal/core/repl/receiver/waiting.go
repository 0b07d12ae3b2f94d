package receiver

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// maxActions bounds the actions of one group that wait. A sender has at most repl.MaxActionsInFlight in flight, counted
// from the oldest that has not arrived.
const maxActions = 64

// hold keeps a record until it can be applied. An update for which there is no room is dropped: its sender knows that it
// may have had to wait (flight.Sent.Unproven), and sends the changes again.
func (r *replica) hold(g *group, rec *repl.Record) error {
	start := r.bodies.in
	if err := r.bodies.skipRecord(rec); err != nil {
		return err
	}
	width := start.RemainingBits() - r.bodies.in.RemainingBits()
	if rec.Kind == repl.Update {
		r.confirmed.NotApplied(rec.Group, rec.Tick)
		r.stats.Replaced += uint64(r.waiting.supersede(g.waiting, rec))
		if g.waiting.updates() == maxUpdates || !r.waiting.takesUpdate(width) {
			if r.stats.Overflow++; !g.known && len(g.waiting.all()) == 0 {
				r.groups.remove(g)
			}
			return nil
		}
	} else if len(g.waiting.all())-g.waiting.updates() == maxActions {
		return ErrNoRoom
	}
	if g.waiting == nil {
		g.waiting = &queue{}
	}
	r.waiting.add(g.waiting, rec, r.bodies.bare, start, width)
	r.stats.Waited++
	return nil
}

// release applies the records of a group that waited and can be applied now: the newest of the
// updates, then the next action, and again.
func (r *replica) release(h repl.Handle) error {
	for {
		g := r.groups.find(h) // looked up each time: its end may have been applied
		if g == nil || len(g.waiting.all()) == 0 {
			return nil
		}
		r.waiting.dropIf(g.waiting, func(w *waitingRecord) bool { return g.judge(&w.Record) == drop })
		w := g.next()
		if w == nil {
			return nil
		}
		if err := r.applyWaiting(g, w); err != nil {
			return err
		}
	}
}

// applyWaiting applies a waiting record. The group may have ended after it.
func (r *replica) applyWaiting(g *group, w *waitingRecord) error {
	in := r.bodies.in
	r.bodies.in.Reset(w.body)
	if r.bodies.bare = nil; w.bare {
		r.bodies.bare = &w.comps
	}
	err := r.apply(g, &w.Record)
	r.bodies.in, r.bodies.bare = in, nil
	r.waiting.dropIf(g.waiting, func(other *waitingRecord) bool { return other == w })
	return err
}

// next returns the waiting record that is applied next, or nil: the newest update, because an action may have it as its
// baseline, or else the oldest action.
func (g *group) next() (best *waitingRecord) {
	for _, w := range g.waiting.all() {
		if g.judge(&w.Record) != apply {
			continue
		}
		switch update := w.Kind == repl.Update; {
		case best == nil, update && best.Kind != repl.Update:
			best = w
		case update == (best.Kind == repl.Update) && best.Tick.Before(w.Tick) == update:
			best = w
		}
	}
	return best
}
