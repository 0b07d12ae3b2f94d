package receiver

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// release applies the records of a group that waited and can be applied now: the newest of the
// updates, then the next action, and again. Lost ones are passed over.
func (r *Receiver) release(h repl.Handle) error {
	for {
		g := r.groups.get(h) // looked up each time: its end may have been applied
		if g == nil || len(g.waits) == 0 && g.passed == 0 {
			return nil
		}
		r.skipPassed(g)
		r.dropStale(g)
		w := r.ready(g, rankLost)
		if w == nil {
			return nil
		}
		if judge(&g.state, &w.rec) == lost {
			r.giveUp(g, w)
			continue
		}
		if err := r.applyWaiting(g, w); err != nil {
			return err
		}
	}
}

// applyWaiting applies a waiting record. The group may have ended after it.
func (r *Receiver) applyWaiting(g *group, w *waiting) error {
	in := r.in
	r.in.Reset(w.body)
	err := r.apply(g, &w.rec)
	r.in = in
	if i := slices.Index(g.waits, w); i >= 0 {
		r.waiting.dropWaiting(g, i)
	}
	return err
}

// skipPassed advances over actions that found no room when they arrived.
func (r *Receiver) skipPassed(g *group) {
	if !g.known {
		return
	}
	for g.passed&1 != 0 {
		g.advance(g.at + 1)
		r.ask(g)
	}
}

// Ranks of waiting records: updates first, because an action may have one of them as its baseline.
const (
	rankNone = iota
	rankLost
	rankAction
	rankUpdate
)

// ready returns the next waiting record, of a rank or above, or nil.
func (r *Receiver) ready(g *group, least int) *waiting {
	var best *waiting
	rank := least
	for _, w := range g.waits {
		of := r.rank(g, w)
		if of > rank || of == rank && (best == nil || best.rec.Tick.Before(w.rec.Tick)) {
			best, rank = w, of
		}
	}
	return best
}

func (r *Receiver) rank(g *group, w *waiting) int {
	switch v := judge(&g.state, &w.rec); {
	case v == lost:
		return rankLost
	case v != apply:
		return rankNone
	case w.rec.Kind == repl.Update:
		return rankUpdate
	}
	if w.needs = r.groups.Unmet(w.needs); len(w.needs) > 0 {
		return rankNone
	}
	return rankAction
}

func (r *Receiver) dropStale(g *group) {
	for i := len(g.waits) - 1; i >= 0; i-- {
		if w := g.waits[i]; judge(&g.state, &w.rec) == drop && !(w.lost && g.held.Before(w.rec.Tick)) {
			r.waiting.dropWaiting(g, i)
		}
	}
}
