package netsim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
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
	for seed := range 2 {
		g := newShots(t, rough(70*ms, 15*ms, 0.1), 3, func(g *shots) { g.life, g.parts, g.last, g.unwatched = 30, seed == 1, seed == 1, seed == 1 })
		for id := entangle.ClientID(1); id <= 3; id++ {
			g.press[id] = func(tick entangle.Tick, in *gun) {
				in.Move = int8(tick/8%3) - 1
				in.Fire = int8(max(0, int(tick+entangle.Tick(id)*entangle.Tick(seed+1))%7-4))
			}
		}
		g.runChecked(t, 200)
		g.life = forever
		g.runChecked(t, 40)
		clear(g.press)
		g.sim.Run(3 * time.Second)
		for _, p := range g.peers {
			s := p.Client().Stats()
			assert.Equal(t, g.paths(t, g.sim.World()), g.paths(t, p.World()))
			assert.Zero(t, s.Prespawned.Collisions)
			t.Log(s.Rollbacks, s.Prespawned)
		}
		assert.Greater(t, len(g.bullets(t, g.sim.World())), 30)
	}
}

// pressAt returns a player that fires in some ticks after now.
func (g *shots) pressAt(id entangle.ClientID, ticks ...entangle.Tick) {
	now := g.peers[id-1].Client().Tick()
	g.press[id] = func(tick entangle.Tick, in *gun) {
		in.Fire = int8(len(slices.DeleteFunc(slices.Clone(ticks), func(after entangle.Tick) bool { return now+after != tick })))
	}
}

// requireNoRollbacks checks that a function causes no rollback on any client.
func (g *shots) requireNoRollbacks(t *testing.T, f func()) {
	t.Helper()
	var before []plugin.RollbackStats
	for _, p := range g.peers {
		before = append(before, p.Client().Stats().Rollbacks)
	}
	f()
	for i, p := range g.peers {
		require.Equal(t, before[i].Total(), p.Client().Stats().Rollbacks.Total(), "%v", p.Client().Rollbacks())
	}
}

// The client's entity becomes the server's: the same entity of its world, with the same network id as any
// other replica, and components.Predicted from the beginning. An entity in a component that names it is
// that entity all the time.
//
// Proves: E2
func TestTheServersBulletIsTheClients(t *testing.T) {
	g := newShots(t, latency(100*ms), 1, func(g *shots) { g.life, g.parts, g.last = forever, true, true })
	w := g.peers[0].World()
	g.pressAt(1, 3)
	g.requireNoRollbacks(t, func() {
		require.True(t, g.sim.RunUntil(time.Second, func() bool { return g.count(w) == 1 }))
		var was ecs.Entity
		for _, e := range g.bullets(t, w) {
			was = e
		}
		require.Zero(t, g.count(g.sim.World()), "the server is behind")
		assert.True(t, w.Has(was, ecs.ComponentID[components.Predicted](w)))
		part := g.partOf(w, was)
		_, known := g.peers[0].Origin(was)
		assert.False(t, known)
		g.sim.Run(time.Second)
		for id, e := range g.bullets(t, w) {
			assert.Equal(t, was, e)
			on, ok := g.peers[0].Local(g.bullets(t, g.sim.World())[id])
			assert.True(t, ok)
			assert.Equal(t, was, on)
		}
		assert.Equal(t, part, g.partOf(w, was), "its child is the same one too")
		ship, _ := g.peers[0].Local(g.ships[0])
		hulls := generic.NewMap1[hull](w)
		assert.Equal(t, was, hulls.Get(ship).Last)
	})
	assert.Equal(t, plugin.PrespawnStats{Matched: 2}, g.peers[0].Client().Stats().Prespawned)
}

// partOf returns the child of a bullet.
func (g *shots) partOf(w *ecs.World, of ecs.Entity) (part ecs.Entity) {
	id := ecs.ComponentID[components.ChildOf](w)
	for q := generic.NewFilter1[components.ChildOf]().Query(w); q.Next(); {
		if w.Relations().Get(q.Entity(), id) == of {
			part = q.Entity()
		}
	}
	return part
}

// Several bullets of a player in one tick, and of two players in the same tick, each match their own. With
// salts it does not matter in which order they are spawned.
//
// Proves: E7
func TestBulletsOfOneTickDoNotMeet(t *testing.T) {
	for _, salted := range []bool{false, true} {
		g := newShots(t, latency(60*ms), 2, func(g *shots) {
			g.life = forever
			g.shuffle = salted
		})
		for id := range g.press {
			delete(g.press, id)
		}
		at := g.peers[0].Client().Tick() + 20
		for id := entangle.ClientID(1); id <= 2; id++ {
			g.press[id] = func(tick entangle.Tick, in *gun) {
				if tick == at {
					in.Fire = 5
				}
			}
		}
		g.sim.Run(2 * time.Second)
		for _, p := range g.peers {
			require.Len(t, g.bullets(t, p.World()), 10)
			assert.Equal(t, g.paths(t, g.sim.World()), g.paths(t, p.World()))
			s := p.Client().Stats()
			assert.EqualValues(t, 0, s.Prespawned.Unmatched+s.Prespawned.Collisions)
		}
	}
}

// A bullet that the server does not spawn goes after its time, and not before: twice the distance from its
// tick to the time at which interpolated entities are shown.
//
// Proves: E4
func TestABulletThatTheServerDoesNotSpawnGoes(t *testing.T) {
	g := newShots(t, latency(80*ms), 1, func(g *shots) {
		g.life, g.parts = forever, true
		g.skip = func(server bool, _ entangle.Tick) bool { return server }
	})
	client, w := g.peers[0].Client(), g.peers[0].World()
	g.pressAt(1, 3)
	require.True(t, g.sim.RunUntil(time.Second, func() bool { return g.count(w) == 1 }))
	at := client.Tick()
	shown, _ := client.InterpolationTime(1)
	wait := 2 * at.Sub(shown)
	require.Greater(t, wait, int32(20))
	require.True(t, g.sim.RunUntil(3*time.Second, func() bool { return g.count(w) == 0 }))
	assert.InDelta(t, wait, client.Tick().Sub(at), 4)
	assert.Zero(t, g.all(w), "its child goes with it")
	assert.Equal(t, plugin.PrespawnStats{Unmatched: 1}, client.Stats().Prespawned)
}

// A bullet that the client does not spawn, because it does not know why, appears like other predicted
// entities.
//
// Proves: E3
func TestABulletThatOnlyTheServerSpawns(t *testing.T) {
	g := newShots(t, latency(80*ms), 1, func(g *shots) {
		g.life = forever
		g.skip = func(server bool, _ entangle.Tick) bool { return !server }
	})
	g.pressAt(1, 3)
	g.sim.Run(2 * time.Second)
	w := g.peers[0].World()
	require.Equal(t, 1, g.count(w))
	assert.Equal(t, g.paths(t, g.sim.World()), g.paths(t, w))
	assert.EqualValues(t, 1, rollbacks(g.peers[0], plugin.BySpawn)+rollbacks(g.peers[0], plugin.ByMismatch))
	assert.Zero(t, g.peers[0].Client().Stats().Prespawned)
}

// A bullet that ends before the server's arrives is gone at once, and nothing is replayed when the server
// has spawned and despawned it too, in one sent tick or in several.
//
// Proves: E5
func TestABulletThatEndsBeforeItsMatch(t *testing.T) {
	for _, life := range []uint8{1, 2, 5} {
		for _, every := range []int{1, 3} {
			g := newShots(t, latency(100*ms), 1, func(g *shots) { g.life, g.parts, g.every = life, true, every })
			w := g.peers[0].World()
			g.pressAt(1, 3, 7, 8, 9)
			g.requireNoRollbacks(t, func() {
				g.sim.Run(100 * ms)
				assert.Zero(t, len(g.bullets(t, g.sim.World())))
				g.sim.Run(2 * time.Second)
			})
			assert.Zero(t, g.all(w))
			assert.Zero(t, g.all(g.sim.World()))
			assert.Zero(t, g.peers[0].Client().Stats().Prespawned.Unmatched)
		}
	}
}

// A bullet that ends on the client only returns, in bounded time. One that ends on the client and that the
// server does not have stays gone.
//
// Proves: E5
func TestABulletThatEndsOnTheClientOnly(t *testing.T) {
	for _, there := range []bool{true, false} {
		g := newShots(t, latency(100*ms), 1, func(g *shots) {
			g.life, g.parts = forever, true
			g.skip = func(server bool, _ entangle.Tick) bool { return server && !there }
		})
		w, end := g.peers[0].World(), true
		g.pressAt(1, 3)
		g.end = func(server bool) bool { return !server && end }
		require.True(t, g.sim.RunUntil(time.Second, func() bool { return g.ended > 0 }))
		end = false // in replays too
		assert.Zero(t, g.count(w))
		g.sim.Run(time.Second)
		assert.Equal(t, g.paths(t, g.sim.World()), g.paths(t, w))
		want := 0
		if there {
			want = 2
		}
		assert.Equal(t, want, g.all(w))
	}
}

// A rollback to before the spawn of a bullet, before its match and after it, leaves it the same entity, and
// so do rollbacks to ticks after it.
//
// Proves: E6, E12
func TestABulletStaysTheSameThroughRollbacks(t *testing.T) {
	for _, back := range []entangle.Tick{1, 4, 8, 30} {
		g := newShots(t, latency(100*ms), 1, func(g *shots) { g.life, g.parts, g.last = forever, true, true })
		w, client := g.peers[0].World(), g.peers[0].Client()
		g.pressAt(1, 3)
		require.True(t, g.sim.RunUntil(time.Second, func() bool { return g.count(w) == 1 }))
		g.sim.Run(100 * ms)
		before := g.bullets(t, w)
		for range 60 {
			plugin.RequestRollback(w, client.Tick()-back)
			g.sim.Run(time.Second / 60)
			require.Equal(t, before, g.bullets(t, w))
			require.Equal(t, 2, g.all(w))
			ship, _ := g.peers[0].Local(g.ships[0])
			hulls := generic.NewMap1[hull](w)
			for _, e := range before {
				require.Equal(t, e, hulls.Get(ship).Last)
				require.False(t, g.partOf(w, e).IsZero())
			}
		}
		s := client.Stats()
		assert.EqualValues(t, 2, s.Prespawned.Matched)
		assert.Zero(t, s.Prespawned.Unmatched)
		assert.Equal(t, s.Rollbacks.Total(), s.Rollbacks.Rollbacks[plugin.ByRequest], "and nothing differs")
		assert.Equal(t, g.paths(t, g.sim.World()), g.paths(t, w))
		if back > 10 {
			assert.Positive(t, s.Prespawned.Merged)
		}
	}
}

// A replay that does not fire removes the bullet, unless the server has it.
//
// Proves: E6
func TestAReplayThatDoesNotFire(t *testing.T) {
	g := newShots(t, latency(100*ms), 1, func(g *shots) { g.life, g.parts = forever, true })
	w, client, jam := g.peers[0].World(), g.peers[0].Client(), false
	g.skip = func(server bool, _ entangle.Tick) bool { return server || jam }
	g.pressAt(1, 3)
	require.True(t, g.sim.RunUntil(time.Second, func() bool { return g.count(w) == 1 }))
	g.sim.Run(50 * ms)
	jam = true
	plugin.RequestRollback(w, client.Tick()-10)
	g.sim.Run(20 * ms)
	assert.Zero(t, g.all(w))
	assert.Zero(t, client.Stats().Prespawned)
}

// Components of a bullet roll back before its match: one that it has now and did not have then is removed,
// one that it had is put back, and so is a bullet that has ended since.
//
// Proves: E12
func TestABulletRollsBackBeforeItsMatch(t *testing.T) {
	g := newShots(t, latency(300*ms), 1, func(g *shots) {
		g.life = 8
		g.skip = func(server bool, _ entangle.Tick) bool { return server }
	})
	w, client := g.peers[0].World(), g.peers[0].Client()
	g.pressAt(1, 3)
	require.True(t, g.sim.RunUntil(time.Second, func() bool { return g.count(w) == 1 }))
	at := client.Tick()
	var e ecs.Entity
	for _, e = range g.bullets(t, w) {
	}
	seen := map[entangle.Tick]string{}
	g.look = func(w *ecs.World) {
		now, state := ecs.GetResource[components.Time](w), "gone"
		if m := generic.NewMap1[bullet](w); g.count(w) > 0 {
			state = fmt.Sprint(*m.Get(e), w.Has(e, ecs.ComponentID[shooter](w)))
		}
		if was, again := seen[now.Tick]; again {
			assert.Equal(t, was, state, "tick %d", now.Tick)
		}
		seen[now.Tick] = state
	}
	g.flip = func(age int) bool { return age%4 < 2 }
	g.sim.Run(250 * ms)
	for back := entangle.Tick(1); back < 14; back++ {
		plugin.RequestRollback(w, client.Tick()-back)
		g.sim.Run(time.Second / 60)
	}
	assert.Positive(t, rollbacks(g.peers[0], plugin.ByRequest))
	assert.Equal(t, "gone", seen[at+12])
	assert.NotEqual(t, "gone", seen[at+2])
}

// A second entity with a Hash of the game matches nothing, and goes.
//
// Proves: E8, E1
func TestTheFirstBulletOfAHashKeepsIt(t *testing.T) {
	g := newShots(t, latency(80*ms), 1, func(g *shots) {
		g.life = forever
		g.edit = func(_ firing, p *components.Prespawned) { p.Hash = 77 }
	})
	w := g.peers[0].World()
	at := g.peers[0].Client().Tick() + 3
	g.press[1] = func(tick entangle.Tick, in *gun) {
		if tick == at {
			in.Fire = 2
		}
	}
	require.True(t, g.sim.RunUntil(time.Second, func() bool { return g.count(w) == 2 }))
	before := g.bullets(t, w)
	g.sim.Run(3 * time.Second)
	assert.Equal(t, g.paths(t, g.sim.World()), g.paths(t, w))
	after := g.bullets(t, w)
	id := bulletID{1, uint32(at), 0}
	assert.Equal(t, before[id], after[id])
	s := g.peers[0].Client().Stats().Prespawned
	assert.EqualValues(t, 1, s.Matched)
	assert.EqualValues(t, 1, s.Unmatched)
	assert.Positive(t, s.Collisions)
}

// A Hash of the game is used as it is, on both sides.
//
// Proves: E1
func TestAHashOfTheGame(t *testing.T) {
	g := newShots(t, latency(80*ms), 1, func(g *shots) {
		g.life = forever
		g.edit = func(s firing, p *components.Prespawned) { p.Hash = s.salt }
	})
	g.pressAt(1, 3, 4, 9)
	g.requireNoRollbacks(t, func() { g.sim.Run(2 * time.Second) })
	assert.Equal(t, plugin.PrespawnStats{Matched: 3}, g.peers[0].Client().Stats().Prespawned)
}

// An entity that is spawned outside of FixedMain is reported with the fix, on either side, and no entity is
// taken for it.
//
// Proves: E13
func TestABulletOutsideOfFixedMainIsReported(t *testing.T) {
	for _, server := range []bool{true, false} {
		g := newShots(t, latency(50*ms), 1)
		w := g.peers[0].World()
		if server {
			w = g.sim.World()
		}
		m := generic.NewMap2[bullet, components.Prespawned](w)
		e := m.NewWith(&bullet{Left: forever}, &components.Prespawned{})
		g.sim.Run(time.Second)
		_, p := m.Get(e)
		assert.Zero(t, p.Hash)
		assert.False(t, w.Has(e, ecs.ComponentID[components.Predicted](w)))
		assert.Contains(t, g.log.String(), "spawned outside of plugin.FixedMain")
		assert.Contains(t, g.log.String(), "spawn it in a system in plugin.FixedMain, on the server and on the client")
		m.NewWith(&bullet{Left: forever}, &components.Prespawned{})
		g.sim.Run(time.Second)
		assert.Equal(t, 1, strings.Count(g.log.String(), "outside of plugin.FixedMain"), "once")
		assert.Zero(t, g.peers[0].Client().Stats().Prespawned)
	}
}

// Only clients that predict a bullet get its hash. To the others it is an entity of the server, and a client
// that comes later gets it like any other.
//
// Proves: E2, E3
func TestOnlyClientsThatPredictABulletGetItsHash(t *testing.T) {
	g := newShots(t, latency(60*ms), 2, func(g *shots) { g.life, g.target, g.parts = forever, components.Owner, true })
	g.pressAt(1, 3, 9)
	g.requireNoRollbacks(t, func() { g.sim.Run(time.Second) })
	for i, p := range g.peers {
		w := p.World()
		require.Equal(t, 4, g.all(w))
		for _, e := range g.bullets(t, w) {
			assert.Equal(t, i == 0, w.Has(e, ecs.ComponentID[components.Prespawned](w)))
			assert.Equal(t, i == 0, w.Has(e, ecs.ComponentID[components.Predicted](w)))
		}
	}
	assert.Equal(t, plugin.PrespawnStats{Matched: 4}, g.peers[0].Client().Stats().Prespawned)
	assert.Zero(t, g.peers[1].Client().Stats().Prespawned)
	g.peers[0].Disconnect()
	g.sim.Run(time.Second)
	assert.Zero(t, g.all(g.peers[0].World()))
}

// A client that is disconnected has no prespawned entities any more, matched or not; without a connection, a
// bullet is the game's own.
func TestADisconnectRemovesBullets(t *testing.T) {
	g := newShots(t, latency(100*ms), 1, func(g *shots) { g.life, g.parts = forever, true })
	w := g.peers[0].World()
	g.pressAt(1, 3, 30)
	require.True(t, g.sim.RunUntil(2*time.Second, func() bool { return g.count(w) == 2 }))
	g.peers[0].Disconnect()
	g.sim.Run(100 * ms)
	assert.Zero(t, g.all(w))
	m := generic.NewMap2[bullet, components.Prespawned](w)
	e := m.NewWith(&bullet{Left: forever}, &components.Prespawned{})
	g.sim.Run(time.Second)
	assert.True(t, w.Alive(e))
	assert.False(t, w.Has(e, ecs.ComponentID[components.Predicted](w)))
}

// A host's player needs no hash: it shares the server's world. Remote clients that predict it spawn its bullets
// too, and have those of the server once it rests.
func TestBulletsOfAHost(t *testing.T) {
	sim := netsim.New(t, netsim.Config{Link: latency(60 * ms)})
	g := &shots{press: map[entangle.ClientID]func(entangle.Tick, *gun){}, life: forever, target: components.Everyone, sim: sim}
	host, err := plugin.NewHost(sim.ServerConfig(shotsProtocol()), 9)
	require.NoError(t, err)
	g.addSystems(host, true)
	host.AddSystem(plugin.FixedInput, g.player(9))
	sim.AddHost(host, host)
	client := newClient(t, sim.ClientConfig(shotsProtocol()))
	g.addSystems(client, false)
	g.peers = append(g.peers, sim.AddClient(1, client, client))
	sim.Run(time.Second)
	ships := generic.NewMap4[gun, hull, components.ControlledBy, components.Replicate](sim.World())
	for _, id := range []entangle.ClientID{9, 1} {
		ships.NewWith(&gun{}, &hull{}, &components.ControlledBy{Client: id}, &components.Replicate{Predict: components.Everyone})
	}
	sim.Run(2 * time.Second)
	g.press[9] = func(tick entangle.Tick, in *gun) { in.Fire = int8(tick % 20 / 19) }
	sim.Run(2 * time.Second)
	g.press[9] = nil
	sim.Run(time.Second)
	require.Greater(t, len(g.bullets(t, sim.World())), 3)
	assert.Equal(t, g.paths(t, sim.World()), g.paths(t, client.World()))
}

// Hundreds of bullets in each tick match without a rollback, and thousands that match nothing are bounded and
// gone after their time.
//
// Proves: E4, E7
func TestManyBullets(t *testing.T) {
	for _, there := range []bool{true, false} {
		g := newShots(t, latency(60*ms), 1, func(g *shots) {
			g.life, g.unwatched = 30, true
			g.skip = func(server bool, _ entangle.Tick) bool { return server && !there }
		})
		if !there {
			g.life = forever
		}
		g.press[1] = func(_ entangle.Tick, in *gun) { in.Fire = 100 }
		before := g.peers[0].Client().Stats().Rollbacks.Rollbacks[plugin.BySpawn]
		g.sim.Run(700 * ms)
		s := g.peers[0].Client().Stats()
		assert.LessOrEqual(t, g.count(g.peers[0].World()), 4200)
		assert.Equal(t, before, s.Rollbacks.Rollbacks[plugin.BySpawn])
		if there {
			assert.Greater(t, s.Prespawned.Matched, uint64(2000))
			assert.Zero(t, s.Prespawned.Unmatched+s.Prespawned.Overflow)
		}
		g.press[1] = nil
		g.sim.Run(3 * time.Second)
		assert.Zero(t, g.all(g.peers[0].World()))
	}
}

// 25 bullets with a child each in every tick are a thousand predicted entities that come and go, in a dozen packets of which
// one is lost. All the same the ticks are confirmed, and each bullet finds the server's.
//
// Proves: E2
func TestManyBulletsOverABadNetwork(t *testing.T) {
	g := newShots(t, rough(60*ms, 5*ms, 0.1), 1, func(g *shots) { g.life, g.parts, g.unwatched = 40, true, true })
	g.press[1] = func(_ entangle.Tick, in *gun) { in.Fire = 25 }
	g.requireNoRollbacks(t, func() { g.sim.Run(3 * time.Second) })
	s := g.peers[0].Client().Stats()
	assert.Greater(t, s.Prespawned.Matched, uint64(8000))
	assert.Zero(t, s.Prespawned.Unmatched+s.Prespawned.Overflow)
	assert.Zero(t, s.Rollbacks.Resyncs)
	assert.InDelta(t, 1000, g.count(g.peers[0].World()), 50)
}
