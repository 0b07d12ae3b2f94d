package receiver

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// plain is a run of groups that are alike: the bits before the values are the same for each of them,
// and stand once, before the values of the first.
type plain struct {
	like Alike // without a head
	raw  []byte
	body bits.Writer
	buf  []byte

	handles []repl.Handle // of a run with gaps between the handles
}

// values applies a run of groups that are alike, from the number of its groups on.
func (r *Receiver) values(run *repl.Run, rec *record) error {
	comps := &r.plain.like.Set
	n, ok := run.ReadCount(&r.in)
	if !ok || n > r.in.RemainingBits() || !r.sets.Read(&r.in, comps) || comps.IsZero() {
		return ErrMalformed // a value that has no bits does not change
	}
	r.plain.like.Tick = rec.Tick
	if run.Gaps() {
		return r.scattered(run, rec, n)
	}
	for rec.Group--; n > 0; { // from here on that of the last one taken
		taken, err := r.several(rec, n)
		if err != nil {
			return err
		}
		if n -= taken; taken > 0 {
			continue
		}
		rec.Group++
		if err := r.one(rec); err != nil {
			return err
		}
		n--
	}
	r.in.Align()
	return malformedIf(r.in.Err() != nil)
}

// several applies as many of the next n records as one call of RunUpdater.UpdateRun can.
func (r *Receiver) several(rec *record, n int) (taken int, err error) {
	if r.runner == nil {
		return 0, nil
	}
	loans := r.takers(rec, min(n, r.runner.RunLength(&r.plain.like, &r.in)))
	if len(loans) == 0 {
		return 0, nil
	}
	taken, err = r.runner.UpdateRun(r.slots, &r.plain.like, &r.in)
	r.took(rec, loans[:taken])
	return taken, err
}

// one applies the next record by itself: by Updater.UpdateAll if it applies now, else by apart.
func (r *Receiver) one(rec *record) error {
	g := r.groups.get(rec.Group)
	if g == nil || r.updater == nil || len(g.waits) > 0 || !g.takes(rec) {
		return r.apart(rec)
	}
	r.refs = r.refs[:0]
	r.start(g, rec)
	begun := r.in
	if err := r.updater.UpdateAll(g.members[0].slot, rec.Tick, &r.plain.like.Set, &r.in, r); r.misfits(g, rec, err) {
		r.in = begun
		return r.skipValues(rec, &r.plain.like.Set)
	} else if err != nil {
		return err
	}
	g.held = rec.Tick
	r.stats.Updates++
	return nil
}

// apart passes the next record to update, in the form that it would have in a run of any groups: with
// the bits before its values.
func (r *Receiver) apart(rec *record) error {
	p := &r.plain
	width, err := r.lift(rec, &p.like.Set)
	if err != nil {
		return err
	}
	p.body.Reset(p.buf[:0])
	p.body.Bits(0b10, 2) // no references, alone
	r.sets.Append(&p.body, &p.like.Set)
	p.body.Copy(p.raw, width)
	p.buf = p.body.Finish()
	behind := r.in
	r.in.Reset(p.buf)
	err = r.update(rec)
	r.in = behind
	return err
}

// lift reads past the values of a record that consists of nothing else, for the components of a set,
// and copies their bits to plain.raw.
func (r *Receiver) lift(rec *record, comps *set.Mask) (width int, err error) {
	p, start := &r.plain, r.in
	if err := r.skipValues(rec, comps); err != nil {
		return 0, err
	}
	width = start.RemainingBits() - r.in.RemainingBits()
	p.raw = append(p.raw[:0], make([]byte, (width+7)/8)...)
	start.Copy(p.raw, width)
	return width, nil
}

// skipValues reads past the values of a set.
func (r *Receiver) skipValues(rec *record, comps *set.Mask) error {
	r.start(nil, rec)
	for c := comps.Next(0); c >= 0; c = comps.Next(c + 1) {
		if err := r.sink.Skip(&r.in, c); err != nil {
			return err
		}
	}
	return nil
}
