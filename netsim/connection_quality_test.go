package netsim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// The quality that each side reports for a player's connection reflects the state of the network.
func TestQualityReflectsTheNetwork(t *testing.T) {
	for want, link := range map[plugin.Quality]conditioner.Config{
		plugin.Good: {Latency: 80 * ms, Jitter: 5 * ms, Loss: 0.01},
		plugin.Fair: {Latency: 80 * ms, Jitter: 5 * ms, Loss: 0.10},
		plugin.Poor: {Latency: 80 * ms, Jitter: 5 * ms, Loss: 0.35},
	} {
		b := newBeats(t, 60, netsim.Config{Link: netsim.Symmetric(link)})
		b.loud = true
		c := b.join(1)
		server, client := map[plugin.Quality]int{}, map[plugin.Quality]int{}
		b.Run(5 * time.Second)
		for range 400 {
			b.Run(50 * ms)
			client[c.Client().Stats().Link.Quality]++
			for _, info := range b.Server().Clients() {
				server[info.Quality]++
			}
		}
		assert.Greater(t, client[want], 300, "%v at the client: %v", want, client)
		assert.Greater(t, server[want], 300, "%v at the server: %v", want, server)
	}
}

// Both sides measure the round trip of a line, and of the frames that read what has arrived: when
// nothing is sent but what the engine needs, and when half of all packets get lost.
//
// Proves: P20
func TestTheRoundTripOfIdleAndLossyLines(t *testing.T) {
	const line, trip = 39 * ms, 100 * ms // 78 ms on the line, and 22 ms until frames read
	for name, loss := range map[string]float64{"idle": 0, "half of all packets get lost": 0.5} {
		for _, moving := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, moving %v", name, moving), func(t *testing.T) {
				sim := newSim(t, netsim.Config{Link: rough(line, 0, loss)})
				e := spawnSpot(sim, Spot{})
				c := join(t, sim, 1)
				sim.Run(10 * time.Second)
				for range 200 {
					if moving {
						spotOf(sim.World(), e).X++
					}
					sim.Run(100 * ms)
					require.InEpsilon(t, trip, c.Client().Stats().Link.RTT, 0.1, "the client")
					require.InEpsilon(t, trip, sim.Server().Clients()[0].RTT, 0.1, "the server")
				}
			})
		}
	}
}
