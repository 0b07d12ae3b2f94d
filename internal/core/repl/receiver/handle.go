package receiver

import (
	"errors"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// HandleActions applies an action message.
func (r *Receiver) HandleActions(message []byte) error {
	r.in.Reset(message)
	heads := repl.Heads{Tick: entangle.Tick(r.in.Bits(32))}
	if r.in.Err() != nil {
		return ErrMalformed
	}
	r.hear(heads.Tick)
	for {
		more, ok := heads.Read(&r.in, &r.rec.Record)
		if !ok {
			return ErrMalformed
		}
		if !more {
			break
		}
		if r.rec.Usual {
			if n := r.spawnRun(&r.rec); n > 0 {
				heads.Skip(n - 1)
				continue
			}
		}
		if err := r.handleAction(&r.rec); err != nil {
			return err
		}
	}
	if r.in.End() != nil {
		return ErrMalformed
	}
	return r.settle()
}

// handleAction handles the next record of an action message.
func (r *Receiver) handleAction(rec *record) error {
	if rec.Usual {
		return r.usualAction(rec)
	}
	r.noteUsual(rec)
	return r.action(rec)
}

// settle ends a call of HandleActions or HandleUpdates: it applies waiting records that depend on those
// that arrived, asks for groups again that have waited for too long, and finds the confirmed tick.
func (r *Receiver) settle() error {
	if len(r.needy.groups) > 0 {
		if err := r.look(); err != nil {
			return err
		}
	}
	if r.waiting.left > 0 || r.waiting.bytes > 0 && uint32(r.now-r.looked) > patience/4 {
		if err := r.overdue(); err != nil {
			return err
		}
	}
	if r.waiting.over() && !r.makeWay() {
		return ErrNoRoom
	}
	if r.adrift.head < len(r.adrift.queue) {
		r.abandon()
	}
	r.confirmed.Advance(&r.groups)
	return nil
}

func (r *Receiver) action(rec *record) error {
	if !r.readNeeds(rec) {
		return ErrMalformed
	}
	g := r.groups.get(rec.Group)
	if g == nil || !g.known {
		if r.stale(rec) {
			r.stats.Stale++
			return r.skip(rec)
		}
		if r.crowded(rec) {
			return ErrCrowded
		}
	}
	if g != nil {
		if err := r.renew(g, rec); err != nil {
			return err
		}
	}
	if g = r.groupFor(rec); g == nil {
		return ErrOverload // nothing would keep its place in the sequence
	}
	g.place(rec)
	return r.actionOf(g, rec)
}

func (r *Receiver) actionOf(g *group, rec *record) error {
	switch judge(&g.state, rec) {
	case apply:
		if r.needs = r.groups.Unmet(r.needs); len(r.needs) > 0 {
			return r.hold(g, rec)
		}
		if err := r.apply(g, rec); err != nil {
			return err
		}
		return r.release(rec.Group)
	case wait:
		r.needs = r.groups.Unmet(r.needs)
		return r.hold(g, rec)
	case lost:
		if err := r.lose(g, rec); err != nil {
			return err
		}
		return r.release(rec.Group)
	default:
		r.stats.Stale++
		return r.skip(rec)
	}
}

// readNeeds reads the needs of an action; an end has none.
func (r *Receiver) readNeeds(rec *record) (ok bool) {
	if r.needs = r.needs[:0]; rec.Kind == repl.Gone {
		return true
	}
	r.needs, ok = repl.ReadNeeds(&r.in, rec.Tick, r.needs)
	return ok
}

// renew ends a group when the first full of the next one under its handle has arrived. That is sent
// only after the end was delivered, so the end is among the waiting records.
func (r *Receiver) renew(g *group, rec *record) error {
	if rec.Kind != repl.Full || len(g.waits) == 0 || !g.known {
		return nil
	}
	for _, w := range g.waits {
		if w.rec.Kind == repl.Gone && w.rec.Tick.Before(rec.Tick) {
			return r.applyWaiting(g, w)
		}
	}
	return nil
}

// lose passes over an action that can't be applied. Its leavers are kept for the requested full,
// which does not repeat their fates, and so are the entities that it takes in, which may have ended
// meanwhile: those of as many actions as may wait.
func (r *Receiver) lose(g *group, rec *record) error {
	start := r.in
	if err := r.skip(rec); err != nil {
		return err
	}
	r.pass(g, rec)
	if rec.leaves || rec.takes {
		if g.waitingActions() >= 2*maxWaitingActions {
			return ErrNoRoom
		}
		r.needs = r.needs[:0]
		r.keep(g, rec, start, rec.Tick).lost = true
	}
	return nil
}

// pass skips an action that can't be applied. The action keeps its place in the sequence:
// everything after it starts from a tick that the replica does not have either, until the requested
// full.
func (r *Receiver) pass(g *group, rec *record) {
	r.ask(g)
	if g.known {
		g.advance(rec.at)
	}
}

// apply applies a record with met needs to the replica. The group may have ended after it.
func (r *Receiver) apply(g *group, rec *record) error {
	r.start(rec, g.held, g.known)
	w := walker{r: r, g: g, rec: rec}
	if rec.Kind != repl.Update {
		return w.applyAction()
	}
	begun := r.in
	err := w.applyUpdate()
	if err != nil && errors.Is(err, ErrBaseline) {
		r.misfit(g, rec)
		r.in = begun
		return r.skip(rec)
	}
	return err
}

// start passes a record's baseline and tick to the sink, and the tick of the group's replica, if it is
// known. It is not known for a skipped record.
func (r *Receiver) start(rec *record, held entangle.Tick, known bool) {
	if r.differ == nil {
		return
	}
	r.moment = Moment{
		Tick: rec.Tick, Differs: rec.Kind == repl.Update && rec.Differs(rec.Tick), From: rec.From, Held: held, Known: known,
	}
	r.differ.From(&r.moment)
}

// misfit notes an update that was not applied because its differences do not fit the values of the
// replica, and requests the group in full.
func (r *Receiver) misfit(g *group, rec *record) {
	r.stats.Misfits++
	r.confirmed.NotApplied(rec.Group, rec.Tick)
	r.ask(g)
}

// skip reads past the part of a record behind its needs.
func (r *Receiver) skip(rec *record) error {
	r.start(rec, 0, false)
	w := walker{r: r, rec: rec, skip: true}
	if rec.leaves, rec.takes = false, false; rec.Kind != repl.Update {
		return w.action()
	}
	if !r.readRefs() {
		return ErrMalformed
	}
	return w.update(r.in.Bool())
}

func (r *Receiver) applied(g *group, rec *record) {
	g.held = rec.Tick
	if rec.Kind == repl.Update {
		r.stats.Updates++
		return
	}
	r.stats.Actions++
	g.advance(rec.at)
	if rec.Kind == repl.Full {
		if !g.known {
			r.strangers--
		}
		g.known, g.asked = true, false
	}
}
