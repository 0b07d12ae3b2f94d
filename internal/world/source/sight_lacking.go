package source

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// lacking holds the groups that a client should get and does not, because handles or views ran
// out. They are retried now and then.
type lacking struct {
	slots   repl.Bitset
	some    bool
	rest    int    // ticks since the last retry
	Refused uint64 // number of refusals
}

// RetryShowing is the number of ticks between two retries. It is large because there may be many
// such groups, and handles and views become free slowly.
const RetryShowing = 64

// refuse records a group that a client should get and does not.
func (v *sight) refuse(s repl.Slot) {
	l := &v.Lacking
	l.slots.Grow(int(s) + 1)
	l.slots.Set(int(s))
	l.some = true
	if l.Refused++; l.Refused == 1 {
		v.publisher.unregistered.log.Warn("an entity is not shown to a client that it is for, because too many groups or too many different views of them are in use; " +
			"give entities that the same clients see one group")
	}
}

// retry marks the groups in lacking stale.
func (v *sight) retry() {
	l := &v.Lacking
	if !l.some {
		return
	}
	if l.rest++; l.rest < RetryShowing {
		return
	}
	for s := l.slots.Next(0); s >= 0; s = l.slots.Next(s + 1) {
		v.stir(repl.Slot(s))
	}
	l.slots.Reset()
	l.some, l.rest = false, 0
}
