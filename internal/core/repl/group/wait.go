package group

import (
	"math/bits"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
)

// For a peer with a byte cap, the waiting time of each group is known. A group can be sent only once per tick, so it
// is sent somewhat early or late, and the difference counts the next time. Without that, a group of priority 10,
// which is due every two and a half ticks, would be sent every three. WaitingSince holds the tick in which the
// group became due, times WaitParts, less its lateness.

const (
	WaitParts = 32 // of a tick
	// LateParts is how many parts of lateness a tick has. Lateness goes from half a tick early to one and a half
	// late.
	LateParts = WaitParts / 2
	// NotLate is the lateness of a group that was sent at its time.
	NotLate = LateParts / 2
)

// SetMetered sets whether waiting times are kept.
func (sp *Space) SetMetered(on bool, now entangle.Tick) {
	if sp.WaitingSince = nil; on {
		sp.WaitingSince = []uint32{}
		sp.growWaiting(len(sp.Phase), now)
	}
}

// growWaiting makes room for n handles.
func (sp *Space) growWaiting(n int, now entangle.Tick) {
	for len(sp.WaitingSince) < n {
		sp.WaitingSince = append(sp.WaitingSince, uint32(now)*WaitParts-NotLate)
	}
}

// NoteDue notes the time at which a group becomes due, if it is not.
func (sp *Space) NoteDue(i int, now entangle.Tick) {
	if sp.WaitingSince != nil && !sp.Due.Has(i) {
		sp.WaitingSince[i] = uint32(now)*WaitParts - sp.WaitingSince[i]%WaitParts
	}
}

// CancelDue makes a group due no more, because there is nothing to send of it.
func (sp *Space) CancelDue(i int) {
	sp.Due.Clear(i)
	if sp.WaitingSince != nil {
		sp.WaitingSince[i] = -sp.WaitingSince[i] % WaitParts
	}
}

// NoteAllDue is NoteDue for a set of groups.
func (sp *Space) NoteAllDue(groups set.Bitset, now entangle.Tick) {
	if sp.WaitingSince == nil {
		return
	}
	for i, word := range groups {
		for word &^= sp.Due[i]; word != 0; word &= word - 1 {
			k := i<<6 + bits.TrailingZeros64(word)
			sp.WaitingSince[k] = uint32(now)*WaitParts - sp.WaitingSince[k]%WaitParts
		}
	}
}

// Waited returns for how many ticks a group has waited, and the parts of lateness that it has.
func (sp *Space) Waited(i int, now entangle.Tick) (ticks, late uint32) {
	parts := uint32(now)*WaitParts - sp.WaitingSince[i]
	return parts / WaitParts, parts % WaitParts
}

// SetLateness notes that a group was sent so many ticks later than its turn.
func (sp *Space) SetLateness(i int, late float32) {
	sp.WaitingSince[i] = uint32(min(max(late*LateParts+NotLate, 0), WaitParts-1))
}
