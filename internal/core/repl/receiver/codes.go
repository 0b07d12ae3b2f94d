package receiver

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// codes is which versions of learned codes are kept. Each has a place, which another gets
// three versions later.
type codes struct {
	learner Learner // nil: there are none
	newest  uint32
	at      [repl.CodesPlaces + 1]learned
}

// learned is a version at its place.
type learned struct {
	known bool
	// since is the tick of the frame that brought it. All that is written with it is of
	// later ticks, for the sender waits until it is acknowledged; and what was written with the
	// version that was at this place before is of earlier ones.
	since entangle.Tick
}

// learnerOf returns the sink if it takes learned codes, or nil.
func learnerOf(sink Sink) Learner {
	if learner, ok := sink.(Learner); ok && learner.Learns() {
		return learner
	}
	return nil
}

// has reports whether the codes are kept that a record was written with.
func (c *codes) has(rec *record) bool {
	l := &c.at[rec.Codes]
	return l.known && l.since.Before(rec.Tick)
}

// table takes a table of codes. One that came before, or is older than what is kept, is
// passed over.
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

// uncoded drops the rest of a frame, because it can't be read: others have got the place of
// its codes. That can be so only of a frame that is older than two versions, and so than all
// that differences start from: should its sender take it for arrived all the same, what it
// sends from there on are whole values.
func (r *Receiver) uncoded(rec *record) error {
	if !r.codes.at[rec.Codes].known {
		return ErrMalformed
	}
	r.stats.Uncoded++
	r.in.Skip(uint(r.in.RemainingBits()))
	return nil
}
