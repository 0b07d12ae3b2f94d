package receiver

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// alike takes a run of groups that are alike: what stands before the values of each
// stands once, before all.
func (r *Receiver) alike(run *repl.Run, rec *record) error {
	n, ok := run.ReadCount(&r.in)
	if !ok || n > r.in.RemainingBits() || !r.sets.Read(&r.in, &r.common) || r.common.IsZero() {
		return ErrMalformed // a value that has no bits does not change
	}
	for ; n > 0; n-- {
		if err := r.oneAlike(rec); err != nil {
			return err
		}
		rec.Group++
	}
	r.in.Align()
	if r.in.Err() != nil {
		return ErrMalformed
	}
	return nil
}

func (r *Receiver) oneAlike(rec *record) error {
	g := r.groups.get(rec.Group)
	if g == nil || r.updater == nil || len(g.waits) > 0 || !g.takes(rec) {
		return r.apart(rec)
	}
	r.refs = r.refs[:0]
	if err := r.updater.UpdateAll(g.members[0].slot, rec.Tick, &r.common, &r.in, r); err != nil {
		return err
	}
	g.held = rec.Tick
	r.stats.Updates++
	return nil
}

// apart takes one update of such a run as if it stood alone, with all that belongs
// before its values.
func (r *Receiver) apart(rec *record) error {
	start := r.in
	for c := r.common.Next(0); c >= 0; c = r.common.Next(c + 1) {
		if err := r.sink.Skip(&r.in, c); err != nil {
			return err
		}
	}
	width := start.RemainingBits() - r.in.RemainingBits()
	r.values = append(r.values[:0], make([]byte, (width+7)/8)...)
	start.Copy(r.values, width)
	r.alone.Reset(r.whole[:0])
	r.alone.Bits(0b10, 2) // no references, alone
	r.sets.Append(&r.alone, &r.common)
	r.alone.Copy(r.values, width)
	r.whole = r.alone.Finish()

	behind := r.in
	r.in.Reset(r.whole)
	err := r.update(rec)
	r.in = behind
	return err
}
