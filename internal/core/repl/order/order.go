// Package order decides what happens to the records of a group in whatever order they arrive: a record
// applies now, waits for earlier ones, or is dropped. A Pool keeps the records that wait, in a Queue for each group.
//
// The decision needs the progress of the group and the head of the record alone.
package order

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// State is the progress of a group, which decides which records can follow.
type State struct {
	Tick  entangle.Tick // of the replica
	Known bool          // a full was applied
}

// Verdict is the treatment of a record.
type Verdict uint8

const (
	Apply Verdict = iota
	Wait
	Drop
)

// Judge decides by the state of the group. A full applies to any replica that is older. Every other record holds all
// changes of its kind since its baseline, and applies to a replica that has reached that. The baseline of what was sent
// after an action is not before that action, so actions need no sequence.
func (s *State) Judge(rec *repl.Record) Verdict {
	switch full := rec.Kind == repl.Full; {
	case s.Known && !s.Tick.Before(rec.Tick):
		return Drop
	case !full && (!s.Known || s.Tick.Before(rec.Base)):
		return Wait
	}
	return Apply
}
