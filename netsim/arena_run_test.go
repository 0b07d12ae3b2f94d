package netsim_test

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
)

// arena is a running game.
type arena struct {
	arenaSetup
	t      randomT
	sim    *netsim.Sim
	truth  *arenaTruth
	log    *arenaLog // the server's inputs
	server *arenaServer
	host   *plugin.Host // nil if the server has no player
	drones *arenaDrones // nil if nothing is interpolated
	views  *arenaViews  // nil if the server does not look at what players saw
	guests []*arenaGuest
	calm   entangle.Tick // of the server, when all peers have received the last change
	quiet  bool          // players write no more inputs
	wraps  func(*plugin.Client) netsim.App
}

// arenaGuest is a client of an arena.
type arenaGuest struct {
	*netsim.Peer
	arena        *arena
	id           entangle.ClientID
	log          *arenaLog
	oracle       *arenaOracle
	shots        *arenaShotOracle             // nil if nobody fires
	interpolated *arenaShown                  // nil if nothing is interpolated
	screens      *arenaScreens                // nil if the server does not look at them
	shown        map[entangle.Tick]arenaState // the arena at the ends of frames, by tick
}

func newArena(t randomT, setup arenaSetup) *arena {
	a := newEmptyArena(t, setup)
	for i := range setup.clients {
		if !setup.late || i+1 < setup.clients {
			a.join(entangle.ClientID(i + 1))
		}
	}
	return a
}

// newEmptyArena returns an arena that no client has joined yet.
func newEmptyArena(t randomT, setup arenaSetup) *arena {
	a := &arena{arenaSetup: setup, t: t, truth: newArenaTruth(), log: &arenaLog{}, wraps: func(c *plugin.Client) netsim.App { return c }}
	a.sim = netsim.New(t, netsim.Config{Seed: setup.seed, Link: setup.link()})
	server := a.newServer()
	a.server = &arenaServer{truth: a.truth, setup: setup, rng: rand.New(rand.NewPCG(setup.seed, 0x736572766572))}
	server.AddSystem(plugin.FixedInput, plugin.Func(a.truth.between))
	server.AddSystem(plugin.FixedMain, a.log)
	if setup.rewinds {
		a.views = &arenaViews{arena: a}
		server.AddSystem(plugin.FixedMain, plugin.Func(a.views.names))
	}
	if setup.first && setup.rewinds {
		server.AddSystem(plugin.FixedMain, a.views)
	}
	server.AddSystem(plugin.FixedMain, &arenaRules{})
	server.AddSystem(plugin.FixedMain, a.server)
	if setup.shown {
		a.drones = newArenaDrones(&setup)
		server.AddSystem(plugin.FixedMain, plugin.Func(a.drones.fly))
		server.AddSystem(plugin.FixedMain, plugin.Func(a.drones.direct))
	}
	if setup.armed {
		guns := &arenaGuns{setup: &setup}
		server.AddSystem(plugin.FixedMain, plugin.Func(guns.launch(a.server)))
		server.AddSystem(plugin.FixedMain, guns)
	}
	if setup.rewinds && !setup.first {
		server.AddSystem(plugin.FixedMain, a.views)
	}
	server.AddSystem(plugin.AfterSend, plugin.Func(a.truth.after))
	a.addServer(server)
	if !setup.curved && (setup.shown || setup.seed%3 == 0) { // it does not know curves
		a.sim.Watch()
	}
	return a
}

// newServer returns the server of an arena.
func (a *arena) newServer() *plugin.Server {
	config := a.sim.ServerConfig(arenaProtocol(&a.arenaSetup))
	config.SendEvery = a.every
	if !a.hosted {
		return newServer(a.t, config)
	}
	host, err := plugin.NewHost(config, a.hostPlayer())
	require.NoError(a.t, err)
	a.host = host
	host.AddSystem(plugin.FixedInput, plugin.Func(a.writeInputs(a.hostPlayer())))
	return host.Server
}

func (a *arena) addServer(server *plugin.Server) {
	if a.hosted {
		a.sim.AddHost(a.host, a.host)
	} else {
		a.sim.AddServer(server, server)
	}
}

func (a *arena) join(id entangle.ClientID) {
	config := a.sim.ClientConfig(arenaProtocol(&a.arenaSetup))
	config.InputDelay.Min = a.delay
	c := newClient(a.t, config)
	g := &arenaGuest{arena: a, id: id, log: &arenaLog{}, shown: map[entangle.Tick]arenaState{}}
	g.oracle = &arenaOracle{guest: g}
	if a.dumb {
		c.AddSystem(plugin.AfterReceive, plugin.Func(g.goesBack))
	}
	c.AddSystem(plugin.AfterReceive, plugin.Func(g.labels))
	c.AddSystem(plugin.FixedInput, plugin.Func(a.writeInputs(id)))
	c.AddSystem(plugin.FixedMain, g.log)
	c.AddSystem(plugin.FixedMain, &arenaOwnRules{})
	c.AddSystem(plugin.FixedMain, &arenaRules{})
	c.AddSystem(plugin.AfterSend, g.oracle)
	if a.armed {
		g.shots = &arenaShotOracle{guest: g}
		c.AddSystem(plugin.FixedMain, &arenaGuns{setup: &a.arenaSetup})
		c.AddSystem(plugin.AfterSend, g.shots)
	}
	if a.drones != nil {
		g.interpolated = &arenaShown{guest: g}
		c.AddSystem(plugin.FixedMain, plugin.Func(a.drones.fly))
		c.AddSystem(plugin.AfterSend, g.interpolated)
	}
	if a.rewinds {
		g.screens = &arenaScreens{guest: g}
		c.AddSystem(plugin.FixedInput, plugin.Func(g.screens.press))
		c.AddSystem(plugin.AfterSend, plugin.Func(g.screens.draw))
	}
	c.AddSystem(plugin.AfterSend, plugin.Func(g.shows))
	g.Peer = a.sim.AddClient(id, a.wraps(c), c)
	if len(a.frames) > 0 {
		g.SetFrameRate(a.frames[id-1])
	}
	a.guests = append(a.guests, g)
}

// writeInputs returns the system that writes a player's inputs, until the game is quiet.
func (a *arena) writeInputs(id entangle.ClientID) func(w *ecs.World) func() {
	return func(w *ecs.World) func() {
		mine, now := generic.NewFilter1[arenaHand]().With(generic.T[components.Controlled]()), ecs.GetResource[components.Time](w)
		return func() {
			for q := mine.Query(w); q.Next(); {
				*q.Get() = arenaHand{}
				if !a.quiet {
					*q.Get() = arenaPlayer(a.seed, a.armed, id, now.Tick)
				}
			}
		}
	}
}

// goesBack returns a system that rolls back to every confirmed tick.
func (g *arenaGuest) goesBack(w *ecs.World) func() {
	var last entangle.Tick
	return func() {
		if confirmed, ok := apps.Of(g.World()).Client.ConfirmedTick(); ok && confirmed != last {
			last = confirmed
			plugin.RequestRollback(w, confirmed)
		}
	}
}

// shows returns a system that records the state of the client's arena, unless the confirmed tick is
// too old. All ticks that the client has yet to compute may be confirmed.
func (g *arenaGuest) shows(w *ecs.World) func() {
	reader, time := newArenaReader(w), ecs.GetResource[components.Time](w)
	return func() {
		if now := &g.oracle.before; now.valid || now.tick.Before(now.confirmed) {
			g.shown[time.Tick] = reader.readState()
		}
	}
}

// quiesce ends the inputs of players and the server's random changes, and waits until all peers
// must have received the last change.
func (a *arena) quiesce() {
	a.quiet, a.server.still = true, true
	if a.drones != nil {
		a.drones.still = true
	}
	a.sim.Run(3*time.Second + 8*(a.latency+a.jitter) + time.Duration(a.delay)*time.Second/time.Duration(a.rate))
}

// expectEqual continues the game, and checks that the state that clients show of a tick equals the
// server's state of that tick.
func (a *arena) expectEqual(d time.Duration) {
	for _, g := range a.guests {
		clear(g.shown)
	}
	a.calm = a.truth.last
	a.sim.Run(d)
	for _, g := range a.guests {
		if g.interpolated != nil {
			g.interpolated.expectPredicted()
		}
		if g.shots != nil {
			g.shots.expectShots()
		}
		compared := 0
		for tick, got := range g.shown {
			truth, ran := a.truth.states[tick]
			if !ran {
				continue
			}
			compared++
			want := a.predictedBy(g.id, truth)
			require.True(a.t, slices.Equal(want, got), "%v\nclient %d predicted otherwise for tick %d than the server had it: %s",
				a.arenaSetup, g.id, tick, arenaDifference(want, got))
		}
		require.NotZero(a.t, compared)
	}
}

// predictedBy returns the part of an arena that a client predicts.
func (a *arena) predictedBy(client entangle.ClientID, s arenaState) (predicted arenaState) {
	for _, b := range s {
		if a.predicts(client, b.Team) {
			predicted = append(predicted, b)
		}
	}
	return predicted
}
