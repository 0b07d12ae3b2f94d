package netsim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// Honest players are within the budget of a client at any tick rate and over any line. They use a
// tenth of it at most at 60 ticks per second, and a quarter at 250.
//
// Proves: Z21
func TestHonestPlayersAreWithinTheirBudget(t *testing.T) {
	for _, rate := range []int{10, 60, 250} {
		for _, link := range []conditioner.Config{
			{},
			{Latency: 100 * ms, Jitter: 80 * ms, Loss: 0.3, Duplicate: 0.2},
			{Latency: 400 * ms, Jitter: 300 * ms, Loss: 0.5},
		} {
			t.Run(fmt.Sprintf("%d/%v", rate, link.Loss), func(t *testing.T) {
				b := newBeats(t, rate, netsim.Config{Seed: 5, Link: netsim.Symmetric(link)})
				b.loud = true
				c := b.join(1)
				b.Run(20 * time.Second)
				stats := b.Server().Stats()
				for _, d := range stats.Dropped {
					assert.NotContains(t, d.Reason, "too much")
				}
				assert.Equal(t, plugin.Connected, c.Client().State())
				assert.NotZero(t, stats.Work)
				most := max(plugin.LeastDefaultWork, plugin.DefaultWorkPerTick*rate)
				part := 10
				if rate > 60 {
					part = 4
				}
				assert.LessOrEqual(t, int(stats.Work)/20, most/part)
			})
		}
	}
}
