package netsim_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/visualinterp"
)

// kart is steered by a player and pushed by gusts that only the server knows. Its values are
// rounded in every tick.
type kart struct {
	X     float32 `net:"range=-8192..8192,step=0.015625"`
	Speed float32 `net:"range=-64..64,step=0.015625"`
}

func kartProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "karts"})
	protocol.Component[components.ControlledBy](p)
	protocol.Component[kart](p).Predict(protocol.Full).Interpolate(protocol.Linear[kart]).Correct(150 * time.Millisecond)
	protocol.Input[steer](p)
	return p
}

// roll is the simulation, which is the same on both sides.
func roll() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		all := generic.NewFilter2[kart, steer]().Without(generic.T[components.Remote]())
		return func() {
			for q := all.Query(w); q.Next(); {
				k, s := q.Get()
				k.Speed = k.Speed*0.9 + float32(s.Move)/4
				k.X += k.Speed
			}
		}
	})
}

// kartGame is a server with a kart, and the player that steers it.
type kartGame struct {
	sim    *netsim.Sim
	player *netsim.Peer
	gusts  bool
	sent   []string  // the values that every Send reads, on both sides
	truth  []float32 // the simulated position of the player's kart, frame by frame
	shown  []float32 // the position at which it is drawn
}

func newKartGame(t *testing.T, frames int, shows bool, options ...func(*plugin.ClientConfig)) *kartGame {
	g := &kartGame{sim: netsim.New(t, netsim.Config{Link: rough(80*ms, 10*ms, 0.05), FrameRate: frames}), gusts: true}
	server := newServer(t, g.sim.ServerConfig(kartProtocol()))
	server.AddSystem(plugin.FixedMain, roll())
	server.AddSystem(plugin.FixedMain, plugin.Func(g.blow))
	g.recordDrawing(server, "server", shows, nil)
	g.sim.AddServer(server, server)
	config := g.sim.ClientConfig(kartProtocol())
	for _, option := range options {
		option(&config)
	}
	client := newClient(t, config)
	client.AddSystem(plugin.FixedMain, roll())
	client.AddSystem(plugin.FixedInput, plugin.Func(func(w *ecs.World) func() {
		mine, clock := generic.NewFilter1[steer]().With(generic.T[components.Controlled]()), ecs.GetResource[components.Time](w)
		return func() {
			for q := mine.Query(w); q.Next(); {
				*q.Get() = steer{Move: int8(clock.Tick/64%3) - 1}
			}
		}
	}))
	g.recordDrawing(client, "client", shows, &g.truth)
	if shows {
		client.AddSystem(plugin.AfterSend, plugin.Func(func(w *ecs.World) func() {
			return func() {
				for q := g.karts().Query(w); q.Next(); {
					k, _ := q.Get()
					g.shown = append(g.shown, k.X)
				}
			}
		}))
	}
	g.player = g.sim.AddClient(7, client, client)
	require.True(t, g.sim.RunUntil(5*time.Second, g.player.Connected))
	m := generic.NewMap4[steer, kart, components.ControlledBy, components.Replicate](g.sim.World())
	m.NewWith(&steer{}, &kart{}, &components.ControlledBy{Client: 7}, &components.Replicate{Predict: components.Owner})
	return g
}

func (g *kartGame) karts() *generic.Filter2[kart, steer] { return generic.NewFilter2[kart, steer]() }

// blow pushes all karts from time to time.
func (g *kartGame) blow(w *ecs.World) func() {
	clock := ecs.GetResource[components.Time](w)
	return func() {
		for q := g.karts().Query(w); q.Next(); {
			if k, _ := q.Get(); g.gusts && clock.Tick%90 == 0 {
				k.Speed += 4
			}
		}
	}
}

// recordDrawing records the values that Send reads. If shows is true, the app draws components
// between ticks.
func (g *kartGame) recordDrawing(app plugin.App, name string, shows bool, truth *[]float32) {
	app.AddSystem(plugin.BeforeSend, plugin.Func(func(w *ecs.World) func() {
		clock := ecs.GetResource[components.Time](w)
		return func() {
			for q := g.karts().Query(w); q.Next(); {
				k, _ := q.Get()
				g.sent = append(g.sent, fmt.Sprint(name, clock.Tick, *k))
				if truth != nil {
					*truth = append(*truth, k.X)
				}
			}
		}
	}))
	if shows {
		app.AddSystem(plugin.AfterSend, visualinterp.Add[kart](visualinterp.New()))
	}
}

// A game that draws components between ticks has the same packets and rollbacks as one that does
// not.
//
// Proves: N13
func TestDrawingChangesNoPacketAndNoRollback(t *testing.T) {
	for _, frames := range []int{0, 45, 144} {
		plain, shows := newKartGame(t, frames, false), newKartGame(t, frames, true)
		for _, g := range []*kartGame{plain, shows} {
			g.sim.Run(10 * time.Second)
		}
		require.NotEmpty(t, plain.sent)
		assert.Equal(t, plain.sent, shows.sent, "%d frames a second", frames)
		assert.Equal(t, plain.player.Client().Stats().Rollbacks, shows.player.Client().Stats().Rollbacks)
		assert.NotZero(t, shows.player.Client().Stats().Rollbacks.Rollbacks[plugin.ByMismatch])
		assert.Equal(t, plain.player.Client().Stats(), shows.player.Client().Stats())
		assert.Equal(t, plain.sim.Server().Stats(), shows.sim.Server().Stats())
		assert.NotEqual(t, shows.truth, shows.shown)
	}
}

// A pushed kart is drawn smoothly, although its simulated position jumps at every correction. Once
// there are no more corrections, it is drawn at its simulated position.
//
// Proves: N8, B19
func TestACorrectionIsDrawnSmoothly(t *testing.T) {
	g := newKartGame(t, 144, true)
	g.sim.Run(2 * time.Second)
	from := len(g.shown)
	g.sim.Run(10 * time.Second)
	require.Len(t, g.shown, len(g.truth))
	truly, seen := largestStep(g.truth[from:]), largestStep(g.shown[from:])
	t.Logf("the largest step of a frame is %.1f, and %.1f on the screen", truly, seen)
	assert.Less(t, seen, truly/3)
	g.gusts = false
	g.sim.Run(time.Second)
	from = len(g.shown)
	g.sim.Run(time.Second)
	for i := from; i < len(g.shown); i++ {
		assert.InDelta(t, g.truth[i], g.shown[i], 3, "a tick late, and no more")
	}
}

// If a client takes over state without a replay, because its tick is too far back, that correction
// is smoothed, too.
//
// Proves: B19
func TestStateTakenOverWithoutReplayIsDrawnSmoothly(t *testing.T) {
	g := newKartGame(t, 144, true, func(c *plugin.ClientConfig) { c.MaxRollback = 4 })
	g.sim.Run(2 * time.Second)
	from, link := len(g.shown), g.player.Line().Link()
	silent := link
	silent.Down.Loss = 1
	g.player.SetLink(silent)
	g.sim.Run(700 * time.Millisecond)
	before := g.player.Client().Stats().Rollbacks
	g.player.SetLink(link)
	g.sim.Run(500 * time.Millisecond)
	after := g.player.Client().Stats().Rollbacks
	require.Greater(t, after.Resyncs, before.Resyncs)
	require.Equal(t, before.Rollbacks, after.Rollbacks)
	truly, seen := largestStep(g.truth[from:]), largestStep(g.shown[from:])
	t.Logf("the largest step of a frame is %.1f, and %.1f on the screen", truly, seen)
	assert.Less(t, seen, truly/3)
}

func largestStep(at []float32) (most float64) {
	for i := 1; i < len(at); i++ {
		most = max(most, math.Abs(float64(at[i]-at[i-1])))
	}
	return most
}
