package receiver

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// HandleUpdates takes an updates frame of a packet that was sent at tick.
func (r *Receiver) HandleUpdates(tick entangle.Tick, frame []byte) error {
	r.in.Reset(frame)
	r.hear(tick)
	r.confirmed.behind = r.confirmed.behind[:0]
	for r.in.RemainingBits() > 0 {
		if err := r.item(tick); err != nil {
			return err
		}
	}
	if r.in.Err() != nil {
		return ErrMalformed
	}
	return r.settle()
}

// item reads one run or mark. A run of groups that are alike goes to values. Of any other run,
// update reads a record, then usual all directly behind it that apply at once, and so on.
func (r *Receiver) item(tick entangle.Tick) error {
	if r.in.Bool() {
		return r.readMark(tick)
	}
	run := repl.Run{Tick: tick}
	rec := &r.rec
	alike, ok := run.ReadBegin(&r.in, &rec.Record)
	if alike && ok {
		return r.values(&run, rec)
	}
	for more := true; more; more, ok = run.Read(&r.in, &rec.Record) {
		if !ok {
			return ErrMalformed
		}
		if err := r.update(rec); err != nil {
			return err
		}
		if err := r.usual(rec); err != nil {
			return err
		}
		run.Enter(rec.Group, rec.From)
	}
	return nil
}

// A usual record of a run begins with these bits: the next group, from the same baseline, without
// references, of member 0 alone.
const (
	usualBits = 4
	usualHead = 0b1011
)

// usual applies the usual records behind rec, up to the first of another form or of a group to which it
// does not apply now. rec is then the head of the last one applied.
func (r *Receiver) usual(rec *record) error {
	if r.updater == nil {
		return nil
	}
	r.refs = r.refs[:0]
	for r.in.Peek()&(1<<usualBits-1) == usualHead && (rec.Group+1)%repl.Private != 0 {
		g := r.groups.get(rec.Group + 1)
		if g == nil || !g.takes(rec) {
			return nil
		}
		r.in.Skip(usualBits)
		rec.Group++
		if !r.sets.Read(&r.in, &r.set) {
			return ErrMalformed
		}
		r.start(g, rec)
		begun := r.in
		if err := r.updater.UpdateAll(g.members[0].slot, rec.Tick, &r.set, &r.in, r); r.misfits(g, rec, err) {
			r.in = begun
			return r.skipValues(rec, &r.set)
		} else if err != nil {
			return err
		}
		g.held = rec.Tick
		r.stats.Updates++
		if len(g.waits) > 0 {
			if err := r.release(rec.Group); err != nil {
				return err
			}
			r.refs = r.refs[:0]
		}
		if err := r.alike(rec); err != nil {
			return err
		}
	}
	return nil
}

// alike applies the usual records behind rec that have the same components, several in one call, up to
// the first of a group to which it does not apply now, or for which something waits.
func (r *Receiver) alike(rec *record) error {
	if r.runner == nil || !r.resembles(rec) {
		return nil
	}
	mask := uint64(1)<<r.like.HeadBits - 1
	for r.in.Peek()&mask == r.like.Head {
		loans := r.takers(rec, r.runner.RunLength(&r.like, &r.in))
		if len(loans) == 0 {
			return nil
		}
		n, err := r.runner.UpdateRun(r.slots, &r.like, &r.in)
		r.took(rec, loans[:n])
		if err != nil || n < len(loans) {
			return err
		}
	}
	return nil
}

// resembles sets Receiver.like to the bits with which a usual record with the components of the last
// one begins. It returns false if these are too many to be compared at once.
func (r *Receiver) resembles(rec *record) bool {
	if r.like.Tick = rec.Tick; r.like.HeadBits != 0 && r.set == r.like.Set {
		return true
	}
	code, width, ok := r.sets.Code(&r.set, bits.PeekBits-usualBits)
	r.like.Set, r.like.Head, r.like.HeadBits = r.set, usualHead|code<<usualBits, usualBits+width
	if !ok {
		r.like.HeadBits = 0
	}
	return ok
}

// takers returns the loans of the next groups, at most so many: those behind rec.Group, up to the
// first to which an update of rec's tick and baseline does not apply now. Their slots are in
// Receiver.slots.
func (r *Receiver) takers(rec *record, most int) []loan {
	first, tick, base := rec.Group+1, rec.Tick, rec.Base
	loans := r.groups.loans(first)
	loans = loans[:min(len(loans), most)]
	if len(loans) > cap(r.slots) {
		r.slots = make([]repl.Slot, pageSize)
	}
	slots := r.slots[:len(loans)]
	held := base // of the last one, which can take it: as a rule all are held alike
	for i := range loans {
		l := &loans[i]
		if l.slot == repl.NoSlot && !r.groups.lend(first+repl.Handle(i)) ||
			l.held != held && (!l.held.Before(tick) || l.held.Before(base)) {
			loans = loans[:i]
			break
		}
		slots[i], held = l.slot, l.held
	}
	r.slots = slots[:len(loans)]
	return loans
}

// took notes that the updates of the next groups were applied, of which these are the loans. It moves
// rec.Group to the last of them.
func (r *Receiver) took(rec *record, loans []loan) {
	tick := rec.Tick
	for i := range loans {
		if loans[i].held = tick; loans[i].slot == repl.NoSlot { // an event's reader asked for the group
			r.groups.get(rec.Group + 1 + repl.Handle(i)).held = tick
		}
	}
	rec.Group += repl.Handle(len(loans))
	r.stats.Updates += uint64(len(loans))
}

// takes reports whether an update of member 0 alone applies to the group now.
func (g *group) takes(rec *record) bool {
	return g.known && g.held.Before(rec.Tick) && !g.held.Before(rec.Base) && g.leads()
}

// leads reports whether the first member is number 0.
func (g *group) leads() bool { return len(g.members) > 0 && g.members[0].number == 0 }

// update reads one record of a run: it applies it, keeps it until it applies, or skips it.
func (r *Receiver) update(rec *record) error {
	g := r.groups.get(rec.Group)
	if (g == nil || !g.known) && r.stale(rec) {
		r.stats.Stale++
		return r.skip(rec)
	}
	if g == nil {
		if g = r.groupFor(rec); g == nil {
			return r.overflow(rec)
		}
	}
	switch judge(&g.state, rec) {
	case apply:
		if err := r.apply(g, rec); err != nil {
			return err
		}
		return r.release(rec.Group)
	case wait:
		r.lags(rec)
		r.needs = r.needs[:0]
		return r.hold(g, rec)
	default:
		r.stats.Stale++
		return r.skip(rec)
	}
}

// overflow drops an update for which there is no room. Its sender resends the changes when the
// group's first full has been acknowledged.
func (r *Receiver) overflow(rec *record) error {
	r.stats.Overflow++
	r.lags(rec)
	return r.skip(rec)
}
