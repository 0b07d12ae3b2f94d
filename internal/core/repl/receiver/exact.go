package receiver

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// A sender takes what arrived for held: it knows no better. Differences that start from
// there would come out wrong if this side went past it. So where values are sent as
// differences, updates that wait are applied one after the other, and of those that are
// dropped all the same it is noted how far the sender may be mistaken: what starts from
// there is not applied, and the group is asked for in full.

// astray is the ticks at which the sender may take something for held that is not: those
// after one that is held, up to the newest of an update that came and was not applied.
type astray struct {
	held, tick entangle.Tick
	some       bool
}

func (a *astray) note(held, tick entangle.Tick) {
	if !a.some {
		*a = astray{held, tick, true}
	}
	if a.tick.Before(tick) {
		a.tick = tick
	}
	if held.Before(a.held) {
		a.held = held
	}
}

// misses reports whether a base may be one that the sender takes for held.
func (a *astray) misses(base entangle.Tick) bool {
	return a.some && a.held.Before(base) && !a.tick.Before(base)
}

// dropped notes that an update is not applied, which was acknowledged.
func (r *Receiver) dropped(g *group, rec *record) {
	switch {
	case r.differ == nil || rec.Kind != repl.Update:
	case g == nil || !g.known:
		r.astray.note(rec.Tick-1, rec.Tick)
	case g.held.Before(rec.Tick):
		g.astray.note(g.held, rec.Tick)
	default: // the copy has just gone past it
		g.astray.note(g.before, rec.Tick)
	}
}

// comeTo puts a group's copy at a tick.
func (g *group) comeTo(tick entangle.Tick) { g.before, g.held = g.held, tick }

// start tells the sink where a record starts; g is nil for one that is skipped.
func (r *Receiver) start(g *group, rec *record) {
	if r.differ == nil {
		return
	}
	m := &r.moment
	*m = Moment{Tick: rec.Tick, Differs: rec.Kind == repl.Update && rec.Differs(rec.Tick), From: rec.From}
	if g != nil {
		m.Held, m.Known = g.held, g.known
	}
	r.differ.From(m)
}
