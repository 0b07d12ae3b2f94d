package netsim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
)

// A bullet is there in the tick of the key press, and stays the same entity when the server's arrives,
// without a rollback.
//
// Proves: E1, E2
func TestABulletIsThereAtOnce(t *testing.T) {
	g := newShots(t, latency(80*time.Millisecond), 1)
	before := g.peers[0].Client().Stats()
	g.press[1] = func(tick entangle.Tick, in *gun) {
		in.Move = 1
		if tick%10 == 0 {
			in.Fire = 1
		}
	}
	g.sim.Run(10 * time.Second)
	after := g.peers[0].Client().Stats()
	t.Log(after.Rollbacks, after.Prespawned)
	assert.Equal(t, before.Rollbacks, after.Rollbacks)
	assert.Zero(t, rollbacks(g.peers[0], plugin.BySpawn))
}

// With loss, jitter and several players who predict each other, no bullet is there twice at any time, and
// at rest the clients have the bullets of the server.
//
// Proves: E2, E3, E6, E7
func TestBulletsOverABadNetwork(t *testing.T) {
	for seed := range 4 {
		g := newShots(t, rough(70*ms, 15*ms, 0.1), 3, func(g *shots) { g.life, g.parts = 30, seed%2 == 1 })
		for id := entangle.ClientID(1); id <= 3; id++ {
			g.press[id] = func(tick entangle.Tick, in *gun) {
				in.Move = int8(tick/8%3) - 1
				in.Fire = int8(max(0, int(tick+entangle.Tick(id)*entangle.Tick(seed+1))%7-4))
			}
		}
		g.runChecked(t, 300)
		g.life = forever
		g.runChecked(t, 60)
		clear(g.press)
		g.sim.Run(3 * time.Second)
		for _, p := range g.peers {
			s := p.Client().Stats()
			assert.Equal(t, g.paths(t, g.sim.World()), g.paths(t, p.World()))
			assert.Zero(t, s.Prespawned.Collisions)
			t.Log(s.Rollbacks, s.Prespawned)
		}
		assert.Greater(t, len(g.bullets(t, g.sim.World())), 50)
	}
}
