package receiver

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// scattered handles a run of groups that are alike, with gaps between their handles: first come the
// handles, then the values.
func (r *Receiver) scattered(run *repl.Run, rec *record, n int) error {
	handles := append(r.plain.handles[:0], rec.Group)
	for range n - 1 {
		h, ok := run.ReadNext(&r.in)
		if !ok {
			return ErrMalformed
		}
		handles = append(handles, h)
	}
	r.plain.handles = handles
	for len(handles) > 0 {
		taken, err := r.severalOf(rec, handles)
		if err != nil {
			return err
		}
		if handles = handles[taken:]; taken > 0 {
			continue
		}
		rec.Group, handles = handles[0], handles[1:]
		if err := r.one(rec); err != nil {
			return err
		}
	}
	r.in.Align()
	return malformedIf(r.in.Err() != nil)
}

// severalOf applies as many of the next records as one call can apply.
func (r *Receiver) severalOf(rec *record, handles []repl.Handle) (taken int, err error) {
	if r.runner == nil {
		return 0, nil
	}
	most := min(len(handles), r.runner.RunLength(&r.plain.like, &r.in))
	handles = handles[:r.borrow(rec, handles[:most])]
	if len(handles) == 0 {
		return 0, nil
	}
	taken, err = r.runner.UpdateRun(r.slots, &r.plain.like, &r.in)
	for _, h := range handles[:taken] {
		l := r.groups.loan(h)
		if l.held = rec.Tick; l.slot == repl.NoSlot { // an event's reader asked for the group
			r.groups.get(h).held = rec.Tick
		}
	}
	r.stats.Updates += uint64(taken)
	return taken, err
}

// borrow collects the slots of groups that can take an update of a tick and baseline, up to the
// first that can't, and returns their number.
func (r *Receiver) borrow(rec *record, handles []repl.Handle) (n int) {
	r.slots = slices.Grow(r.slots[:0], len(handles))
	for _, h := range handles {
		l := r.groups.loan(h)
		if l == nil || l.slot == repl.NoSlot && !r.groups.lend(h) || !l.held.Before(rec.Tick) || l.held.Before(rec.Base) {
			break
		}
		r.slots = append(r.slots, l.slot)
	}
	return len(r.slots)
}
