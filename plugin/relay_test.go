package plugin_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// pull is an input that is rebroadcast to other players.
type pull struct {
	X, Y int16
	At   ecs.Entity
}

func pullProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "plugin test"})
	protocol.Component[spot](p)
	protocol.Component[components.ControlledBy](p)
	protocol.Input[pull](p).Rebroadcast()
	return p
}

// pulling is a game of players with one entity each.
type pulling struct {
	*game
	at []ecs.Entity // by player: the entity that the player pulls, in its own world
}

// pulls writes a different input in each tick.
func (g *pulling) pulls(player int) func(c *plugin.Client) {
	return func(c *plugin.Client) {
		c.AddSystem(plugin.FixedInput, plugin.Func(func(w *ecs.World) func() {
			own := generic.NewFilter2[pull, components.Controlled]()
			now := ecs.GetResource[components.Time](w)
			return func() {
				for q := own.Query(w); q.Next(); {
					in, _ := q.Get()
					*in = pull{int16(now.Tick), -int16(now.Tick), g.at[player]}
				}
			}
		}))
	}
}

func newPulling(t testing.TB, players int, target func(player int, w *ecs.World) components.Target) *pulling {
	g := &pulling{at: make([]ecs.Entity, players)}
	g.game = newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol, c.MaxClients = pullProtocol(), players })
	m := generic.NewMap4[spot, pull, components.ControlledBy, components.Replicate](g.world)
	for i := range players {
		m.NewWith(&spot{}, &pull{}, &components.ControlledBy{Client: entangle.ClientID(i + 1)}, &components.Replicate{Target: target(i, g.world)})
		g.joinWith(pullProtocol(), entangle.ClientID(i+1), g.pulls(i))
	}
	return g
}

func everybodys(int, *ecs.World) components.Target { return components.Everyone }

// In steady state, a tick in which all players send inputs and receive those of the others
// allocates nothing on either side.
//
// Proves: I6, R40
func TestPassingInputsOnAllocatesNothing(t *testing.T) {
	g := newPulling(t, 4, everybodys)
	g.run(900)
	before := g.clients[0].Stats().InputsOfOthers.Received
	assert.Zero(t, alloctest.Count(300, func() { g.run(1) }))
	assert.Greater(t, g.clients[0].Stats().InputsOfOthers.Received, before+3*290)
}

// An entity in a rebroadcast input is the receiver's own entity, and no entity for players that
// cannot see it.
//
// Proves: I6, R34
func TestEntitiesInInputsOfOthers(t *testing.T) {
	g := newPulling(t, 3, everybodys)
	secret := generic.NewMap2[spot, components.Replicate](g.world)
	at := secret.NewWith(&spot{X: 5}, &components.Replicate{Target: ecs.GetResource[components.Targets](g.world).Only(1, 2)})
	g.run(120)
	g.at[0] = g.find(0, 5)
	require.False(t, g.at[0].IsZero())
	g.run(60)
	assert.Equal(t, g.find(1, 5), g.pulled(1))
	assert.True(t, g.pulled(2).IsZero(), "it does not see whom the first player pulls")
	g.world.RemoveEntity(at)
	g.run(60)
	assert.True(t, g.pulled(1).IsZero(), "nobody is there any more")
}

// find returns a player's entity by the value of its spot.
func (g *pulling) find(player int, x float32) (found ecs.Entity) {
	all := generic.NewFilter1[spot]()
	for q := all.Query(g.clients[player].world); q.Next(); {
		if q.Get().X == x {
			found = q.Entity()
		}
	}
	return found
}

// pulled returns the entity that the first player pulls, as another player sees it.
func (g *pulling) pulled(player int) (at ecs.Entity) {
	all := generic.NewFilter2[pull, components.ControlledBy]()
	for q := all.Query(g.clients[player].world); q.Next(); {
		if in, by := q.Get(); by.Client == 1 {
			at = in.At
		}
	}
	return at
}

// BenchmarkRebroadcast measures a server's tick with 200 players, each of which receives the inputs
// of 20 others, or of none. It excludes the clients' own work.
func BenchmarkRebroadcast(b *testing.B) {
	const players = 200
	for name, viewers := range map[string]int{"nobody": 0, "20 viewers": 20} {
		b.Run(name, func(b *testing.B) {
			g := newPulling(b, players, func(player int, w *ecs.World) components.Target {
				ids := []entangle.ClientID{entangle.ClientID(player + 1)}
				for i := range viewers {
					ids = append(ids, entangle.ClientID((player+i+1)%players+1))
				}
				return ecs.GetResource[components.Targets](w).Only(ids...)
			})
			g.run(300)
			var spent time.Duration
			b.ResetTimer()
			for b.Loop() {
				g.now = g.now.Add(time.Second / 60)
				began := time.Now()
				g.server.Step(g.now)
				spent += time.Since(began)
				for _, c := range g.clients {
					c.Step(g.now)
				}
			}
			b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "server-ns/op")
			b.ReportMetric(float64(g.clients[0].Stats().InputsOfOthers.Received)/float64(g.server.Tick()), "heard/tick")
		})
	}
}
