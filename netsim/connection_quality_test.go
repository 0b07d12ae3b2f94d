package netsim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

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
