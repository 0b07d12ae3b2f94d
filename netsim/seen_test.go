package netsim_test

import (
	"fmt"
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
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

func seenProtocol(tickRate int) *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "seen", TickRate: tickRate})
	protocol.Component[smoothPlace](p).Interpolate(protocol.Linear[smoothPlace])
	protocol.Component[smoothLabel](p)
	protocol.Component[components.Interpolated](p)
	protocol.Component[components.ControlledBy](p)
	protocol.Input[steer](p)
	return p
}

// seenAt is what a screen showed of an entity.
type seenAt struct {
	at    float64 // the shown time in ticks
	place float64 // X of the entity, which is the tick at which it was there
}

// seenTicks holds what was seen of each entity, by its label, for each tick of inputs.
type seenTicks map[entangle.Tick]map[uint32]seenAt

// seenGame is a server with entities that move, and a player that looks at them.
type seenGame struct {
	t      *testing.T
	sim    *netsim.Sim
	server *plugin.Server
	peer   *netsim.Peer
	client *plugin.Client
	every  []uint16     // the send intervals of the entities, by label
	all    []ecs.Entity // on the server, by label
	player ecs.Entity

	seen  seenTicks // by the server
	drawn seenTicks // by the client
	last  map[uint32]seenAt
}

func newSeenGame(t *testing.T, config netsim.Config, sendEvery, delay int) *seenGame {
	return newSeenGameOf(t, config, sendEvery, delay, 60, []uint16{1, 2, 6, 6, 2, 1})
}

func newSeenGameOf(t *testing.T, config netsim.Config, sendEvery, delay, tickRate int, every []uint16) *seenGame {
	g := &seenGame{t: t, sim: netsim.New(t, config), every: every, seen: seenTicks{}, drawn: seenTicks{}}
	sc := g.sim.ServerConfig(seenProtocol(tickRate))
	sc.SendEvery = sendEvery
	g.server = newServer(t, sc)
	g.server.AddSystem(plugin.FixedMain, plugin.Func(g.run))
	g.sim.AddServer(g.server, g.server)
	cc := g.sim.ClientConfig(seenProtocol(tickRate))
	cc.InputDelay.Min = delay
	g.client = newClient(t, cc)
	g.client.AddSystem(plugin.AfterSend, plugin.Func(g.draw))
	g.client.AddSystem(plugin.FixedInput, plugin.Func(g.press))
	g.peer = g.sim.AddClient(1, g.client, g.client)
	require.True(t, g.sim.RunUntil(5*time.Second, g.peer.Connected))
	return g
}

// run is the server's system: it moves the entities, and looks up what the player has seen.
func (g *seenGame) run(w *ecs.World) func() {
	spawn := generic.NewMap3[smoothPlace, smoothLabel, components.Replicate](w)
	for i, every := range g.every {
		replicate := components.Replicate{Interpolate: components.Everyone, SendEvery: every}
		g.all = append(g.all, spawn.NewWith(&smoothPlace{}, &smoothLabel{uint32(i)}, &replicate))
	}
	owned := generic.NewMap3[steer, components.ControlledBy, components.Replicate](w)
	g.player = owned.NewWith(&steer{}, &components.ControlledBy{Client: 1}, &components.Replicate{})
	places, inputs, clock := generic.NewMap1[smoothPlace](w), plugin.NewInputs[steer](w), ecs.GetResource[components.Time](w)
	return func() {
		seen := map[uint32]seenAt{}
		for i, e := range g.all {
			places.Get(e).X = float64(clock.Tick)
			if tick, fraction, ok := inputs.Seen(g.player, e); ok {
				require.Equal(g.t, plugin.FreshInput, inputs.Status(g.player))
				seen[uint32(i)] = seenAt{at: float64(tick) + fraction}
			}
		}
		if len(seen) > 0 {
			g.seen[clock.Tick] = seen
		}
		_, _, ok := inputs.Seen(g.player, g.player)
		require.False(g.t, ok, "the player's own entity is not interpolated")
		_, _, ok = inputs.Seen(g.all[0], g.all[0])
		require.False(g.t, ok, "nobody drives the entity")
	}
}

// draw stands for the drawing of a frame.
func (g *seenGame) draw(w *ecs.World) func() {
	filter := generic.NewFilter3[smoothPlace, smoothLabel, components.Interpolated]()
	return func() {
		g.last = map[uint32]seenAt{}
		for q := filter.Query(w); q.Next(); {
			place, label, marker := q.Get()
			tick, fraction := g.client.InterpolationTime(int(marker.SendEvery))
			g.last[label.N] = seenAt{float64(tick) + fraction, place.X}
		}
	}
}

// press records the last drawn frame as the one at which the player presses a key.
func (g *seenGame) press(w *ecs.World) func() {
	clock := ecs.GetResource[components.Time](w)
	return func() { g.drawn[clock.Tick+entangle.Tick(g.client.InputDelay())] = g.last }
}

// A server knows exactly at which time a player saw each entity when it made the input that acts in a tick: over
// networks with loss and jitter, at any frame rates, with and without an input delay, for each send interval. It
// is also the time of the place at which the entity was drawn.
//
// Proves: I13
func TestSeenIsWhatWasOnTheScreen(t *testing.T) {
	rates := []int{24, 30, 50, 60, 60, 75, 100, 144, 165, 240}
	for seed := range uint64(24) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 13))
			line := conditioner.Config{Latency: time.Duration(rng.IntN(120)) * ms, Jitter: time.Duration(rng.IntN(25)) * ms, Loss: 0.05 * float64(rng.IntN(4))}
			if line.Jitter > line.Latency {
				line.Jitter = line.Latency
			}
			delay, sendEvery := int(seed%2*3), 1+int(seed/2%2)
			g := newSeenGame(t, netsim.Config{Seed: seed, Link: netsim.Symmetric(line), Drift: rng.IntN(400) - 200}, sendEvery, delay)
			fps := rates[rng.IntN(len(rates))]
			g.peer.SetFrameRate(fps)
			g.sim.SetServerFrameRate(rates[3:][rng.IntN(len(rates)-3)])
			g.sim.Run(4 * time.Second)
			clear(g.seen)
			clamped := g.server.Stats().Inputs.SeenClamped
			g.sim.Run(8 * time.Second)
			g.compare()
			assert.Equal(t, clamped, g.server.Stats().Inputs.SeenClamped, "an honest client's times are possible")
			t.Logf("%+v, %d frames per second, delay %d, packets every %d ticks: %d ticks", line, fps, delay, sendEvery, len(g.seen))
		})
	}
}

// A client shows entities with intervals of more than 64 ticks by fewer timelines, and the server knows by which.
//
// Proves: I13
func TestSeenOfLongIntervals(t *testing.T) {
	g := newSeenGameOf(t, netsim.Config{}, 1, 0, 500, []uint16{1, 65, 100, 104, 150})
	g.sim.Run(8 * time.Second)
	clear(g.seen)
	g.sim.Run(4 * time.Second)
	g.compare()
}

// compare checks the server's answers, for nearly all ticks.
func (g *seenGame) compare() {
	near, all := 0, 0
	for tick, seen := range g.seen {
		drawn := g.drawn[tick]
		require.Len(g.t, seen, len(drawn), "tick %d", tick)
		for label, s := range seen {
			require.Equal(g.t, drawn[label].at, s.at, "tick %d, entity %d, drawn at %v", tick, label, drawn[label].place)
			all++
			if d := drawn[label].place - s.at; d < 1e-3 && d > -1e-3 {
				near++
			}
		}
	}
	assert.Greater(g.t, len(g.seen), 400)
	assert.Greater(g.t, float64(near), float64(all)*0.95, "but for gaps of lost packets, an entity is drawn where it was at that time")
}
