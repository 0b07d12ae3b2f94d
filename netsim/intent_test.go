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
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
)

// The four clients of docs/PREDICTION.md, "Shots ahead of their tick": A shoots with an input delay, and the
// others watch, from lines of different latencies.
const (
	clientA = iota + 1
	clientB
	clientC
	clientD
)

// fourClients returns a game in which client A has fired a shot, and all of it has long arrived.
func fourClients(t *testing.T) (g *volleys, key shotKey) {
	g = newVolleys(t, []netsim.Link{
		clientA - 1: latency(20 * ms), clientB - 1: latency(60 * ms), clientC - 1: latency(5 * ms), clientD - 1: latency(150 * ms),
	})
	key = g.fireAt(clientA, 10, 7)
	g.sim.Run(3 * time.Second)
	return g, key
}

// The shooter has one entity from the frame on in which it presses the key. The server's entity becomes that
// one, and is assembled in the tick of the input; nothing is rolled back.
//
// Proves: T7, T10, T12
func TestIntentOfClientA(t *testing.T) {
	g, key := fourClients(t)
	p, seen := g.peers[clientA-1], g.seen[clientA][key]
	assert.Equal(t, key.tick-entangle.Tick(g.delay), seen.at, "the tick of the key")
	assert.True(t, seen.waiting)
	assert.Zero(t, seen.others, "it is always this one entity")
	is, ok := p.Local(shotOf(g.sim.World(), key))
	assert.True(t, ok)
	assert.Equal(t, seen.entity, is)
	assert.Equal(t, plugin.PrespawnStats{Matched: 1}, p.Client().Stats().Prespawned)
	assert.Zero(t, p.Client().Stats().Rollbacks.Total(), "%v", p.Client().Rollbacks())
	g.requireEqualFrom(t, clientA, key)
}

// Client B is about to compute the tick when the entity arrives, without anything that the server has
// assembled. It assembles the entity itself.
//
// Proves: T7
func TestIntentOfClientB(t *testing.T) {
	g, key := fourClients(t)
	seen := g.seen[clientB][key]
	assert.Equal(t, key.tick-1, seen.at)
	assert.True(t, seen.waiting)
	assert.Zero(t, seen.others)
	assert.Zero(t, g.peers[clientB-1].Client().Stats().Rollbacks.Total())
	g.requireEqualFrom(t, clientB, key)
}

// Client C is near: the entity waits for its tick there.
//
// Proves: T7
func TestIntentOfClientC(t *testing.T) {
	g, key := fourClients(t)
	seen := g.seen[clientC][key]
	assert.True(t, seen.at.Before(key.tick-3))
	assert.True(t, seen.waiting)
	assert.Zero(t, seen.others)
	assert.Zero(t, g.peers[clientC-1].Client().Stats().Rollbacks.Total())
	g.requireEqualFrom(t, clientC, key)
}

// Client D is far away: it has computed the tick when the entity arrives. It rolls back, assembles the
// entity in the replay of its tick, and has computed the same as the server from that tick on.
//
// Proves: T7
func TestIntentOfClientD(t *testing.T) {
	g, key := fourClients(t)
	seen, stats := g.seen[clientD][key], g.peers[clientD-1].Client().Stats().Rollbacks
	assert.True(t, (key.tick + 3).Before(seen.at))
	assert.True(t, seen.waiting)
	assert.Zero(t, seen.others)
	assert.EqualValues(t, 1, stats.Rollbacks[plugin.BySpawn]+stats.Rollbacks[plugin.ByBlueprint])
	assert.Zero(t, stats.Rollbacks[plugin.ByStructure]+stats.Rollbacks[plugin.ByMismatch])
	g.requireEqualFrom(t, clientD, key)
}

// A client that stands still while the shot is fired gets it as of a tick that the client has still to compute: before,
// in and after the tick of the shot. It assembles the shot in its tick, also then.
//
// Proves: T7
func TestIntentOfAClientThatStandsStill(t *testing.T) {
	for before := range entangle.Tick(10) {
		g := newVolleys(t, []netsim.Link{latency(20 * ms), latency(5 * ms)}, func(g *volleys) { g.delay = 0 })
		key := g.fireAt(1, 20, 7)
		press := g.press[1]
		g.press[1] = func(tick entangle.Tick, in *volley) { // the ship stays where it is, so that nothing is mispredicted
			press(tick, in)
			in.Move = 0
		}
		require.True(t, g.sim.RunUntil(time.Second, func() bool { return g.server.Tick() == key.tick-before }))
		g.peers[1].Freeze(120 * ms)
		g.sim.Run(2 * time.Second)
		g.requireEqualFrom(t, 2, key)
	}
}

// The server spawns the entity when the input has arrived, long before its tick: without a position or
// anything else but the blueprint, as a child of the shooter. In its tick it is assembled, and is a child no
// more.
//
// Proves: T10, T11
func TestTheServerSpawnsAnIntentAtReceipt(t *testing.T) {
	g := newVolleys(t, []netsim.Link{latency(20 * ms), latency(60 * ms)})
	key := g.fireAt(1, 10, 7)
	w, client := g.sim.World(), g.peers[0].Client()
	require.True(t, g.sim.RunUntil(time.Second, func() bool { return !shotOf(w, key).IsZero() }))
	assert.True(t, g.server.Tick().Before(key.tick-6), "tick %d of %v", g.server.Tick(), key)
	assert.True(t, client.Tick().Before(key.tick-6))
	e, of := shotOf(w, key), ecs.ComponentID[components.IntentOf](w)
	assert.Nil(t, valueOn[ball](w, e))
	assert.Nil(t, valueOn[fuse](w, e))
	assert.Equal(t, g.ships[0], w.Relations().Get(e, of))
	assert.Equal(t, components.ControlledBy{Client: 1}, *valueOn[components.ControlledBy](w, e))
	require.True(t, g.sim.RunUntil(time.Second, func() bool { return valueOn[ball](w, e) != nil }))
	assert.Equal(t, key.tick, g.server.Tick())
	assert.False(t, w.Has(e, of))
	assert.EqualValues(t, 1, g.server.Stats().Inputs.Intents)
	g.sim.Run(time.Second)
	for _, p := range g.peers {
		local, _ := p.Local(e)
		assert.False(t, p.World().Has(local, ecs.ComponentID[components.IntentOf](p.World())))
		assert.True(t, p.World().Has(local, ecs.ComponentID[components.Predicted](p.World())))
	}
}

// Over a bad network, with several players who shoot all the time with and without an input delay, no client
// has a shot twice in any frame, and at the end each has computed the same of each shot as the server.
// (Ships that move are mispredicted, and with them the components of their shots that are not sent.)
//
// Proves: T7, T12
func TestIntentsOverABadNetwork(t *testing.T) {
	for _, delay := range []int{0, 6, 7, 15} {
		moves := delay == 7
		every := 1 + delay%2*2
		bad := rough(50*ms, 15*ms, 0.05)
		g := newVolleys(t, []netsim.Link{bad, bad, rough(120*ms, 20*ms, 0.02)}, func(g *volleys) { g.delay, g.every = delay, every })
		for id := entangle.ClientID(1); id <= 3; id++ {
			g.press[id] = func(tick entangle.Tick, in *volley) {
				if moves {
					in.Move = int8(tick%3) - 1
				}
				if tick%entangle.Tick(7+id) == 0 {
					in.Fire = int8(id)
				}
			}
		}
		g.sim.Run(5 * time.Second)
		clear(g.press)
		g.sim.Run(2 * time.Second)
		shots := map[shotKey]bool{}
		for q := generic.NewFilter2[shell, components.ControlledBy]().Query(g.sim.World()); q.Next(); {
			plan, by := q.Get()
			shots[shotKey{by.Client, plan.Tick}] = true
		}
		require.Greater(t, len(shots), 80)
		late := g.server.Stats().Inputs
		for client := 1; client <= 3; client++ {
			stats := g.peers[client-1].Client().Stats()
			t.Log(delay, client, len(shots), stats.Prespawned, stats.Rollbacks, late)
			assert.LessOrEqual(t, stats.Prespawned.Unmatched, late.Late+late.Missing)
			for key, seen := range g.seen[client] {
				require.Zero(t, seen.others, "shot %v of client %d", key, client)
				require.Equal(t, shots[key], !shotOf(g.peers[client-1].World(), key).IsZero(), "shot %v of client %d", key, client)
			}
			for key := range shots {
				if !moves {
					g.requireEqualFrom(t, client, key)
				}
			}
		}
		g.requireEqualAtRest()
	}
}

// A shot that the server's function refuses, and one of an input that comes too late, is removed from the
// shooter's world when all state of its tick has arrived, and nobody else gets it.
//
// Proves: T13
func TestMisfires(t *testing.T) {
	for _, refused := range []bool{true, false} {
		g := newVolleys(t, []netsim.Link{latency(40 * ms), latency(40 * ms)}, func(g *volleys) {
			g.delay = 6
			g.accept = func(_ ecs.Entity, s shell) bool { return !refused || s.Gun < 100 }
		})
		key := g.fireAt(1, 10, 101)
		if !refused {
			g.sim.Run(time.Second / 15)
			g.peers[0].SetLink(netsim.Link{Up: latency(400 * ms).Up, Down: latency(40 * ms).Down})
		}
		w, client := g.peers[0].World(), g.peers[0].Client()
		require.True(t, g.sim.RunUntil(time.Second, func() bool { return !shotOf(w, key).IsZero() }))
		require.True(t, g.sim.RunUntil(time.Second, func() bool { return client.Tick() == key.tick }))
		assert.NotNil(t, valueOn[ball](w, shotOf(w, key)), "it is there in its tick")
		require.True(t, g.sim.RunUntil(3*time.Second, func() bool { return shotOf(w, key).IsZero() }))
		if refused {
			assert.Less(t, client.Tick().Sub(key.tick), int32(15), "about a round trip later")
		}
		g.sim.Run(2 * time.Second)
		assert.Equal(t, plugin.PrespawnStats{Unmatched: 1}, client.Stats().Prespawned)
		assert.Empty(t, g.seen[2], "no other client got it")
		stats := g.server.Stats().Inputs
		assert.Zero(t, stats.Intents)
		if refused {
			assert.EqualValues(t, 1, stats.IntentsRefused)
		} else {
			assert.NotZero(t, stats.Late)
		}
		g.peers[0].SetLink(latency(40 * ms))
		g.sim.Run(3 * time.Second)
		key = g.fireAt(1, 10, 7) // and the next one is none
		g.sim.Run(2 * time.Second)
		g.requireEqualFrom(t, 1, key)
		g.requireEqualFrom(t, 2, key)
	}
}

// Rollbacks to before and after the key, the arrival of the server's entity, and its tick leave the shooter
// its one entity, which is assembled again each time that its tick is replayed.
//
// Proves: T12
func TestRollbacksLeaveTheShooterItsEntity(t *testing.T) {
	g := newVolleys(t, []netsim.Link{latency(40 * ms), latency(60 * ms)})
	key := g.fireAt(1, 10, 7)
	for i := range 60 {
		g.sim.Run(time.Second / 60)
		for _, p := range g.peers {
			plugin.RequestRollback(p.World(), p.Client().Tick()-entangle.Tick(i*7%25))
		}
	}
	g.sim.Run(time.Second)
	for client := 1; client <= 2; client++ {
		assert.Zero(t, g.seen[client][key].others)
		g.requireEqualFrom(t, client, key)
	}
	assert.Equal(t, plugin.PrespawnStats{Matched: 1}, g.peers[0].Client().Stats().Prespawned)
}

// A client that does not see the shooter gets the same bytes, whether or not shots wait for their ticks.
//
// Proves: R34
func TestIntentsOfAHiddenShooterChangeNoByte(t *testing.T) {
	run := func(fires bool) []string {
		g := newVolleys(t, []netsim.Link{latency(20 * ms), latency(60 * ms), latency(60 * ms)}, func(g *volleys) {
			g.delay = 30
			g.shipTarget = func(w *ecs.World, of entangle.ClientID) components.Target {
				if of != 1 {
					return components.Everyone
				}
				return ecs.GetResource[components.Targets](w).Only(1, 3)
			}
		})
		log := recordDatagrams(g.sim)
		var last entangle.Tick
		first := g.peers[0].Client().Tick()
		g.press[1] = func(tick entangle.Tick, in *volley) {
			in.Move = 1
			if fires && tick%3 == 0 && first+100 < tick && tick < first+130 {
				in.Fire, last = 5, tick
			}
		}
		for g.server.Tick() < first+130 { // the first is assembled later
			g.sim.Run(time.Second / 60)
		}
		if fires {
			assert.Greater(t, last, first+100)
			assert.Greater(t, len(g.seen[3]), 5, "who sees the shooter gets them")
			for _, seen := range g.seen[3] {
				assert.True(t, seen.waiting)
			}
		}
		return log.of[g.server.Clients()[1].Addr]
	}
	requireSameDatagrams(t, run(false), run(true))
}

// Many entities of one client that all shoot all the time are bounded: what is too much is not spawned and
// is counted, and goes from the shooter's world.
//
// Proves: T13
func TestIntentsOfAClientAreBounded(t *testing.T) {
	g := newVolleys(t, []netsim.Link{latency(20 * ms)}, func(g *volleys) { g.delay = 48 })
	w := g.sim.World()
	ships := generic.NewMap4[frigate, volley, components.ControlledBy, components.Replicate](w)
	for range 7 {
		ships.NewWith(&frigate{}, &volley{}, &components.ControlledBy{Client: 1}, &components.Replicate{Predict: components.Everyone})
	}
	g.sim.Run(time.Second)
	g.press[1] = func(_ entangle.Tick, in *volley) { in.Fire = 1 }
	waiting := generic.NewFilter1[components.IntentOf]()
	for range 60 {
		g.sim.Run(time.Second / 60)
		q := waiting.Query(w)
		require.LessOrEqual(t, q.Count(), 256)
		q.Close()
	}
	clear(g.press)
	g.sim.Run(3 * time.Second)
	stats := g.server.Stats().Inputs
	assert.NotZero(t, stats.IntentsCrowded)
	assert.EqualValues(t, stats.IntentsCrowded, g.peers[0].Client().Stats().Prespawned.Unmatched)
	assert.EqualValues(t, stats.Intents, g.peers[0].Client().Stats().Prespawned.Matched)
	g.requireEqualAtRest()
}

// The player of a host shoots like any other, and remote clients see it like that of any other.
//
// Proves: T7
func TestTheIntentOfAHostsPlayer(t *testing.T) {
	g := &volleys{press: map[entangle.ClientID]func(entangle.Tick, *volley){}, predict: components.Everyone}
	g.sim = netsim.New(t, netsim.Config{Link: latency(30 * ms)})
	host, err := plugin.NewHost(g.sim.ServerConfig(g.protocol()), 9)
	require.NoError(t, err)
	g.server = host.Server
	g.addSystems(host, false)
	host.AddSystem(plugin.FixedInput, g.player(9))
	g.sim.AddHost(host, host)
	require.NoError(t, host.Player().SetInputDelay(plugin.InputDelay{Min: 12}))
	client := newClient(t, g.sim.ClientConfig(g.protocol()))
	g.addSystems(client, true)
	g.peers = append(g.peers, g.sim.AddClient(1, client, client))
	ships := generic.NewMap4[frigate, volley, components.ControlledBy, components.Replicate](g.sim.World())
	ships.NewWith(&frigate{}, &volley{}, &components.ControlledBy{Client: 9}, &components.Replicate{Predict: components.Everyone})
	g.sim.Run(4 * time.Second)
	at := host.Tick() + 10
	g.press[9] = func(tick entangle.Tick, in *volley) {
		if tick == at {
			in.Fire = 3
		}
	}
	g.sim.Run(2 * time.Second)
	key := shotKey{9, at + 12}
	require.False(t, shotOf(g.sim.World(), key).IsZero())
	assert.True(t, g.seen[1][key].waiting)
	g.requireEqualFrom(t, 1, key)
	assert.Zero(t, client.Stats().Rollbacks.Total())
}

// A shot that waits for its tick ends with its shooter, on all sides.
//
// Proves: T11
func TestAnIntentEndsWithItsShooter(t *testing.T) {
	g := newVolleys(t, []netsim.Link{latency(20 * ms), latency(30 * ms)})
	key := g.fireAt(1, 5, 7)
	require.True(t, g.sim.RunUntil(time.Second, func() bool { return !shotOf(g.sim.World(), key).IsZero() }))
	g.sim.World().RemoveEntity(g.ships[0])
	g.sim.Run(2 * time.Second)
	assert.True(t, shotOf(g.sim.World(), key).IsZero())
	for _, p := range g.peers {
		assert.True(t, shotOf(p.World(), key).IsZero())
		assert.Zero(t, p.Client().Stats().Prespawned.Collisions)
	}
	g.requireEqualAtRest()
}

// A client that shows the shooter in the past sees the shot wait there, too, and assembled when its tick is shown.
//
// Proves: T7
func TestTheIntentOfAShownShooter(t *testing.T) {
	g := newVolleys(t, []netsim.Link{latency(20 * ms), latency(30 * ms)}, func(g *volleys) { g.delay, g.predict = 20, components.Owner })
	key := g.fireAt(1, 5, 7)
	w, client := g.peers[1].World(), g.peers[1].Client()
	require.True(t, g.sim.RunUntil(time.Second, func() bool { return !shotOf(w, key).IsZero() }))
	e := shotOf(w, key)
	assert.True(t, w.Has(e, ecs.ComponentID[components.IntentOf](w)))
	assert.Nil(t, valueOn[ball](w, e))
	assert.Nil(t, valueOn[fuse](w, e))
	require.True(t, g.sim.RunUntil(time.Second, func() bool { return valueOn[ball](w, e) != nil }))
	shown, _ := client.InterpolationTime(1)
	assert.Equal(t, key.tick, shown)
	assert.NotNil(t, valueOn[fuse](w, e))
	assert.False(t, w.Has(e, ecs.ComponentID[components.IntentOf](w)))
	g.sim.Run(time.Second)
	assert.Equal(t, plugin.PrespawnStats{Matched: 1}, g.peers[0].Client().Stats().Prespawned)
	g.requireEqualFrom(t, 1, key)
	clear(g.press)
	g.requireEqualAtRest()
}
