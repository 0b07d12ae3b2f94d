package sender

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Showing and hiding random groups allocates nothing, as long as the peers see about as many groups
// as before.
func TestShowingAndHidingAllocatesNothing(t *testing.T) {
	const groups, peers, shown = 200, 60, 30
	w := NewWorld(nil, 1)
	w.Begin(1)
	for s := range repl.Slot(groups) {
		w.SpawnAt(s, set.Mask{}, group.Place{Private: true})
	}
	var all []*Peer
	var seen [peers][]repl.Slot
	for range peers {
		all = append(all, w.NewPeer())
	}
	rng := rand.New(rand.NewPCG(1, 2))
	tick := entangle.Tick(1)
	step := func() {
		tick++
		w.Begin(tick)
		for i, p := range all {
			if len(seen[i]) > shown {
				p.Hide(seen[i][0])
				seen[i] = slices.Delete(seen[i], 0, 1)
			}
			s := repl.Slot(int(tick)+rng.IntN(groups/3)) % groups
			if !p.Sees(s) && p.Show(s) {
				seen[i] = append(seen[i], s)
			}
		}
		w.Commit()
	}
	const often = 10 * groups
	assert.Zero(t, alloctest.Count(1, func() {
		for range often {
			step()
		}
	}), "of so many ticks, after as many")
}
