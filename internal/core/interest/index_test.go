package interest

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Rooms may have any numbers, and each is found as long as it exists.
func TestTheIndexFindsWhatAMapFinds(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 0))
	var x index
	all := make([]room, 300)
	free := make([]int32, 0, len(all))
	for at := range all {
		free = append(free, int32(at))
	}
	twin := map[uint32]int32{}
	for range 20_000 {
		number := rng.Uint32N(400)
		if at, ok := twin[number]; ok {
			x.removeRoom(all, at)
			delete(twin, number)
			free = append(free, at)
		} else if n := len(free); n > 0 {
			twin[number], free = free[n-1], free[:n-1]
			all[twin[number]].number = number
			x.addRoom(all, twin[number])
		}
		for number := range uint32(400) {
			at, ok := twin[number]
			if !ok {
				at = -1
			}
			if x.lookup(all, number) != at {
				require.Equal(t, at, x.lookup(all, number), "of %d", number)
			}
		}
	}
}
