package source

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// lacking is what some client does not get though it is for it, for lack of handles or
// views. It is tried again now and then.
type lacking struct {
	slots   repl.Bitset
	some    bool
	rest    int    // ticks since it was tried
	Refused uint64 // how often there was no room
}

// RetryShowing is how many ticks lie between two tries: what is lacking is much, and others
// are let go of slowly.
const RetryShowing = 64

// refuse takes note of a group that a client does not get though it is for it.
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

// retry has what is lacking looked at again.
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
