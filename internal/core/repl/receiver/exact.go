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

// astray is the newest tick of an update that came and was not held.
type astray struct {
	tick entangle.Tick
	some bool
}

func (a *astray) note(tick entangle.Tick) {
	if !a.some || a.tick.Before(tick) {
		a.tick, a.some = tick, true
	}
}

// misses reports whether a base may be one that the sender takes for held.
func (a *astray) misses(base entangle.Tick) bool { return a.some && !a.tick.Before(base) }

// dropped notes that an update is not held, which was acknowledged.
func (r *Receiver) dropped(g *group, rec *record) {
	if r.differ == nil || rec.Kind != repl.Update {
		return
	}
	if g == nil || !g.known {
		r.astray.note(rec.Tick)
	}
	if g != nil && g.known {
		g.astray.note(rec.Tick)
	}
}

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
