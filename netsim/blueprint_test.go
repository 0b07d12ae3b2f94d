package netsim_test

import (
	"math/rand/v2"
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
	"github.com/entangle-ecs/entangle/protocol"
)

// A rock whose blueprint arrives after its tick, in its tick, and before it, has the same components with
// the same values on both sides, in each tick from its own on, and before that none of them: also those that
// are never sent.
//
// Proves: T4
func TestARockIsAssembledInItsTick(t *testing.T) {
	for _, after := range []int{0, 1, 3, 8, 9, 10, 11, 12, 30} {
		for _, inMain := range []bool{false, true} {
			g := newRocks(t, latency(80*ms), 1)
			var at entangle.Tick
			spawn := func(w *ecs.World, tick entangle.Tick) {
				if at = tick + 1; after > 0 {
					at = tick + entangle.Tick(after)
				}
				given := at
				if after == 0 {
					given = 0
				}
				g.place(w, 1, given, components.Everyone)
				g.between, g.spawn = nil, nil
			}
			if inMain {
				g.spawn = spawn
			} else {
				g.between = spawn
			}
			g.sim.Run(2 * time.Second)
			require.Equal(t, at, g.tickOf(1))
			g.requireEqualFrom(t, 1, 1, at, g.server.Tick())
			t.Log(after, inMain, g.peers[0].Client().Stats().Rollbacks, g.assembled)
			total := g.peers[0].Client().Stats().Rollbacks.Total()
			assert.LessOrEqual(t, total, uint64(1))
			if after == 30 {
				assert.Zero(t, total, "it has arrived before its tick, and nothing was to be corrected")
				assert.Equal(t, []int{1, 1}, g.assembled)
			}
		}
	}
}

// Over a bad network the same holds for rocks of random ticks, on all clients.
//
// Proves: T4
func TestRocksOverABadNetwork(t *testing.T) {
	for _, every := range []int{1, 3} {
		g := newRocks(t, rough(60*ms, 20*ms, 0.05), 2, func(g *rocks) { g.every = every })
		random, seed := rand.New(rand.NewPCG(7, uint64(every))), int32(0)
		add := func(w *ecs.World, tick entangle.Tick) {
			if random.IntN(16) == 0 && seed < 40 {
				seed++
				var at entangle.Tick
				if random.IntN(3) > 0 {
					at = tick + entangle.Tick(random.IntN(40))
				}
				g.place(w, seed, at, components.Everyone)
			}
		}
		g.spawn, g.between = add, add
		g.sim.Run(10 * time.Second)
		g.spawn, g.between = nil, nil
		to := g.server.Tick()
		g.sim.Run(3 * time.Second)
		require.EqualValues(t, 40, seed)
		for client := 1; client <= 2; client++ {
			for _, seed := range g.seeds() {
				g.requireEqualFrom(t, client, seed, g.tickOf(seed), to)
			}
			t.Log(g.peers[client-1].Client().Stats().Rollbacks, g.assembled)
		}
	}
}

// A client that has stood still receives a rock that the server has assembled already, as of a tick that the client has
// still to compute: before, in and after the tick of the rock. It assembles the rock in its tick, also then.
//
// Proves: T4
func TestARockIsAssembledInATickToCome(t *testing.T) {
	for after := range entangle.Tick(10) {
		g, at := newRocks(t, latency(5*ms), 1), entangle.Tick(0)
		g.peers[0].Freeze(120 * ms)
		g.between = func(w *ecs.World, tick entangle.Tick) {
			at = tick + 1 + after
			g.place(w, 1, at, components.Everyone)
			g.between = nil
		}
		g.sim.Run(2 * time.Second)
		g.requireEqualFrom(t, 1, 1, at, g.server.Tick())
	}
}

// If the prediction of an entity ends and begins again in one frame, the client has computed the same as if that had
// not happened, also of what is never sent, and of an entity that was assembled long ago.
//
// Proves: B25
func TestPredictionThatEndsAndBeginsInOneFrame(t *testing.T) {
	g := newRocks(t, latency(5*ms), 1)
	e := g.place(g.sim.World(), 1, 0, components.Everyone)
	g.sim.Run(3 * time.Second)
	at, off := g.tickOf(1), entangle.Tick(0)
	g.peers[0].Freeze(120 * ms)
	g.between = func(w *ecs.World, tick entangle.Tick) {
		switch replicate := valueOn[components.Replicate](w, e); {
		case off == 0:
			replicate.Predict, off = components.Nobody, tick
		case tick == off+2:
			replicate.Predict, g.between = components.Everyone, nil
		}
	}
	g.sim.Run(2 * time.Second)
	require.Nil(t, g.between)
	g.requireEqualFrom(t, 1, 1, at, g.server.Tick())
}

// A client that joins late, or to which the rock is shown later, gets the blueprint as the rock is then.
// From the tick after that on it computes the same as the server, also what is never sent. The client that has the
// rock is sent nothing for that: the same datagrams as without the
// function.
//
// Proves: T4, T9
func TestABlueprintIsRefreshedWhenItIsSent(t *testing.T) {
	var logs [][]string
	for _, refresh := range []bool{false, true} {
		g := newRocks(t, latency(60*ms), 2, func(g *rocks) { g.refresh = refresh })
		w := g.sim.World()
		targets := ecs.GetResource[components.Targets](w)
		onlyFirst, more := targets.Only(1), targets.Only(1, 2, 3)
		g.between = func(w *ecs.World, tick entangle.Tick) {
			for seed, at := range []entangle.Tick{0, tick + 1000} {
				e := g.place(w, int32(seed+1), at, components.Everyone)
				valueOn[components.Replicate](w, e).Target = onlyFirst
			}
			g.between = nil
		}
		g.sim.Run(3 * time.Second)
		require.Zero(t, g.refreshed, "the first client has got it in its tick")
		rocks := g.plans(w)
		was, log, first := *valueOn[rockPlan](w, rocks[1]), recordDatagrams(g.sim), g.server.Clients()[0].Addr
		for _, e := range rocks {
			valueOn[components.Replicate](w, e).Target = more
		}
		g.sim.Run(2 * time.Second)
		g.join(t)
		g.sim.Run(2 * time.Second)
		logs = append(logs, log.of[first])
		assert.Equal(t, was, *valueOn[rockPlan](w, rocks[1]), "the server's own stays")
		for client := 2; client <= 3; client++ {
			w := g.peers[client-1].World()
			rocks := g.plans(w)
			assert.Equal(t, *valueOn[rockPlan](g.sim.World(), rocks[2]), *valueOn[rockPlan](w, rocks[2]), "it is still to come")
			assert.Nil(t, valueOn[spin](w, rocks[2]))
			plan := valueOn[rockPlan](w, rocks[1])
			if !refresh {
				assert.Equal(t, was, *plan)
				continue
			}
			server := g.logs[0][plan.Tick-1][1]
			assert.Equal(t, rockState{rock{plan.X, server.rock.Speed}, plan.Angle}, server)
			g.requireEqualSince(t, client, 1, plan.Tick)
		}
		assert.Equal(t, refresh, g.refreshed > 0)
	}
	requireSameDatagrams(t, logs[0], logs[1])
}

// Without the function, a client to which the rock is shown long after its tick assembles it from the old
// blueprint. What the server sends is the server's all the same, what the server has removed is not added
// again, and the only rollback is that to the tick in which the rocks have appeared.
//
// Proves: T4
func TestReceivedValuesWinOverAssembledOnes(t *testing.T) {
	g := newRocks(t, latency(60*ms), 2)
	w := g.sim.World()
	targets := ecs.GetResource[components.Targets](w)
	for seed := range int32(2) {
		valueOn[components.Replicate](w, g.place(w, seed+1, 0, components.Everyone)).Target = targets.Only(1)
	}
	g.sim.Run(3 * time.Second)
	for seed, e := range g.plans(w) {
		valueOn[components.Replicate](w, e).Target = targets.Only(1, 2)
		if seed == 2 {
			w.Remove(e, ecs.ComponentID[rock](w))
		}
	}
	g.sim.Run(2 * time.Second)
	late, w := g.peers[1], g.peers[1].World()
	is := g.plans(w)
	assert.Equal(t, g.logs[0][g.server.Tick()][1].rock, g.logs[2][g.server.Tick()][1].rock)
	assert.NotNil(t, valueOn[spin](w, is[1]))
	assert.NotNil(t, valueOn[skin](w, is[1]).Name)
	assert.Nil(t, valueOn[rock](w, is[2]))
	assert.NotNil(t, valueOn[spin](w, is[2]))
	assert.EqualValues(t, 1, late.Client().Stats().Rollbacks.Total(), "%v", late.Client().Rollbacks())
	g.requireEqualAtRest()
}

// A client that does not predict the rock gets the components that are not sent, once the tick is shown, and
// all others from the server.
//
// Proves: T4
func TestAShownRockIsAssembled(t *testing.T) {
	g := newRocks(t, latency(60*ms), 1)
	for seed, interpolate := range []components.Target{components.Everyone, components.Nobody} {
		seed, at := int32(seed+1), g.server.Tick()+40
		g.between = func(w *ecs.World, _ entangle.Tick) {
			e := g.place(w, seed, at, components.Nobody)
			valueOn[components.Replicate](w, e).Interpolate = interpolate
			g.between = nil
		}
		w, client := g.peers[0].World(), g.peers[0].Client()
		require.True(t, g.sim.RunUntil(2*time.Second, func() bool { return len(g.plans(w)) == int(seed) }))
		e := g.plans(w)[seed]
		require.Nil(t, valueOn[spin](w, e))
		require.True(t, g.sim.RunUntil(2*time.Second, func() bool { return valueOn[spin](w, e) != nil }))
		shown, _ := client.InterpolationTime(1)
		if interpolate == components.Everyone {
			assert.Equal(t, at, shown)
		}
		assert.NotNil(t, valueOn[rock](w, e), "with what the server has sent")
		assert.Equal(t, seed, valueOn[spin](w, e).Angle, "it does not turn: the client does not compute it")
		g.sim.Run(time.Second)
		assert.Equal(t, seed, valueOn[spin](w, e).Angle)
	}
	g.requireEqualAtRest()
}

// A rollback to before the tick takes everything that was assembled off the rock, and the replay assembles
// it again, to the same. What need not be rolled back stays.
//
// Proves: T4
func TestARollbackRemovesWhatWasAssembled(t *testing.T) {
	g := newRocks(t, latency(60*ms), 1)
	var at entangle.Tick
	g.between = func(w *ecs.World, tick entangle.Tick) {
		at = tick + 30
		g.place(w, 1, at, components.Everyone)
		g.between = nil
	}
	w, client := g.peers[0].World(), g.peers[0].Client()
	require.True(t, g.sim.RunUntil(2*time.Second, func() bool { return client.Tick() == at+3 }))
	e := g.plans(w)[1]
	angle, calls := valueOn[spin](w, e).Angle, g.assembled[1]
	bare := map[entangle.Tick]bool{}
	g.look = func(w *ecs.World, tick entangle.Tick) {
		bare[tick] = valueOn[spin](w, e) == nil && valueOn[rock](w, e) == nil && valueOn[skin](w, e) != nil
	}
	plugin.RequestRollback(w, at-3)
	require.True(t, g.sim.RunUntil(time.Second, func() bool { return client.Tick() == at+4 }))
	require.Equal(t, map[entangle.Tick]bool{at - 2: true, at - 1: true, at: false, at + 1: false, at + 2: false, at + 3: false, at + 4: false}, bare)
	assert.Equal(t, calls+1, g.assembled[1])
	assert.NotEqual(t, angle, valueOn[spin](w, e).Angle, "it turns on")
	g.look = nil
	g.sim.Run(time.Second)
	g.requireEqualFrom(t, 1, 1, at, g.server.Tick())
	assert.Len(t, g.plans(w), 1)
	assert.EqualValues(t, 1, client.Stats().Rollbacks.Total())
}

// A component can be inserted in a tick: a blueprint for an entity that is there already. In the past that
// means a rollback to before it, in the present and in the future nothing is replayed. Without a tick it is
// the next one.
//
// Proves: T5
func TestAComponentIsInsertedInATick(t *testing.T) {
	for _, after := range []int{-6, -1, 0, 1, 5, 20} {
		g := newRocks(t, latency(150*ms), 1)
		g.between = func(w *ecs.World, _ entangle.Tick) {
			g.place(w, 1, 0, components.Everyone)
			g.between = nil
		}
		g.sim.Run(2 * time.Second)
		w, client := g.peers[0].World(), g.peers[0].Client()
		e, before, at := g.plans(w)[1], client.Stats().Rollbacks, client.Tick()+entangle.Tick(after)
		insert := func(w *ecs.World, e ecs.Entity, at entangle.Tick) {
			w.Add(e, ecs.ComponentID[kickPlan](w))
			*valueOn[kickPlan](w, e) = kickPlan{At: components.At{Tick: at}, Speed: 40}
		}
		g.between = func(w *ecs.World, tick entangle.Tick) { // the server does the same, in time
			if tick+1 == at {
				insert(w, g.plans(w)[1], 0)
				g.between = nil
			}
		}
		insert(w, e, at)
		replayed := uint64(0)
		if after <= 0 {
			replayed = uint64(1 - after)
		}
		g.sim.Run(time.Second / 10)
		stats := client.Stats().Rollbacks
		assert.Equal(t, replayed, stats.Ticks-before.Ticks, "%d ticks after", after)
		assert.Equal(t, min(replayed, 1), rollbacks(g.peers[0], plugin.ByBlueprint)-before.Rollbacks[plugin.ByBlueprint])
		g.sim.Run(2 * time.Second)
		assert.Equal(t, stats, client.Stats().Rollbacks, "the server agrees")
		assert.Equal(t, at, valueOn[kickPlan](g.sim.World(), g.plans(g.sim.World())[1]).Tick)
		for tick := at - 5; tick != g.server.Tick(); tick++ {
			require.Equal(t, !tick.Before(at), g.logs[1][tick][1].rock.Speed == 42)
			require.Equal(t, g.logs[0][tick][1], g.logs[1][tick][1], "tick %d, inserted in %d", tick, at)
		}
	}
}

// The next tick is that of a blueprint without one, on both sides, also if a shared system adds it: here to
// a bullet that both have spawned. Nothing is rolled back.
//
// Proves: T4
func TestASharedSystemUsesABlueprint(t *testing.T) {
	g := newRocks(t, latency(60*ms), 1)
	at := g.peers[0].Client().Tick() + 20
	g.main = func(w *ecs.World, tick entangle.Tick) {
		if tick == at-1 {
			plans := generic.NewMap3[rockPlan, components.Prespawned, components.Replicate](w)
			plans.NewWith(&rockPlan{Seed: int32(tick), X: 5}, &components.Prespawned{}, &components.Replicate{Predict: components.Everyone})
		}
	}
	g.sim.Run(2 * time.Second)
	stats := g.peers[0].Client().Stats()
	assert.Equal(t, plugin.PrespawnStats{Matched: 1}, stats.Prespawned)
	assert.Zero(t, stats.Rollbacks.Total(), "%v", g.peers[0].Client().Rollbacks())
	g.requireEqualFrom(t, 1, int32(at-1), at, g.server.Tick())
	plugin.RequestRollback(g.peers[0].World(), g.peers[0].Client().Tick()-5)
	g.sim.Run(time.Second)
	g.requireEqualFrom(t, 1, int32(at-1), at, g.server.Tick())

	at = g.peers[0].Client().Tick() + 20 // and again, with rollbacks to before and after the spawn
	for range 20 {
		g.sim.Run(time.Second / 30)
		plugin.RequestRollback(g.peers[0].World(), g.peers[0].Client().Tick()-6)
		assert.LessOrEqual(t, g.count(g.peers[0].World()), 2)
	}
	g.sim.Run(2 * time.Second)
	assert.Equal(t, 2, g.count(g.peers[0].World()))
	g.requireEqualFrom(t, 1, int32(at-1), at, g.server.Tick())
	assert.Zero(t, rollbacks(g.peers[0], plugin.ByMismatch))
}

// Removing the blueprint and adding another one in a later tick assembles the entity again: it gets what it
// lacks.
func TestABlueprintCanBeUsedAgain(t *testing.T) {
	g := newRocks(t, latency(60*ms), 1)
	w := g.sim.World()
	g.place(w, 1, 0, components.Everyone)
	g.sim.Run(time.Second)
	e := g.plans(w)[1]
	w.Remove(e, ecs.ComponentID[rockPlan](w), ecs.ComponentID[rock](w))
	g.sim.Run(time.Second)
	local, _ := g.peers[0].Local(e)
	require.Nil(t, valueOn[rockPlan](g.peers[0].World(), local))
	w.Add(e, ecs.ComponentID[rockPlan](w))
	*valueOn[rockPlan](w, e) = rockPlan{Seed: 2, X: 7}
	g.sim.Run(time.Second)
	assert.Equal(t, []int{2, 2}, g.assembled)
	g.requireEqualAtRest()
}

// A function that panics is a mistake of the game, like a system that panics: the panic goes through to the
// caller of the app's Update, on either side.
//
// Proves: T4
func TestABlueprintThatPanics(t *testing.T) {
	for _, server := range []bool{true, false} {
		g := newRocks(t, latency(60*ms), 1)
		g.panics = func(app int) bool { return (app == 0) == server }
		g.place(g.sim.World(), 1, 0, components.Everyone)
		assert.PanicsWithValue(t, "no such rock", func() { g.sim.Run(time.Second) }, "server: %v", server)
	}
}

// A client that does not have a blueprint of the server, or has it as another type, is refused when it
// connects, and both sides say why.
//
// Proves: T4
func TestAnUnknownBlueprint(t *testing.T) {
	sim := netsim.New(t, netsim.Config{Link: latency(20 * ms)})
	with, without := protocol.New(protocol.Config{Name: "rocks"}), protocol.New(protocol.Config{Name: "rocks"})
	protocol.Blueprint(with, func(*ecs.World, ecs.Entity, rockPlan) struct{} { return struct{}{} })
	protocol.Component[rockPlan](without)
	serve(t, sim, sim.ServerConfig(with))
	client := newClient(t, sim.ClientConfig(without))
	sim.AddClient(1, client, client)
	sim.Run(2 * time.Second)
	assert.Equal(t, plugin.Disconnected, client.State())
	assert.ErrorContains(t, client.Err(), "option Predict is Once on the server and Simple on the client")
}

// Ticks that a hostile server says cost a client nothing: a rock of a tick that never comes stays what it
// is, one of long ago is assembled in the next tick, and neither causes rollback after rollback.
//
// Proves: T4
func TestBlueprintsOfStrangeTicks(t *testing.T) {
	for _, after := range []int64{1 << 30, 1<<31 - 1<<20, -1000, -1 << 20, -1 << 30} {
		g := newRocks(t, latency(60*ms), 1)
		g.rest = true
		w := g.sim.World()
		e := g.place(w, 1, 0, components.Everyone)
		g.main = func(w *ecs.World, tick entangle.Tick) {
			if w == g.sim.World() { // after the server has assembled it, and before it is sent
				valueOn[rockPlan](w, e).Tick = entangle.Tick(int64(tick) + after)
				g.main = nil
			}
		}
		g.sim.Run(2 * time.Second)
		client := g.peers[0]
		assert.LessOrEqual(t, client.Client().Stats().Rollbacks.Total(), uint64(2))
		assert.Equal(t, after < 0, valueOn[spin](client.World(), g.plans(client.World())[1]) != nil, after)
		assert.LessOrEqual(t, g.assembled[1], 2)
		g.requireEqualAtRest()
	}
}

// A confirmed twin has what the server sends, and nothing that was assembled.
//
// Proves: T4
func TestATwinIsNotAssembled(t *testing.T) {
	g := newRocks(t, latency(60*ms), 1, func(g *rocks) { g.config = func(c *plugin.ClientConfig) { c.ConfirmedTwins = true } })
	g.place(g.sim.World(), 1, 0, components.Everyone)
	g.sim.Run(time.Second)
	w := g.peers[0].World()
	twins := generic.NewFilter2[components.ConfirmedOf, rockPlan]()
	q := twins.Query(w)
	require.Equal(t, 1, q.Count())
	for q.Next() {
		assert.True(t, q.Has(ecs.ComponentID[rock](w)))
		assert.False(t, q.Has(ecs.ComponentID[spin](w)))
		assert.False(t, q.Has(ecs.ComponentID[skin](w)))
	}
}
