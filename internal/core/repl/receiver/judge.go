package receiver

import (
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

// judge decides by the group's sequence and tick alone; whether an action's needs
// are met is not asked here. An update holds all that changed since its base, and
// was sent after an action only with a base that is not before it: so it applies
// if the copy is not older than the base, and else waits for what is.
func judge(s *state, rec *repl.Record) verdict {
	switch {
	case !s.known:
		return later(rec.Kind == repl.Full, apply, wait)
	case !s.held.Before(rec.Tick):
		return drop
	case rec.Kind == repl.Update:
		return later(!s.held.Before(rec.Base), apply, wait)
	}
	ahead := rec.Seq.Ahead(s.seq)
	switch {
	case ahead <= 0:
		return drop
	case rec.Kind == repl.Full:
		return apply
	case ahead > 1:
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

// stale reports whether a record is of a group that is no more: its handle's last
// group ended at its tick or later.
func (r *Receiver) stale(rec *repl.Record) bool {
	ended, ok := r.groups.ended(rec.Group)
	return ok && !ended.Before(rec.Tick)
}
