package sender

import (
	"math/bits"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
)

// For a peer with a byte cap the waiting time of each group is known: its start is a tick, times
// 32, less the group's remainder. There is a turn only once per tick, so a group's turn may come
// somewhat early or late, and the difference counts the next time. Without that, a group of
// priority 10, which is due every two and a half ticks, would be sent every three.

const (
	waitParts = 32 // of a tick, as since counts
	// creditParts is what a tick is in credit. It goes from half a tick that a group was
	// early to one and a half that it was late.
	creditParts = waitParts / 2
	// noCredit stands for neither early nor late.
	noCredit = creditParts / 2
)

// meter begins to count, or ends it.
func (sp *space) meter(on bool, now entangle.Tick) {
	if sp.since = nil; on {
		sp.since = []uint32{}
		sp.growSince(len(sp.phase), now)
	}
}

// growSince makes room for n handles.
func (sp *space) growSince(n int, now entangle.Tick) {
	for len(sp.since) < n {
		sp.since = append(sp.since, uint32(now)*waitParts-noCredit)
	}
}

// await notes that a group becomes due now.
func (sp *space) await(i int, now entangle.Tick) {
	if sp.since != nil && !sp.due.Has(i) {
		sp.since[i] = uint32(now)*waitParts - sp.since[i]%waitParts
	}
}

// forgo takes back that a group became due: there is nothing to say.
func (sp *space) forgo(i int) {
	sp.due.Clear(i)
	if sp.since != nil {
		sp.since[i] = -sp.since[i] % waitParts
	}
}

// awaitAll notes that those of a set become due now which are not.
func (sp *space) awaitAll(groups set.Bitset, now entangle.Tick) {
	if sp.since == nil {
		return
	}
	for i, word := range groups {
		for word &^= sp.due[i]; word != 0; word &= word - 1 {
			k := i<<6 + bits.TrailingZeros64(word)
			sp.since[k] = uint32(now)*waitParts - sp.since[k]%waitParts
		}
	}
}

// waited returns for how many ticks a group has waited, and its credit.
func (sp *space) waited(i int, now entangle.Tick) (ticks, credit uint32) {
	parts := uint32(now)*waitParts - sp.since[i]
	return parts / waitParts, parts % waitParts
}

// credit notes that a group was sent by so many ticks later than its turn came.
func (sp *space) credit(i int, late float32) {
	sp.since[i] = uint32(min(max(late*creditParts+noCredit, 0), waitParts-1))
}
