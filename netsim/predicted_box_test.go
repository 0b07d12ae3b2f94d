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
	"github.com/entangle-ecs/entangle/protocol"
)

// box is an entity's component that a player steers.
type box struct{ X, Y, Speed int32 }

func boxProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "boxes"})
	protocol.Component[components.ControlledBy](p)
	protocol.Component[box](p).Predict(protocol.Full)
	protocol.Input[steer](p)
	return p
}

// glide is the game, the same on both sides: a box speeds up as it is steered, and is slowed by
// friction.
func glide() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		all := generic.NewFilter2[box, steer]().Without(generic.T[components.Remote]())
		return func() {
			for q := all.Query(w); q.Next(); {
				b, s := q.Get()
				b.Speed = b.Speed*7/8 + int32(s.Move)*4
				b.X += b.Speed
				b.Y += int32(s.Jump)
			}
		}
	})
}

// boxGame is a server with one box, and the player steering it.
type boxGame struct {
	sim    *netsim.Sim
	player *netsim.Peer
	box    ecs.Entity // on the server
	late   int        // ticks in which the server had no fresh input from the player
	do     func(tick entangle.Tick, s *steer)

	corrected []plugin.ComponentCorrected[box]
}

func newBoxGame(t *testing.T, link netsim.Link, adjust ...func(*plugin.ClientConfig)) *boxGame {
	g := &boxGame{sim: netsim.New(t, netsim.Config{Link: link})}
	server := newServer(t, g.sim.ServerConfig(boxProtocol()))
	server.AddSystem(plugin.FixedMain, glide())
	server.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		inputs := plugin.NewInputs[steer](w)
		return func() {
			if w.Alive(g.box) && inputs.Status(g.box) != plugin.FreshInput {
				g.late++
			}
		}
	}))
	g.sim.AddServer(server, server)
	config := g.sim.ClientConfig(boxProtocol())
	for _, a := range adjust {
		a(&config)
	}
	client := newClient(t, config)
	client.AddSystem(plugin.FixedMain, glide())
	client.AddSystem(plugin.FixedInput, plugin.Func(func(w *ecs.World) func() {
		mine, time := generic.NewFilter1[steer]().With(generic.T[components.Controlled]()), ecs.GetResource[components.Time](w)
		return func() {
			for q := mine.Query(w); q.Next(); {
				*q.Get() = steer{}
				if g.do != nil {
					g.do(time.Tick, q.Get())
				}
			}
		}
	}))
	client.AddSystem(plugin.AfterSend, plugin.Func(func(w *ecs.World) func() {
		events := plugin.NewReader[plugin.ComponentCorrected[box]](w)
		return func() { g.corrected = append(g.corrected, events.Read()...) }
	}))
	g.player = g.sim.AddClient(7, client, client)
	require.True(t, g.sim.RunUntil(5*time.Second, g.player.Connected))
	m := generic.NewMap4[steer, box, components.ControlledBy, components.Replicate](g.sim.World())
	g.box = m.NewWith(&steer{}, &box{X: 1000}, &components.ControlledBy{Client: 7},
		&components.Replicate{Predict: components.Owner})
	return g
}

// weave steers to and fro.
func weave(tick entangle.Tick, s *steer) { s.Move, s.Jump = int8(tick/2%5)-2, uint8(tick%32/31) }

// local returns the player's replica of the box, and its state.
func (g *boxGame) local(t *testing.T) (e ecs.Entity, b box) {
	e, ok := g.player.Local(g.box)
	require.True(t, ok)
	return e, boxOf(g.player.World(), e)
}

func boxOf(w *ecs.World, e ecs.Entity) box {
	m := generic.NewMap[box](w)
	return *m.Get(e)
}

// A box that its player steers is where the server will have it in the same tick, and nothing is
// replayed except because of late inputs.
//
// Proves: B1, B2, T6
func TestAPredictedBox(t *testing.T) {
	for name, link := range map[string]netsim.Link{"near": {}, "far": rough(75*ms, 10*ms, 0), "lossy": rough(100*ms, 20*ms, 0.05), "bad": rough(120*ms, 30*ms, 0.3)} {
		t.Run(name, func(t *testing.T) {
			g := newBoxGame(t, link)
			g.sim.Run(5 * time.Second)
			e, _ := g.local(t)
			require.True(t, g.player.World().Has(e, ecs.ComponentID[components.Predicted](g.player.World())))
			require.False(t, g.player.World().Has(e, ecs.ComponentID[components.Remote](g.player.World())))
			g.do = weave
			before, late := g.player.Client().Stats().Rollbacks, g.late
			g.sim.Run(20 * time.Second)
			after := g.player.Client().Stats().Rollbacks
			_, b := g.local(t)
			if name == "bad" {
				assert.Greater(t, after.Rollbacks[plugin.ByMismatch], before.Rollbacks[plugin.ByMismatch])
			}
			assert.NotEqual(t, box{X: 1000}, b, "it moved")
			if g.late == late {
				assert.Equal(t, before.Rollbacks, after.Rollbacks)
			}
			assert.LessOrEqual(t, after.Rollbacks[plugin.ByMismatch]-before.Rollbacks[plugin.ByMismatch], uint64(g.late-late))
			assert.EqualValues(t, after.Corrections, len(g.corrected))
			for _, c := range g.corrected {
				assert.Equal(t, e, c.Entity)
				assert.NotEqual(t, c.Before, c.After)
			}
			g.do = nil
			g.sim.Run(3 * time.Second)
			_, b = g.local(t)
			assert.Equal(t, boxOf(g.sim.World(), g.box), b, "once all came to rest")
		})
	}
}
