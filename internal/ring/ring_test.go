package ring_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/ring"
)

// TestRingEqualsSlice compares a ring with a slice to which nothing is added when it is full.
func TestRingEqualsSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.IntRange(1, 5).Draw(t, "capacity")
		r, plain := ring.New[int](capacity), []int(nil)
		for i := range 50 {
			if rapid.Bool().Draw(t, "push") {
				item := r.PushBack()
				require.Equal(t, len(plain) == capacity, item == nil)
				if item != nil {
					*item = i
					plain = append(plain, i)
				}
			} else if first := r.First(); len(plain) == 0 {
				require.Nil(t, first)
			} else {
				r.RemoveFirst()
				require.Equal(t, plain[0], *first, "kept until the next push")
				plain = plain[1:]
			}
			require.Equal(t, len(plain) == capacity, r.Full())
		}
	})
}
