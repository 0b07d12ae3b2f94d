package netsim_test

import (
	"maps"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// The components of a game in which rocks appear.
type (
	// rockPlan is the blueprint of a rock.
	rockPlan struct {
		components.At
		Seed, X, Angle int32
	}
	rock struct{ X, Speed int32 }
	spin struct{ Angle int32 } // it is not registered
	skin struct{ Name *string }
	// kickPlan makes a rock faster from a tick on.
	kickPlan struct {
		components.At
		Speed int32
	}
	kick  struct{ Speed int32 }
	rocky struct {
		rock
		spin
		skin
	}
)

// rockState is what a tick's simulation has left of a rock.
type rockState struct {
	rock  rock
	angle int32
}

// rockLog is the rocks at the end of each tick's simulation, the last time that it ran, by their seeds.
type rockLog map[entangle.Tick]map[int32]rockState

// rocks is a game in which a server spawns rocks from blueprints.
type rocks struct {
	sim     *netsim.Sim
	server  *plugin.Server
	peers   []*netsim.Peer
	logs    []rockLog // of the server, then of the clients
	spawn   func(w *ecs.World, tick entangle.Tick)
	between func(w *ecs.World, tick entangle.Tick)

	refresh   bool // blueprints are refreshed when they are sent
	refreshed int
	assembled []int // by app: calls of the function
	panics    func(app int) bool
	rest      bool // rocks do not move any more
	config    func(*plugin.ClientConfig)
	every     int                                    // sent ticks
	look      func(w *ecs.World, tick entangle.Tick) // at clients, at the beginning of FixedMain
	main      func(w *ecs.World, tick entangle.Tick) // on all sides, at the beginning of FixedMain
}

func (g *rocks) protocol() *protocol.Protocol {
	app := len(g.assembled)
	g.assembled = append(g.assembled, 0)
	p := protocol.New(protocol.Config{Name: "rocks"})
	protocol.Component[rock](p).Predict(protocol.Full)
	protocol.Component[components.Interpolated](p)
	protocol.Component[components.Prespawned](p)
	protocol.Unsent[skin](p)
	name := "rock"
	plan := protocol.Blueprint(p, func(_ *ecs.World, _ ecs.Entity, b rockPlan) rocky {
		g.assembled[app]++
		if g.panics != nil && g.panics(app) {
			panic("no such rock")
		}
		return rocky{rock{b.X, b.Seed%7 + 1}, spin{b.Angle}, skin{&name}}
	})
	protocol.Blueprint(p, func(_ *ecs.World, _ ecs.Entity, b kickPlan) struct{ kick } { return struct{ kick }{kick{b.Speed}} })
	if g.refresh {
		plan.Refresh(func(w *ecs.World, e ecs.Entity, b *rockPlan) {
			g.refreshed++
			b.X, b.Angle = valueOn[rock](w, e).X, valueOn[spin](w, e).Angle
		})
	}
	return p
}

func newRocks(t *testing.T, link netsim.Link, players int, adjust ...func(*rocks)) *rocks {
	g := &rocks{}
	for _, a := range adjust {
		a(g)
	}
	g.sim = netsim.New(t, netsim.Config{Link: link})
	g.sim.Watch()
	config := g.sim.ServerConfig(g.protocol())
	config.SendEvery = max(g.every, 1)
	g.server = newServer(t, config)
	g.server.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
		return func() {
			if g.between != nil {
				g.between(w, g.server.Tick())
			}
		}
	}))
	g.addSystems(g.server, true)
	g.sim.AddServer(g.server, g.server)
	for range players {
		g.join(t)
	}
	g.sim.Run(3 * time.Second)
	return g
}

func (g *rocks) join(t *testing.T) *netsim.Peer {
	id := entangle.ClientID(len(g.peers) + 1)
	config := g.sim.ClientConfig(g.protocol())
	if g.config != nil {
		g.config(&config)
	}
	client := newClient(t, config)
	g.addSystems(client, false)
	peer := g.sim.AddClient(id, client, client)
	g.peers = append(g.peers, peer)
	require.True(t, g.sim.RunUntil(5*time.Second, peer.Client().Joined))
	return peer
}

// addSystems adds the simulation: rocks move and turn, faster the further they are.
func (g *rocks) addSystems(a app, server bool) {
	log := rockLog{}
	g.logs = append(g.logs, log)
	a.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		all, kicked := generic.NewFilter3[rockPlan, rock, spin]().Without(generic.T[components.Remote]()), generic.NewFilter2[rock, kick]().Without(generic.T[components.Remote]())
		now := ecs.GetResource[components.Time](w)
		return func() {
			if g.spawn != nil && server {
				g.spawn(w, now.Tick)
			}
			if g.look != nil && !server {
				g.look(w, now.Tick)
			}
			if g.main != nil {
				g.main(w, now.Tick)
			}
			for q := kicked.Query(w); q.Next(); {
				if r, k := q.Get(); r.Speed < k.Speed {
					r.Speed += k.Speed
				}
			}
			is := map[int32]rockState{}
			for q := all.Query(w); q.Next(); {
				plan, r, s := q.Get()
				if !g.rest {
					r.X += r.Speed
					s.Angle = s.Angle*3 + r.X
				}
				is[plan.Seed] = rockState{*r, s.Angle}
			}
			log[now.Tick] = is
		}
	}))
}

// plans returns the rocks of a world by seed, assembled or not.
func (g *rocks) plans(w *ecs.World) map[int32]ecs.Entity {
	all := map[int32]ecs.Entity{}
	for q := generic.NewFilter1[rockPlan]().Query(w); q.Next(); {
		all[q.Get().Seed] = q.Entity()
	}
	return all
}

// place spawns a rock.
func (g *rocks) place(w *ecs.World, seed int32, at entangle.Tick, predict components.Target) ecs.Entity {
	plans := generic.NewMap2[rockPlan, components.Replicate](w)
	return plans.NewWith(
		&rockPlan{At: components.At{Tick: at}, Seed: seed, X: 100 * seed, Angle: seed},
		&components.Replicate{Predict: predict, Interpolate: components.Everyone})
}

// requireEqualFrom checks that a client computed the same as the server in each tick from one to another, and
// before that did not have the rock.
func (g *rocks) requireEqualFrom(t *testing.T, client int, seed int32, from, to entangle.Tick) {
	t.Helper()
	server, log := g.logs[0], g.logs[client]
	for tick := from - 5; tick != to; tick++ {
		want, there := server[tick][seed]
		is, here := log[tick][seed]
		require.Equal(t, there, here, "rock %d in tick %d, assembled in %d", seed, tick, from)
		require.Equal(t, want, is, "rock %d in tick %d, assembled in %d", seed, tick, from)
		require.Equal(t, !tick.Before(from), there, "rock %d in tick %d, assembled in %d", seed, tick, from)
	}
}

// requireEqualSince checks that a client computed the same as the server in each tick since one.
func (g *rocks) requireEqualSince(t *testing.T, client int, seed int32, from entangle.Tick) {
	t.Helper()
	require.True(t, (from + 20).Before(g.server.Tick()))
	for tick := from; tick != g.server.Tick(); tick++ {
		require.Contains(t, g.logs[0][tick], seed)
		require.Equal(t, g.logs[0][tick][seed], g.logs[client][tick][seed], "rock %d in tick %d, assembled in %d", seed, tick, from)
	}
}

// count returns the number of assembled rocks in a world.
func (g *rocks) count(w *ecs.World) (n int) {
	for q := generic.NewFilter2[rock, spin]().Query(w); q.Next(); {
		n++
	}
	return n
}

// requireEqualAtRest checks that the clients have what the server has, once the rocks do not move any more.
func (g *rocks) requireEqualAtRest() {
	g.rest = true
	g.sim.Run(2 * time.Second)
	g.sim.ExpectEqual()
}

// tickOf returns the tick in which the server has assembled a rock.
func (g *rocks) tickOf(seed int32) entangle.Tick {
	w := g.sim.World()
	return valueOn[rockPlan](w, g.plans(w)[seed]).Tick
}

// seeds returns the rocks of the server.
func (g *rocks) seeds() []int32 {
	var all []int32
	for seed := range maps.Keys(g.plans(g.sim.World())) {
		all = append(all, seed)
	}
	return all
}

// valueOn returns the component of an entity.
func valueOn[T any](w *ecs.World, e ecs.Entity) *T {
	return (*T)(w.Get(e, ecs.ComponentID[T](w)))
}
