package netsim_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
)

// harmedArena returns a game in which a test can cause faults.
func harmedArena(t *testing.T) *arena {
	a := newArena(t, arenaSetup{
		seed: 7, rate: 60, clients: 3, teams: 1, bodies: 5, unrest: 1, all: true, latency: 60 * ms, jitter: 10 * ms, loss: 0.02,
	})
	a.sim.Run(5 * time.Second)
	return a
}

// After any fault of a connection, a clock or a server, the client's predicted state soon equals
// the server's state of the same tick again.
//
// Proves: B10, B11, S3
func TestArenasOutliveHarm(t *testing.T) {
	for name, harm := range map[string]func(*arena, *arenaGuest){
		"a line that is cut": func(a *arena, g *arenaGuest) {
			g.Cut()
			a.sim.Run(3 * time.Second)
			g.Restore()
		},
		"inputs with a hole": func(a *arena, g *arenaGuest) {
			link := g.Line().Link()
			link.Up.Loss = 1
			g.SetLink(link)
			a.sim.Run(700 * ms)
			g.SetLink(a.link())
		},
		"nothing from the server": func(a *arena, g *arenaGuest) {
			link := g.Line().Link()
			link.Down.Loss = 1
			g.SetLink(link)
			a.sim.Run(4500 * ms)
			g.SetLink(a.link())
		},
		"a client that hangs for a moment": func(_ *arena, g *arenaGuest) { g.Freeze(90 * ms) },
		"a client that hangs":              func(_ *arena, g *arenaGuest) { g.Freeze(2 * time.Second) },
		"a server that hangs":              func(a *arena, _ *arenaGuest) { a.sim.FreezeServer(4500 * ms) },
		"a clock that runs away":           func(_ *arena, g *arenaGuest) { g.SetDrift(40_000) },
		"a line that gets longer": func(_ *arena, g *arenaGuest) {
			g.SetLink(rough(250*ms, 30*ms, 0.1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := harmedArena(t)
			harm(a, a.guests[0])
			a.sim.Run(10 * time.Second)
			for _, g := range a.guests {
				require.True(t, g.Connected())
			}
			a.quiesce()
			a.expectEqual(2 * time.Second)
		})
	}
}

// When a server is silent for longer than the connection timeout, all predicted entities are
// despawned. With the next connection they are predicted again.
//
// Proves: R19, B25
func TestPredictedEntitiesDespawnWithTheConnection(t *testing.T) {
	a := harmedArena(t)
	g := a.guests[0]
	g.Cut()
	a.sim.Run(7 * time.Second)
	require.Equal(t, plugin.Disconnected, g.Client().State())
	for _, tag := range []ecs.ID{ecs.ComponentID[components.Predicted](g.World()), ecs.ComponentID[arenaPlace](g.World())} {
		q := g.World().Query(ecs.All(tag))
		assert.Zero(t, q.Count(), "something is left")
		q.Close()
	}
	g.Restore()
	g.Connect()
	require.True(t, a.sim.RunUntil(10*time.Second, g.Connected))
	a.sim.Run(5 * time.Second)
	a.quiesce()
	a.expectEqual(2 * time.Second)
}

// A predicted component that is always hidden from a client never causes a rollback.
func TestHiddenComponentsCauseNoRollback(t *testing.T) {
	a := newArena(t, arenaSetup{seed: 5, rate: 60, clients: 2, teams: 2, ghosts: true, latency: 60 * ms})
	a.sim.Run(5 * time.Second)
	for _, g := range a.guests {
		g.oracle.sums = arenaSums{}
	}
	a.sim.Run(10 * time.Second)
	for _, g := range a.guests {
		require.NotZero(t, g.oracle.sums.exact)
		require.Zero(t, g.oracle.sums.rollbacks)
	}
	a.quiesce()
	a.expectEqual(2 * time.Second)
}

// panicky is a client with a system that panics in some replays.
type panicky struct {
	*plugin.Client
	panics int // the number of panics that are still to happen
	caught int
}

func (p *panicky) Update(w *ecs.World) {
	defer func() {
		if r := recover(); r != nil {
			p.caught++
		}
	}()
	p.Client.Update(w)
}

// system panics in the middle of a replay.
func (p *panicky) system(w *ecs.World) func() {
	now, bodies := ecs.GetResource[components.Time](w), generic.NewFilter2[arenaPlace, components.Predicted]()
	return func() {
		if !now.Replaying || now.Tick != now.ReplayFrom+1 || p.panics == 0 {
			return
		}
		p.panics--
		for q := bodies.Query(w); q.Next(); {
			place, _ := q.Get()
			place.X = 5 // leaves the world in an invalid state
		}
		panic("a system of the game")
	}
}

// A panic of a system in a replay reaches the caller that runs the frame. If the caller recovers
// and continues, the client is correct again with the next confirmed tick.
func TestAPanicInAReplayHarmsNothing(t *testing.T) {
	a := newEmptyArena(t, arenaSetup{seed: 7, rate: 60, clients: 2, teams: 1, bodies: 5, unrest: 1, all: true, latency: 60 * ms})
	var p *panicky
	bare := a.wraps
	a.wraps = func(c *plugin.Client) netsim.App {
		p = &panicky{Client: c}
		c.AddSystem(plugin.FixedMain, plugin.Func(p.system))
		return p
	}
	a.join(1)
	a.wraps = bare
	a.join(2)
	a.sim.Run(5 * time.Second)
	p.panics = 5
	a.sim.Run(20 * time.Second)
	require.Equal(t, 5, p.caught, "it did not panic")
	a.quiesce()
	a.expectEqual(2 * time.Second)
}
