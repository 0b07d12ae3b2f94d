package netsim_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
)

// fourClients is the game of docs/PREDICTION.md, "Shots ahead of their tick": client A shoots with an input delay, and the
// others watch from near and far.
func fourClients(t *testing.T) *volleys {
	links := []netsim.Link{latency(20 * ms)}
	for _, watcher := range []time.Duration{60, 150, 5} { // B, D, C
		links = append(links, latency(watcher*ms))
	}
	return newVolleys(t, links)
}

func TestX(t *testing.T) {
	g := fourClients(t)
	key := g.fireAt(1, 10, 7)
	g.sim.Run(3 * time.Second)
	for i, seen := range g.seen[1:] {
		t.Log(i+1, key, *seen[key], g.peers[i].Client().Stats().Rollbacks, g.peers[i].Client().Stats().Prespawned)
		g.requireEqualFrom(t, i+1, key)
	}
	t.Log(g.server.Stats().Inputs)
	_ = assert.Equal
	_ = require.Equal
	_ = ecs.Entity{}
	_ = components.Everyone
}
