package group

import (
	"math/bits"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
)

// For a peer with a byte cap, the sender stores for how long each group has waited. A group can be sent only once per
// tick, so it is sent somewhat earlier or later than its share of the budget says. The difference is its lateness, and
// is added to its next waiting time. Without it, a group with a share of one update in 2.5 ticks would be sent every 3.
//
// WaitingSince combines both in one number: the tick in which the group last became due, times WaitParts, minus the
// lateness.

const (
	WaitParts = 32 // parts of a tick in WaitingSince
	// LateParts is the number of parts of lateness per tick. The parts from 0 to WaitParts-1 are a lateness from half a
	// tick early to one and a half ticks late.
	LateParts = WaitParts / 2
	// NotLate is the lateness of a group that was sent neither early nor late, in parts.
	NotLate = LateParts / 2
)

// SetMetered starts or stops storing waiting times.
func (sp *Space) SetMetered(on bool, now entangle.Tick) {
	if sp.WaitingSince = nil; on {
		sp.WaitingSince = extend([]uint32{}, sp.Len(), DueSince(now))
	}
}

// DueSince returns the WaitingSince of a group that became due at a tick, and was sent neither early nor late before.
func DueSince(now entangle.Tick) uint32 { return uint32(now)*WaitParts - NotLate }

// NoteDue records that a group becomes due at a tick, unless it is due already. Call it before Due is set.
func (sp *Space) NoteDue(i int, now entangle.Tick) {
	if sp.WaitingSince != nil && !sp.Due.Has(i) {
		sp.WaitingSince[i] = uint32(now)*WaitParts - sp.lateness(i)
	}
}

// lateness returns the lateness of a group.
func (sp *Space) lateness(i int) uint32 { return -sp.WaitingSince[i] % WaitParts }

// NoteAllDue is NoteDue for a set of groups.
func (sp *Space) NoteAllDue(groups set.Bitset, now entangle.Tick) {
	if sp.WaitingSince == nil {
		return
	}
	for i, word := range groups {
		for word &^= sp.Due[i]; word != 0; word &= word - 1 {
			sp.NoteDue(i<<6+bits.TrailingZeros64(word), now)
		}
	}
}

// Waited returns the number of ticks for which a due group has waited, and its lateness in parts.
func (sp *Space) Waited(i int, now entangle.Tick) (ticks, late uint32) {
	parts := uint32(now)*WaitParts - sp.WaitingSince[i]
	return parts / WaitParts, parts % WaitParts
}

// SetLateness records that a group was sent a number of ticks late; a negative number is early.
func (sp *Space) SetLateness(i int, late float32) {
	sp.WaitingSince[i] = -uint32(min(max(late*LateParts+NotLate, 0), WaitParts-1))
}
