package sender

import (
	"math/bits"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// Of a peer with a byte cap it is known since when each group waits. The time is counted
// in parts of a tick: a group that waited longer than it had to, because there is a turn
// only once per tick, has the rest to its credit the next time. Without that a group of
// priority 10 whose turn comes every two and a half ticks would be sent every three.

// tickParts is how many parts a tick has.
const tickParts = 32

// meter begins to count, or ends it.
func (sp *space) meter(on bool, now entangle.Tick) {
	if sp.since = nil; !on {
		return
	}
	sp.since = make([]uint32, len(sp.phase))
	for i := range sp.since {
		sp.since[i] = uint32(now) * tickParts
	}
}

// await notes that a group becomes due now.
func (sp *space) await(i int, now entangle.Tick) {
	if sp.since != nil && !sp.due.Has(i) {
		sp.since[i] = uint32(now)*tickParts - sp.since[i]%tickParts
	}
}

// awaitAll notes that those of a set become due now which are not.
func (sp *space) awaitAll(set repl.Bitset, now entangle.Tick) {
	if sp.since == nil {
		return
	}
	for i, word := range set {
		for word &^= sp.due[i]; word != 0; word &= word - 1 {
			k := i<<6 + bits.TrailingZeros64(word)
			sp.since[k] = uint32(now)*tickParts - sp.since[k]%tickParts
		}
	}
}

// waited returns for how many parts of a tick a group has waited.
func (sp *space) waited(i int, now entangle.Tick) uint32 { return uint32(now)*tickParts - sp.since[i] }

// credit notes that a group was sent, and how much longer than it had to it waited: less
// than a tick.
func (sp *space) credit(i int, ticks float32) {
	sp.since[i] = uint32(min(max(ticks, 0)*tickParts, tickParts-1))
}
