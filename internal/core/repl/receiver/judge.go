package receiver

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// record is a record and, for an action, its place among the actions of its group. The sequence
// number gives that place modulo its cycle only.
type record struct {
	repl.Record
	at int64
	// Known once the record was skipped.
	leaves bool // it contains leaving members
	takes  bool // it takes in entities of other groups
}

// firstAt is the place of the first action that arrives for a group, if it has sequence number 0.
// It leaves room for earlier actions.
const firstAt = repl.SeqCycle

// place finds an action's place relative to the newest that arrived before: later or earlier by
// their ticks, and at most one cycle of the sequence away. That is unambiguous because a sender has
// few unacknowledged actions. Acknowledged actions may wait here for long and do not count, so more
// actions may wait than the sequence could distinguish.
func (g *group) place(rec *record) {
	d := int64(rec.Seq.Ahead(repl.Seq(g.newest.at % repl.SeqCycle)))
	behind := g.newest.tick.Before(rec.Tick)
	switch {
	case g.newest.at == 0:
		d = firstAt + int64(rec.Seq)
		behind = true
	case behind && d <= 0:
		d += repl.SeqCycle
	case !behind && d > 0:
		d -= repl.SeqCycle
	}
	if rec.at = g.newest.at + d; behind {
		g.newest.at, g.newest.tick = rec.at, rec.Tick
	}
}

// verdict is the treatment of a record that arrived.
type verdict uint8

const (
	apply verdict = iota
	wait
	drop
	lost // the replica can't reach the record's baseline
)

// judge decides by the group's sequence and tick alone; the needs of an action are checked
// elsewhere. An update holds all changes since its baseline. The baseline of an update that was
// sent after an action is not before that action. So an update applies if the replica is not older
// than its baseline, and waits otherwise.
func judge(s *state, rec *record) verdict {
	switch {
	case !s.known:
		return later(rec.Kind == repl.Full, apply, wait)
	case !s.held.Before(rec.Tick):
		return drop
	case rec.Kind == repl.Update:
		return later(!s.held.Before(rec.Base), apply, wait)
	}
	switch {
	case rec.at <= s.at:
		return drop
	case rec.Kind == repl.Full:
		return apply
	case rec.at > s.at+1:
		return wait
	}
	return later(rec.Kind == repl.Gone || !s.held.Before(rec.Base), apply, lost)
}

func later(ok bool, yes, no verdict) verdict {
	if ok {
		return yes
	}
	return no
}

// stale reports whether a record is of an ended group: the last group under its handle ended at the
// record's tick or later.
func (r *Receiver) stale(rec *record) bool {
	ended, ok := r.groups.ended(rec.Group)
	return ok && !ended.Before(rec.Tick)
}
