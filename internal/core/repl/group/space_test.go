package group

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Consecutive steady groups are counted 64 at a time, up to the first that is not, and none beyond the last handle.
func TestSteadyGroupsAreCountedAsOneByOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		var sp Space
		handles := 1 + rng.IntN(400)
		sp.Grow(handles, 1000)
		for i := range handles {
			sp.Present.Set(i)
		}
		others := [...]*set.Bitset{&sp.Partial, &sp.Predicted, &sp.StructureDue, &sp.Fragmented, &sp.Retained}
		for range rng.IntN(4) {
			others[rng.IntN(len(others))].Set(rng.IntN(handles))
		}
		sp.Present.Clear(rng.IntN(handles))
		for range 30 {
			first, n := rng.IntN(handles+100), rng.IntN(500)
			want := 0
			for want < n && first+want < handles && sp.IsSteady(first+want) {
				want++
			}
			require.Equal(t, want, sp.CountSteady(first, n), "%d from %d on of %d", n, first, handles)
		}
	}
}

// A group of which the peer may not be sent everything, or not now, is not steady.
func TestAGroupIsSteadyUnlessSomethingPreventsIt(t *testing.T) {
	var sp Space
	sp.Grow(200, 1000)
	assert.False(t, sp.IsSteady(130), "it is not sent")
	sp.Present.Set(130)
	assert.True(t, sp.IsSteady(130))
	for _, groups := range [...]*set.Bitset{&sp.Partial, &sp.Predicted, &sp.StructureDue, &sp.Fragmented, &sp.Retained} {
		groups.Set(130)
		assert.False(t, sp.IsSteady(130))
		groups.Clear(130)
	}
	assert.True(t, sp.IsSteady(130) && !sp.IsSteady(129) && !sp.IsSteady(131))
}

// A space in the memory of another one has nothing of it, in its first handles and in those that it gets later.
func TestAnEmptiedSpaceIsAsNew(t *testing.T) {
	const before, handles, later = 200, 100, 300
	var old, fresh Space
	old.Grow(before, 1000)
	for _, groups := range old.sets() {
		groups.SetRange(0, before)
	}
	for _, ticks := range [...][]entangle.Tick{old.Base, old.Planned, old.StructureAsOf, old.ActionSent} {
		Fill(ticks, 999)
	}
	Fill(old.Seq, 1)
	Fill(old.Unacked, 1)
	old.GrowViews(before)
	old.SetMetered(true, 1000)
	old.Prev, old.Cursor = make([]uint8, before), 1
	reused := old.Emptied()
	for _, n := range [...]int{handles, later} {
		reused.Grow(n, 2000)
		fresh.Grow(n, 2000)
		require.Equal(t, fresh, reused, "%d handles", n)
	}
}
