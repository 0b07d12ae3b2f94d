package receiver

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/order"
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
		r.stats.Replaced += uint64(r.waiting.Supersede(g.waiting, rec))
		if g.waiting.Updates() == order.MaxUpdates || !r.waiting.TakesUpdate(width) {
			if r.stats.Overflow++; !g.Known && len(g.waiting.All()) == 0 {
				r.groups.remove(g)
			}
			return nil
		}
	} else if len(g.waiting.All())-g.waiting.Updates() == maxActions {
		return ErrNoRoom
	}
	if g.waiting == nil {
		g.waiting = &order.Queue{}
	}
	r.waiting.Add(g.waiting, rec, start, width)
	r.stats.Waited++
	return nil
}

// release applies the records of a group that waited and can be applied now: the newest of the
// updates, then the next action, and again.
func (r *replica) release(h repl.Handle) error {
	for {
		g := r.groups.find(h) // looked up each time: its end may have been applied
		if g == nil || len(g.waiting.All()) == 0 {
			return nil
		}
		r.waiting.DropIf(g.waiting, func(w *order.Waiting) bool { return g.Judge(&w.Record) == order.Drop })
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
func (r *replica) applyWaiting(g *group, w *order.Waiting) error {
	in := r.bodies.in
	r.bodies.in.Reset(w.Body)
	err := r.apply(g, &w.Record)
	r.bodies.in = in
	r.waiting.DropIf(g.waiting, func(other *order.Waiting) bool { return other == w })
	return err
}

// next returns the waiting record that is applied next, or nil: the newest update, because an action may have it as its
// baseline, or else the oldest action.
func (g *group) next() (best *order.Waiting) {
	for _, w := range g.waiting.All() {
		if g.Judge(&w.Record) != order.Apply {
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
