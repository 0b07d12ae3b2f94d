package prespawn

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Hasher computes the hashes of the entities that are spawned in one tick.
type Hasher struct {
	tick   entangle.Tick
	counts map[uint64]uint64 // by hash without the count: how many spawns had it in this tick
}

// Begin begins a tick, also one that is repeated.
func (h *Hasher) Begin(tick entangle.Tick) {
	h.tick = tick
	clear(h.counts)
}

// Hash returns the hash of a spawn: of the numbers of its compared components, its owner and its salt,
// and of the tick. Values of components do not count, because they may differ between the two sides.
// Spawns that are equal in all of that count in the order of the calls. The result is never 0.
//
// It has 32 bits, because only entities of the same few ticks could be mistaken for each other: among
// 1,000 that wait, a spawn of the server that none of them is for finds a wrong one once in four
// million times. Then its confirmed state differs, and a rollback corrects the entity.
func (h *Hasher) Hash(comps set.Mask, owner entangle.ClientID, salt uint32) uint32 {
	sum := mix(mix(uint64(h.tick)<<32|uint64(salt)) ^ uint64(owner))
	for comp := range comps.All() {
		sum = mix(sum ^ uint64(comp))
	}
	if h.counts == nil {
		h.counts = map[uint64]uint64{}
	}
	count := h.counts[sum]
	h.counts[sum] = count + 1
	return max(uint32(mix(sum^count)>>32), 1)
}

// mix spreads the bits of a number over all bits of the result. docs/PROTOCOL.md names the function.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
