package receiver

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// verdict is what becomes of a record that arrived.
type verdict uint8

const (
	apply verdict = iota
	wait
	drop
	lost // the copy can't be brought to where the record starts
)

// HandleUpdates takes an updates frame of a packet that was sent at tick.
func (r *Receiver) HandleUpdates(tick entangle.Tick, frame []byte) error {
	r.in.Reset(frame)
	return r.handle(&repl.Heads{Tick: tick, Updates: true})
}

// HandleActions takes an action message.
func (r *Receiver) HandleActions(message []byte) error {
	r.in.Reset(message)
	return r.handle(&repl.Heads{Tick: entangle.Tick(r.in.Bits(32))})
}

func (r *Receiver) handle(heads *repl.Heads) error {
	for {
		more, ok := heads.Read(&r.in, &r.rec)
		if !ok {
			return ErrMalformed
		}
		if !more {
			break
		}
		if err := r.record(&r.rec); err != nil {
			return err
		}
	}
	if r.in.End() != nil {
		return ErrMalformed
	}
	return nil
}

func (r *Receiver) record(rec *repl.Record) error {
	g := r.find(rec)
	if g == nil {
		return r.overflow(rec)
	}
	switch judge(g, rec) {
	case apply:
		if err := r.apply(g, rec); err != nil {
			return err
		}
		return r.release(g)
	case wait:
		return r.hold(g, rec)
	case lost:
		if err := r.skip(rec); err != nil {
			return err
		}
		r.pass(g, rec)
		return r.release(g)
	default:
		r.stats.Stale++
		return r.skip(rec)
	}
}

// overflow drops an update for which there is no room. It was acknowledged, so
// its sender may build on it: the next record that does will have the group
// asked for in full. An action can't be dropped: nothing would keep its place in
// the group's sequence.
func (r *Receiver) overflow(rec *repl.Record) error {
	if rec.Kind != repl.Update {
		return ErrOverload
	}
	r.stats.Overflow++
	return r.skip(rec)
}

// judge decides by the group's sequence and tick alone. What an update needs is
// that every action before it was applied, and that the copy is not older than
// its base: it holds all that changed since.
func judge(g *group, rec *repl.Record) verdict {
	if !g.known {
		if rec.Kind == repl.Full {
			return apply
		}
		return wait
	}
	ahead := rec.Seq.Ahead(g.seq)
	switch {
	case !g.held.Before(rec.Tick):
		return drop
	case rec.Kind == repl.Full:
		return later(ahead > 0, apply, drop)
	case rec.Kind == repl.Update && ahead == 0, rec.Kind != repl.Update && ahead == 1:
		return later(rec.Kind == repl.Gone || !g.held.Before(rec.Base), apply, lost)
	case ahead > 0:
		return wait
	}
	return drop
}

func later(ok bool, yes, no verdict) verdict {
	if ok {
		return yes
	}
	return no
}

// pass goes on without a record that can't be applied. An action keeps its place
// in the sequence all the same: everything after it starts from a tick that the
// copy does not have either, up to the full that is asked for.
func (r *Receiver) pass(g *group, rec *repl.Record) {
	r.ask(g)
	if rec.Kind != repl.Update {
		g.seq = rec.Seq
	}
}

// skip reads past a record's body.
func (r *Receiver) skip(rec *repl.Record) error {
	if !rec.Kind.HasBody() {
		return nil
	}
	if !r.readRefs() {
		return ErrMalformed
	}
	w := walker{r: r, rec: rec, skip: true}
	return w.body(r.in.Bool())
}

// apply makes the copy what the record says.
func (r *Receiver) apply(g *group, rec *repl.Record) error {
	if rec.Kind == repl.Gone {
		r.stats.Actions++
		r.end(g, rec.Tick)
		return nil
	}
	if !r.readRefs() {
		return ErrMalformed
	}
	r.reading = g.handle
	alone := r.in.Bool()
	if alone && rec.Kind == repl.Update && r.updater != nil {
		return r.update(g, rec)
	}
	w := walker{r: r, g: g, rec: rec, had: len(g.members)}
	r.sink.Begin(rec.Tick)
	if err := w.body(alone); err != nil {
		r.sink.Discard()
		g.members = g.members[:w.had]
		return err
	}
	w.finish()
	r.sink.Commit()
	r.applied(g, rec)
	r.arrived(g)
	return nil
}

// update is apply for what most records are, the values of a group of one.
func (r *Receiver) update(g *group, rec *repl.Record) error {
	m := g.member(0)
	if !r.sets.Read(&r.in, &r.set) || m == nil {
		return ErrMalformed
	}
	if err := r.updater.UpdateAll(m.slot, rec.Tick, &r.set, &r.in, r); err != nil {
		return err
	}
	r.applied(g, rec)
	return nil
}

func (r *Receiver) applied(g *group, rec *repl.Record) {
	g.held = rec.Tick
	if rec.Kind == repl.Update {
		r.stats.Updates++
		return
	}
	r.stats.Actions++
	g.seq = rec.Seq
	if rec.Kind == repl.Full {
		if !g.known {
			r.strangers--
		}
		g.known, g.asked = true, false
		g.forgetPassed()
	}
}

// forgetPassed strikes off the passed actions that a full has overtaken.
func (g *group) forgetPassed() {
	for s := range repl.Seq(repl.SeqCycle) {
		if s.Ahead(g.seq) <= 0 {
			g.passed &^= 1 << s
		}
	}
}

// end takes a group out of the world.
func (r *Receiver) end(g *group, tick entangle.Tick) {
	r.sink.Begin(tick)
	for _, m := range g.members {
		r.sink.Despawn(m.slot)
	}
	r.sink.Commit()
	r.forget(g)
}
