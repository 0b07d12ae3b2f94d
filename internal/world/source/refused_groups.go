package source

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
)

// refusedGroups holds the groups that a client should get and does not, because handles or views ran
// out. They are retried now and then.
type refusedGroups struct {
	slots   set.Bitset
	pending bool
	ticks   int    // ticks since the last retry
	Count   uint64 // number of refusals
}

// RetryShowing is the number of ticks between two retries. It is large because there may be many
// such groups, and handles and views become free slowly.
const RetryShowing = 64

// refuseGroup records a group that a client should get and does not.
func (v *visibility) refuseGroup(s repl.Slot) {
	l := &v.Refused
	l.slots.Grow(int(s) + 1)
	l.slots.Set(int(s))
	l.pending = true
	if l.Count++; l.Count == 1 {
		v.collector.warnings.log.Warn("an entity is not shown to a client that it is for, because too many groups or too many different views of them are in use; " +
			"give entities that the same clients see one group")
	}
}

// retryRefused marks the refused groups stale.
func (v *visibility) retryRefused() {
	l := &v.Refused
	if !l.pending {
		return
	}
	if l.ticks++; l.ticks < RetryShowing {
		return
	}
	for s := l.slots.Next(0); s >= 0; s = l.slots.Next(s + 1) {
		v.markStale(repl.Slot(s))
	}
	l.slots.Reset()
	l.pending, l.ticks = false, 0
}
