package sid_test

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/core/sid"
)

func TestEachNumberComesOnceAndIsNegative(t *testing.T) {
	n, seen := sid.New([2]uint64{1, 2}), map[int32]bool{}
	for range 1 << 17 {
		v := n.Next()
		if v >= 0 || seen[v] {
			t.Fatalf("%d is not negative, or was generated before", v)
		}
		seen[v] = true
	}
}

// Equal keys generate equal sequences, and different keys different ones.
func TestTheOrderFollowsFromTheKey(t *testing.T) {
	a, b, c := sid.New([2]uint64{1, 2}), sid.New([2]uint64{1, 2}), sid.New([2]uint64{1, 3})
	same := 0
	for range 1000 {
		v := a.Next()
		assert.Equal(t, v, b.Next())
		if v == c.Next() {
			same++
		}
	}
	assert.Less(t, same, 3)
}

// Consecutive ids are independent: anywhere in the sequence, about half of the bits of two ids
// differ, and each bit is set in about half of the ids.
func TestConsecutiveIdsAreIndependent(t *testing.T) {
	n := sid.New([2]uint64{7, 11})
	const count = 20000
	last, differ, high := n.Next(), 0, 0
	for range count {
		v := n.Next()
		differ += bits.OnesCount32(uint32(v) ^ uint32(last))
		high += int(uint32(v) >> 30 & 1)
		last = v
	}
	assert.InDelta(t, 15.5, float64(differ)/count, 0.2)
	assert.InDelta(t, 0.5, float64(high)/count, 0.02)
}
