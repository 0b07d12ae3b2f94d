package receiver

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/order"
)

// patience is the number of ticks that a record may wait for an earlier one, and an entity for a
// group that takes it. After that the earlier one is not expected to arrive: actions are resent
// many times a second.
const patience = 256

// What happens to a record that can't be applied now:
//
//	event                               function           remembered           requested
//	an earlier record or a need is      hold               it, in the queue     no
//	missing
//	a newer update serves as well       Pool.Supersede     nothing              no
//	an update finds no room             evict, refuse      nothing              the group, if an action waits
//	                                                                            for other groups
//	a passable action finds no room     evict, refuse      its number           the group
//	                                    (PassLater)
//	its turn has come                   release            that it is passed    the group
//	an action starts from a tick that   hold, passOver     leavers and joins    the group
//	the replica can't reach
//	a difference does not fit           misfit             nothing              the group
//	it waits for longer than patience   findOverdue        it stays; the end    the group, once
//	                                                       of a group applies
//	others need each other in too       applyPlan          as passed over       the group
//	great numbers
//
// release applies what waited for a record that was applied, and applyPlans actions that need each other.

// hold keeps a record, with the current needs, until it can be applied.
func (r *replica) hold(g *group, rec *order.Record) error {
	start := r.bodies.in
	if err := r.bodies.skipRecord(rec); err != nil {
		return err
	}
	if rec.Kind == repl.Full {
		g.requested = false
	}
	since, replaced := r.waiting.Supersede(g.Queue, rec)
	r.stats.Replaced += uint64(replaced)
	switch {
	case rec.Kind == repl.Update:
		r.confirmed.NotApplied(rec.Group, rec.Tick)
		if g.Updates() >= order.MaxUpdates {
			r.evict(g, g.OldestUpdate())
		}
	case rec.Passable(r.needs):
		if g.Actions() >= order.MaxActions || rec.LongSeq-g.LongSeq > order.MaxActions {
			r.refuse(g, rec)
			return nil
		}
	case rec.Kind == repl.Gone && rec.LongSeq-g.LongSeq > order.MaxActions:
		r.bodies.in = start // some action before it may have been passed over without a note
		return r.apply(g, rec)
	case g.Actions() >= 2*order.MaxActions:
		return ErrNoRoom
	}
	r.waiting.Add(r.groups.queue(g), rec, r.needs, since, start, start.RemainingBits()-r.bodies.in.RemainingBits())
	r.stats.Waited++
	return nil
}

// evict drops a waiting record that there is no room to keep.
func (r *replica) evict(g *group, w *order.Waiting) {
	r.refuse(g, &w.Record)
	r.waiting.Drop(g.Queue, w)
}

// refuse notes a record that there is no room to keep. An update that waits for a missing action
// proves nothing to its sender, which sends the changes again once that action is acknowledged. An
// action that waits for other groups has been acknowledged, so that the updates behind it count as
// arrived: their group is requested in full. An action's place in the sequence is remembered, until
// all earlier ones have arrived.
func (r *replica) refuse(g *group, rec *order.Record) {
	r.stats.Overflow++
	switch {
	case rec.Kind != repl.Update:
		r.stats.Passed++
		g.PassLater(rec.LongSeq)
	case !g.HoldsNeeds():
		return
	}
	r.request(g)
}

// passOver passes over a waiting action that can't be applied. It keeps its place in the sequence: everything
// after it starts from a tick that the replica does not have either, until the requested full. That does not
// repeat the fates of its leavers, and the entities that it takes in may have ended meanwhile: so an action with
// either is kept for the full, as one that the replica is past though its tick is yet to come.
func (r *replica) passOver(g *group, w *order.Waiting) {
	r.request(g)
	if g.Known {
		g.Advance(w.LongSeq)
	}
	if r.waiting.SetNeeds(g.Queue, w, w.Needs[:0]); !g.Known || !w.Leaves && !w.Takes {
		r.waiting.Drop(g.Queue, w)
	}
}

// release applies the records of a group that waited and can be applied now: the newest of the
// updates, then the next action, and again. Actions that it can't reach are passed over, as are those that
// found no room when they arrived.
func (r *replica) release(h repl.Handle) error {
	for {
		g := r.groups.find(h) // looked up each time: its end may have been applied
		if g == nil {
			return nil
		}
		for g.NextPassed() {
			g.Advance(g.LongSeq + 1)
			r.request(g)
		}
		if len(g.Waiting) == 0 {
			return nil
		}
		r.waiting.DropIf(g.Queue, func(w *order.Waiting) bool { return g.Known && !g.Tick.Before(w.Tick) })
		w := r.next(g)
		if w == nil {
			return nil
		}
		if g.Judge(&w.Record) == order.Unreachable {
			r.passOver(g, w)
			continue
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
	if slices.Contains(g.Waiting, w) {
		r.waiting.Drop(g.Queue, w)
	}
	return err
}

// Ranks of waiting records: updates first, because an action may have one of them as its baseline.
const (
	rankNone = iota
	rankAction
	rankUpdate
)

// next returns the next waiting record that is applied or passed over, or nil.
func (r *replica) next(g *group) (best *order.Waiting) {
	rank := rankAction
	for _, w := range g.Waiting {
		of := r.rank(g, w)
		if of > rank || of == rank && (best == nil || best.Tick.Before(w.Tick)) {
			best, rank = w, of
		}
	}
	return best
}

func (r *replica) rank(g *group, w *order.Waiting) int {
	switch v := g.Judge(&w.Record); {
	case v == order.Unreachable:
		return rankAction
	case v != order.Apply:
		return rankNone
	case w.Kind == repl.Update:
		return rankUpdate
	}
	if r.waiting.SetNeeds(g.Queue, w, r.groups.Unmet(w.Needs)); len(w.Needs) > 0 {
		return rankNone
	}
	return rankAction
}

// findOverdue requests the overdue groups, each once until its full comes. The end of a group is applied
// instead: nothing more can be requested of it. A group of which nothing is known is on its way, or its full
// waits for a group that is. A call examines searchEffort groups at most, and the next call examines the
// others: the ticks of a hostile peer may jump, and each jump causes a search.
func (r *replica) findOverdue() error {
	if r.unseen == 0 {
		r.unseen, r.searched = len(r.waiting.Queues()), r.now
	}
	for range searchEffort {
		if r.unseen = min(r.unseen, len(r.waiting.Queues())); r.unseen == 0 {
			break
		}
		r.unseen--
		g := r.groups.find(r.waiting.Queues()[r.unseen].Group)
		if !g.Known || !g.WaitsLonger(r.now, patience) {
			continue
		}
		if end := g.EndBefore(r.now - patience); end != nil {
			if err := r.applyWaiting(g, end); err != nil {
				return err
			}
		} else if !g.requested {
			r.request(g)
		}
	}
	return nil
}
