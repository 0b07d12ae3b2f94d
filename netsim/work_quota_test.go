package netsim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// Honest players play at any frame rate over bad lines. They freeze, their lines stall and then
// deliver everything at once, and the server stalls. Nobody is disconnected, everything beyond a
// quota is handled later, and every reliable message arrives.
//
// Proves: Z21
func TestNoStallCostsAnHonestPlayerAnythingThatMatters(t *testing.T) {
	for _, frames := range []int{20, 60, 144} {
		t.Run(fmt.Sprint(frames), func(t *testing.T) {
			bad := netsim.Symmetric(conditioner.Config{Latency: 150 * ms, Jitter: 50 * ms, Loss: 0.2, Duplicate: 0.1})
			b := newBeats(t, 60, netsim.Config{Seed: 11, FrameRate: frames, Link: bad})
			b.loud, b.notes = true, map[entangle.ClientID][]uint32{}
			var all []*beating
			for id := range entangle.ClientID(4) {
				all = append(all, b.join(id+1))
			}
			b.Run(5 * time.Second)
			for round := range 3 {
				for _, c := range all[:1+round] {
					c.Freeze(4 * time.Second)
				}
				b.Run(6 * time.Second)
				for left := 4500 * ms; left > 0; left -= 100 * ms { // everything arrives at once
					held := bad
					held.Up.Latency, held.Up.Jitter = left, 0
					for _, c := range all[:2] {
						c.SetLink(held)
					}
					b.Run(100 * ms)
				}
				for _, c := range all[:2] {
					c.SetLink(bad)
				}
				b.Run(6 * time.Second)
				b.FreezeServer(time.Second)
				b.Run(6 * time.Second)
			}
			for _, c := range all {
				assert.Equal(t, plugin.Connected, c.Client().State(), c.Client().Err())
			}
			assert.Zero(t, droppedFor(b.Server(), "client that costs too much"))
			for _, c := range all {
				came := b.notes[c.ID()]
				for n, number := range came {
					require.EqualValues(t, n, number)
				}
				assert.InDelta(t, c.noted, len(came), 20, "but for those on their way")
			}
			t.Log("dropped:", droppedFor(b.Server(), "packet of a client that sends too much"))
		})
	}
}

// A server that stalled for a second receives a second's packets of 200 players at once, and reads
// all of them.
//
// Proves: Z21
func TestAStalledServerReadsAllPackets(t *testing.T) {
	if testing.Short() {
		t.Skip("200 clients")
	}
	b := newBeats(t, 60, netsim.Config{Seed: 11}, func(c *plugin.ServerConfig) { c.MaxClients = 200 })
	var all []*beating
	for id := range entangle.ClientID(200) {
		all = append(all, b.join(id+1))
	}
	b.Run(3 * time.Second)
	for range 2 {
		b.FreezeServer(time.Second)
		b.Run(2 * time.Second)
	}
	for _, c := range all {
		require.Equal(t, plugin.Connected, c.Client().State(), c.Client().Err())
	}
	assert.Zero(t, droppedFor(b.Server(), "packet of a client that sends too much"))
	assert.NotZero(t, b.Server().Stats().Work)
}

func droppedFor(s *plugin.Server, reason string) (n uint64) {
	for _, d := range s.Stats().Dropped {
		if d.Reason == reason {
			n += d.Count
		}
	}
	return n
}

// Honest players stay within the budget of a client at any tick rate and over any line. They use at
// most a tenth of it at 60 ticks per second, and a quarter at 250.
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
