package netsim_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// A client that fires before its clock is set has no bullets of that: their ticks are not the server's, and none of
// its bullets would match them. None is there twice or flies farther than its age, then or after a stall.
//
// Proves: E4
func TestBulletsBeforeTheClockIsSet(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 3))
		line := conditioner.Config{Latency: time.Duration(40+rng.IntN(80)) * ms, Jitter: time.Duration(rng.IntN(30)) * ms, Loss: 0.1}
		wrong, seen := "", 0
		g := newShots(t, netsim.Symmetric(line), 2, func(g *shots) {
			g.press[1] = func(tick entangle.Tick, in *gun) {
				if tick%3 == 0 {
					in.Fire = 1
				}
			}
			bullets := generic.NewFilter2[bullet, shooter]()
			g.look = func(w *ecs.World) {
				now, there := ecs.GetResource[components.Time](w), map[uint32]bool{}
				for q := bullets.Query(w); q.Next(); seen++ {
					b, by := q.Get()
					if age := int32(now.Tick - entangle.Tick(by.Tick)); b.X > 1000 || there[by.Tick] || b.X > b.Speed*(age+1) {
						wrong = fmt.Sprintf("seed %d, %+v: tick %d: fired in %d: at %d, twice: %v", seed, line, now.Tick, by.Tick, b.X, there[by.Tick])
					}
					there[by.Tick] = true
				}
			}
		})
		g.peers[0].Freeze(1500 * ms)
		g.sim.Run(4 * time.Second)
		require.Empty(t, wrong)
		require.Greater(t, seen, 500)
		require.Positive(t, g.peers[0].Client().Stats().Clock.Jumps)
	}
}
