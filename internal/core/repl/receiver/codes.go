package receiver

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// codes is the stored versions of learned codes. Each has a place, which another version gets three
// versions later.
type codes struct {
	learner Learner // nil: there are none
	newest  uint32
	at      [repl.CodesPlaces + 1]learned
}

// learned is a version at its place.
type learned struct {
	known bool
	// since is the tick of the frame that brought the version. All records written with it are of
	// later ticks, because the sender waits for the acknowledgement; records written with the
	// earlier version at this place are of earlier ticks.
	since entangle.Tick
}

// learnerOf returns the sink if it takes learned codes, or nil.
func learnerOf(sink Sink) Learner {
	if learner, ok := sink.(Learner); ok && learner.Learns() {
		return learner
	}
	return nil
}

// storesCodesOf reports whether the codes of a record are stored.
func (c *codes) storesCodesOf(rec *record) bool {
	l := &c.at[rec.Codes]
	return l.known && l.since.Before(rec.Tick)
}

// table stores a table of codes. A repeated table, or one older than the stored ones, is skipped.
func (r *Receiver) table(tick entangle.Tick) error {
	var head repl.Table
	c := &r.codes
	if c.learner == nil || !head.Read(&r.in) {
		return ErrMalformed
	}
	table, _ := r.in.Window()
	table = table[:head.Bytes]
	r.in.Skip(uint(head.Bytes) * 8)
	if head.Version <= c.newest {
		return nil
	}
	at, over := repl.CodesAt(head.Version), uint8(0)
	if head.Over {
		if over = repl.CodesAt(c.newest); c.newest == 0 || head.Version != c.newest+1 {
			return ErrMalformed
		}
	}
	if err := c.learner.Learn(table, at, over); err != nil {
		return err
	}
	c.newest, c.at[at] = head.Version, learned{known: true, since: tick}
	return nil
}

// uncoded drops the rest of a frame, because it can't be read: a newer version has taken the place
// of its codes. Such a frame is more than two versions old, and so older than the baseline of any
// difference: if its sender counts it as received all the same, it sends whole values from there
// on.
func (r *Receiver) uncoded(rec *record) error {
	if !r.codes.at[rec.Codes].known {
		return ErrMalformed
	}
	r.stats.Uncoded++
	r.in.Skip(uint(r.in.RemainingBits()))
	return nil
}
