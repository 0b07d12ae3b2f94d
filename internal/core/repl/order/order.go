// Package order decides what happens to the records of a group in whatever order they arrive: a record
// applies now, waits for earlier ones, or is dropped. Queue and Pool keep the records that wait.
//
// The decision needs the progress of the group and the head of the record alone. Whether the needs of
// an action are met, and what its body says, is left to the caller.
package order

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// Record is the head of a record that arrived.
type Record struct {
	repl.Record
	// LongSeq numbers the actions of a group without a wrap. Seq is its remainder; see Progress.ExpandSeq.
	LongSeq int64
	// Known once the body was skipped, which precedes waiting and passing over:
	Leaves bool // it contains leaving members
	Takes  bool // it takes in entities of other groups
}

// State is the part of a group's progress that decides which records can follow.
type State struct {
	LongSeq int64         // of the last action applied or passed over
	Tick    entangle.Tick // of the replica
	Known   bool          // a full was applied
}

// Progress is the state of a group, and the actions that have arrived or were passed over.
type Progress struct {
	State
	newest     int64 // LongSeq of the newest action that arrived; 0: none has
	newestTick entangle.Tick
	passed     uint64 // bit by LongSeq behind that of the state: an action that is passed over once it is next
}

// Verdict is the treatment of a record.
type Verdict uint8

const (
	Apply Verdict = iota
	Wait
	Drop
	Unreachable // the replica can't reach the record's baseline
)

// Judge decides by the state of the group. An update holds all changes since its baseline. The baseline
// of an update that was sent after an action is not before that action. So an update applies if the
// replica is not older than its baseline, and waits otherwise.
func (s *State) Judge(rec *Record) Verdict {
	switch {
	case !s.Known && rec.Kind == repl.Full:
		return Apply
	case !s.Known:
		return Wait
	case !s.Tick.Before(rec.Tick):
		return Drop
	case rec.Kind == repl.Update && s.Tick.Before(rec.Base):
		return Wait
	case rec.Kind == repl.Update:
		return Apply
	case rec.LongSeq <= s.LongSeq:
		return Drop
	case rec.Kind == repl.Full:
		return Apply
	case rec.LongSeq > s.LongSeq+1:
		return Wait
	case rec.Kind == repl.Change && s.Tick.Before(rec.Base):
		return Unreachable
	}
	return Apply
}

// firstLongSeq is the LongSeq of the first action that arrives for a group, if its Seq is 0.
// It leaves room for earlier actions.
const firstLongSeq = repl.SeqCycle

// First returns the progress of a group that has applied its first action, a full of a tick.
func First(tick entangle.Tick) Progress {
	return Progress{State: State{Known: true, LongSeq: firstLongSeq, Tick: tick}, newest: firstLongSeq, newestTick: tick}
}

// ExpandSeq sets LongSeq of an action, relative to the newest that arrived before: later or earlier by
// their ticks, and at most one cycle of the sequence away. That is unambiguous because a sender has
// few unacknowledged actions. Acknowledged actions may wait here for long and do not count, so more
// actions may wait than the sequence could distinguish.
func (p *Progress) ExpandSeq(rec *Record) {
	d := int64(rec.Seq.Ahead(repl.Seq(p.newest % repl.SeqCycle)))
	later := p.newest == 0 || p.newestTick.Before(rec.Tick)
	switch {
	case p.newest == 0:
		d = firstLongSeq + int64(rec.Seq)
	case later && d <= 0:
		d += repl.SeqCycle
	case !later && d > 0:
		d -= repl.SeqCycle
	}
	if rec.LongSeq = p.newest + d; later {
		p.newest, p.newestTick = rec.LongSeq, rec.Tick
	}
}

// Advance advances to an action that was applied or passed over.
func (p *Progress) Advance(longSeq int64) {
	p.passed >>= max(longSeq-p.LongSeq, 0)
	p.LongSeq = longSeq
}

// PassLater notes that an action ahead is to be passed over when the ones before it have been.
func (p *Progress) PassLater(longSeq int64) {
	if ahead := longSeq - p.LongSeq; ahead > 0 {
		p.passed |= 1 << (ahead - 1)
	}
}

// NextPassed reports whether the next action is one to be passed over.
func (p *Progress) NextPassed() bool { return p.Known && p.passed&1 != 0 }

// Restart sets the progress back to that of a group without a full, under the same handle. The numbers of
// actions go on, since records of the next group may have arrived, and some may be passed over already.
func (p *Progress) Restart() { p.State = State{LongSeq: p.LongSeq} }
