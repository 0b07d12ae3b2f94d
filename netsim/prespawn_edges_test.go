package netsim_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// A child that is the client's own, and no prespawned entity, stays with its bullet when a replay repeats the
// spawn of both.
//
// Proves: E6
func TestALocalChildStaysWithItsBullet(t *testing.T) {
	g := newShots(t, latency(100*ms), 1, func(g *shots) { g.life = forever })
	w, client := g.peers[0].World(), g.peers[0].Client()
	sparks := generic.NewMap2[spark, components.ChildOf](w, generic.T[components.ChildOf]())
	g.look = func(w *ecs.World) {
		for _, e := range g.bullets(t, w) {
			if g.partOf(w, e).IsZero() {
				sparks.New(e)
			}
		}
	}
	g.pressAt(1, 3)
	require.True(t, g.sim.RunUntil(time.Second, func() bool { return g.count(w) == 1 }))
	g.sim.Run(50 * ms)
	for range 30 {
		plugin.RequestRollback(w, client.Tick()-20)
		g.sim.Run(time.Second / 60)
		q := generic.NewFilter1[spark]().Query(w)
		assert.Equal(t, 1, q.Count())
		q.Close()
		for _, e := range g.bullets(t, w) {
			assert.False(t, g.partOf(w, e).IsZero())
		}
	}
	assert.Positive(t, client.Stats().Prespawned.Merged)
}

// The children of two players' bullets of one tick do not meet either, in whatever order they are spawned: their
// owner is that of their parent.
//
// Proves: E7
func TestChildrenOfTwoPlayersBulletsDoNotMeet(t *testing.T) {
	g := newShots(t, latency(60*ms), 2, func(g *shots) { g.life, g.parts, g.shuffle = forever, true, true })
	at := g.peers[0].Client().Tick() + 20
	for id := entangle.ClientID(1); id <= 2; id++ {
		g.press[id] = func(tick entangle.Tick, in *gun) {
			if !tick.Before(at) && tick.Before(at+12) {
				in.Fire = 1
			}
		}
	}
	g.sim.Run(3 * time.Second)
	for _, p := range g.peers {
		require.Len(t, g.bullets(t, p.World()), 24)
		s := p.Client().Stats()
		assert.Zero(t, s.Prespawned.Unmatched+s.Prespawned.Collisions)
		assert.Zero(t, s.Rollbacks.Rollbacks[plugin.ByMismatch]+s.Rollbacks.Rollbacks[plugin.ByStructure], "%v", p.Client().Rollbacks())
	}
	g.sim.Run(time.Second)
}

// Only components that are compared count: a bullet that lacks another component on one side matches.
//
// Proves: E1
func TestABulletWithOtherComponentsOnTheServer(t *testing.T) {
	g := newShots(t, latency(60*ms), 1, func(g *shots) { g.life = forever })
	g.main = func(server bool, w *ecs.World) {
		for _, e := range g.bullets(t, w) {
			if server && !w.Has(e, ecs.ComponentID[hue](w)) {
				w.Add(e, ecs.ComponentID[hue](w))
				valueOn[hue](w, e).Colour = 5
			}
		}
	}
	g.pressAt(1, 3)
	w, client := g.peers[0].World(), g.peers[0].Client()
	g.requireNoRollbacks(t, func() { g.sim.Run(time.Second / 2) })
	assert.Equal(t, plugin.PrespawnStats{Matched: 1}, client.Stats().Prespawned)
	for _, e := range g.bullets(t, w) {
		plugin.RequestRollback(w, client.Tick()-50) // to before the spawn
		g.sim.Run(time.Second / 60)
		require.Positive(t, client.Stats().Prespawned.Merged)
		require.NotNil(t, valueOn[hue](w, e))
		assert.EqualValues(t, 5, valueOn[hue](w, e).Colour)
	}
}

// A bullet that a replay spawns for the first time waits for as long as any other.
//
// Proves: E4
func TestABulletOfAReplayWaitsForTheServers(t *testing.T) {
	jam := true
	g := newShots(t, latency(80*ms), 1, func(g *shots) { g.life = forever })
	g.skip = func(server bool, _ entangle.Tick) bool { return server || jam }
	client, w := g.peers[0].Client(), g.peers[0].World()
	g.pressAt(1, 3)
	at := client.Tick() + 3
	require.True(t, g.sim.RunUntil(time.Second, func() bool { return client.Tick() == at+8 }))
	shown, _ := client.InterpolationTime(1)
	wait := 2 * client.Tick().Sub(shown)
	jam = false
	plugin.RequestRollback(w, at-2)
	g.sim.Run(time.Second / 20)
	require.Equal(t, 1, g.count(w), "%v", client.Rollbacks())
	require.True(t, g.sim.RunUntil(3*time.Second, func() bool { return g.count(w) == 0 }))
	assert.InDelta(t, wait, client.Tick().Sub(at), 4)
}

// An entity that arrives from the server is not taken for one that the game has spawned in the wrong place.
//
// Proves: E13
func TestABulletOfTheServerIsNotReported(t *testing.T) {
	g := newShots(t, latency(80*ms), 1, func(g *shots) {
		g.life = forever
		g.skip = func(server bool, _ entangle.Tick) bool { return !server }
	})
	g.pressAt(1, 3)
	g.sim.Run(time.Second)
	require.Equal(t, 1, g.count(g.peers[0].World()))
	assert.NotContains(t, g.log.String(), "Prespawned")
}

// A bullet that loses components.Prespawned in its tick is not prespawned.
func TestABulletThatLosesItsMarkInItsTick(t *testing.T) {
	g := newShots(t, latency(80*ms), 1, func(g *shots) { g.life = forever })
	g.main = func(_ bool, w *ecs.World) {
		var marked []ecs.Entity
		for q := generic.NewFilter1[components.Prespawned]().Query(w); q.Next(); {
			marked = append(marked, q.Entity())
		}
		for _, e := range marked {
			w.Remove(e, ecs.ComponentID[components.Prespawned](w))
		}
	}
	g.pressAt(1, 3)
	g.sim.Run(time.Second)
	assert.Equal(t, 2, g.count(g.peers[0].World()), "the client's own, and the server's")
	assert.Zero(t, g.peers[0].Client().Stats().Prespawned)
}

// A blueprint with a past tick that a shared system adds is used in the next tick, on both sides, without a
// rollback.
//
// Proves: T4
func TestASharedSystemUsesABlueprintOfThePast(t *testing.T) {
	g := newRocks(t, latency(60*ms), 1)
	at := g.peers[0].Client().Tick() + 20
	g.main = func(w *ecs.World, tick entangle.Tick) {
		if tick == at-1 {
			plans := generic.NewMap3[rockPlan, components.Prespawned, components.Replicate](w)
			plan := rockPlan{At: components.At{Tick: tick - 3}, Seed: 1, X: 5}
			plans.NewWith(&plan, &components.Prespawned{}, &components.Replicate{Predict: components.Everyone})
		}
	}
	g.sim.Run(2 * time.Second)
	assert.Zero(t, g.peers[0].Client().Stats().Rollbacks.Total(), "%v", g.peers[0].Client().Rollbacks())
	g.requireEqualFrom(t, 1, 1, at, g.server.Tick())
}

// An entity that the client does not predict has the components that the server sends, and no others: one that the
// server has removed is not assembled. It is assembled as soon as its tick has arrived, if it is not interpolated,
// and again from a second blueprint.
//
// Proves: T4
func TestARemoteRockHasWhatTheServerSends(t *testing.T) {
	g := newRocks(t, latency(60*ms), 1)
	var e ecs.Entity
	at := g.server.Tick() + 40
	g.between = func(w *ecs.World, _ entangle.Tick) {
		e = g.place(w, 1, at, components.Nobody)
		valueOn[components.Replicate](w, e).Interpolate = components.Nobody
		g.between = nil
	}
	g.main = func(w *ecs.World, tick entangle.Tick) {
		if w == g.sim.World() && tick == at {
			w.Remove(e, ecs.ComponentID[rock](w))
		}
	}
	w, client := g.sim.World(), g.peers[0].World()
	assembled := func() bool {
		local, ok := g.peers[0].Local(e)
		return ok && valueOn[spin](client, local) != nil
	}
	require.True(t, g.sim.RunUntil(2*time.Second, assembled))
	assert.LessOrEqual(t, g.server.Tick().Sub(at), int32(7), "60 ms after the end of its tick")
	local, _ := g.peers[0].Local(e)
	assert.Nil(t, valueOn[rock](client, local))

	w.Remove(e, ecs.ComponentID[rockPlan](w))
	g.sim.Run(time.Second)
	w.Add(e, ecs.ComponentID[rockPlan](w))
	valueOn[rockPlan](w, e).Seed = 2
	g.sim.Run(time.Second)
	assert.Equal(t, []int{2, 2}, g.assembled)
	g.requireEqualAtRest()
}

// With a Hash of the game, the client may spawn a bullet some ticks before the server does.
//
// Proves: E1
func TestABulletThatTheClientSpawnsEarlier(t *testing.T) {
	for _, earlier := range []entangle.Tick{1, 6} {
		g := newShots(t, latency(80*ms), 1, func(g *shots) {
			g.life, g.unwatched = forever, true
			g.edit = func(_ firing, p *components.Prespawned) { p.Hash = 77 }
		})
		first := g.peers[0].Client().Tick() + 3
		g.skip = func(server bool, tick entangle.Tick) bool { return server == (tick == first) }
		g.pressAt(1, 3, 3+earlier)
		for range 120 {
			g.sim.Run(time.Second / 60)
			require.LessOrEqual(t, g.count(g.peers[0].World()), 1)
		}
		assert.Equal(t, plugin.PrespawnStats{Matched: 1}, g.peers[0].Client().Stats().Prespawned)
	}
}

// A message or an input that names a bullet before its match arrives at the server without an entity. From the match on
// it arrives with the server's.
//
// Proves: E2
func TestABulletIsNamedBeforeItsMatch(t *testing.T) {
	g := newShots(t, latency(100*ms), 1, func(g *shots) { g.life = forever })
	client, w, on := g.peers[0].Client(), g.peers[0].World(), g.sim.World()
	send, received := plugin.NewSender[pointing](w), plugin.NewReader[plugin.MessageReceived[pointing]](on)
	guns := generic.NewFilter1[gun]()
	at, of := client.Tick()+3, func() (e ecs.Entity) {
		for _, e = range g.bullets(t, w) {
		}
		return e
	}
	inputs, messages, matched := map[entangle.Tick]ecs.Entity{}, []ecs.Entity{}, entangle.Tick(0)
	g.press[1] = func(tick entangle.Tick, in *gun) {
		if in.At = of(); tick == at {
			in.Fire = 1
		}
		if matched == 0 && client.Stats().Prespawned.Matched > 0 {
			matched = tick
		}
	}
	g.main = func(server bool, w *ecs.World) {
		if server {
			for q := guns.Query(w); q.Next(); {
				inputs[ecs.GetResource[components.Time](w).Tick] = q.Get().At
			}
			for _, m := range received.Read() {
				messages = append(messages, m.Message.At)
			}
		}
	}
	require.True(t, g.sim.RunUntil(time.Second, func() bool { return g.count(w) == 1 }))
	require.NoError(t, send.Send(components.Server, pointing{of()}))
	require.True(t, g.sim.RunUntil(time.Second, func() bool { return matched != 0 }))
	require.NoError(t, send.Send(components.Server, pointing{of()}))
	g.sim.Run(time.Second)
	is, ok := g.peers[0].Origin(of())
	require.True(t, ok)
	assert.Equal(t, []ecs.Entity{{}, is}, messages)
	require.Greater(t, matched.Sub(at), int32(5))
	for tick := at + 1; tick.Before(matched); tick++ {
		require.Zero(t, inputs[tick], "tick %d", tick)
	}
	for tick := matched; tick.Before(matched + 20); tick++ {
		require.Equal(t, is, inputs[tick], "tick %d", tick)
	}
}

// If the server despawns a bullet and spawns another one with its hash in one update, the client has the new one, which
// is the one that a replay spawns again. It is also the only one left on a client that has spawned both.
//
// Proves: E8
func TestABulletThatReplacesOneOfItsHash(t *testing.T) {
	for _, ahead := range []bool{false, true} {
		for _, every := range []int{1, 3} {
			jam := true
			g := newShots(t, latency(80*ms), 1, func(g *shots) {
				g.life, g.every, g.unwatched = forever, every, true
				g.edit = func(_ firing, p *components.Prespawned) { p.Hash = 77 }
			})
			g.skip = func(server bool, _ entangle.Tick) bool { return !server && !ahead && jam }
			first := g.peers[0].Client().Tick() + 3
			second := first + 40
			g.pressAt(1, 3, 43)
			g.main = func(_ bool, w *ecs.World) {
				if ecs.GetResource[components.Time](w).Tick != second {
					return
				}
				for id, e := range g.bullets(t, w) {
					if id.tick == uint32(first) {
						plugin.Despawn(w, e)
					}
				}
			}
			w, client := g.peers[0].World(), g.peers[0].Client()
			is := bulletID{1, uint32(second), 0}
			require.True(t, g.sim.RunUntil(2*time.Second, func() bool {
				_, there := g.bullets(t, g.sim.World())[is]
				return there && g.server.Tick().Sub(second) > 8
			}))
			if ahead {
				g.sim.Run(2 * time.Second)
				assert.Equal(t, g.paths(t, g.sim.World()), g.paths(t, w))
				continue
			}
			before := g.bullets(t, w)
			require.Len(t, before, 1)
			require.Contains(t, before, is)
			jam = false
			plugin.RequestRollback(w, second-1)
			g.sim.Run(time.Second / 20)
			assert.Equal(t, before, g.bullets(t, w), "every %d", every)
			assert.EqualValues(t, 1, client.Stats().Prespawned.Merged)
			assert.Zero(t, client.Stats().Prespawned.Collisions)
		}
	}
}
