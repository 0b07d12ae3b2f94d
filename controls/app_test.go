package controls_test

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
	"github.com/entangle-ecs/entangle/controls"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// walking is a game's input.
type walking struct {
	Jump, Fire controls.Button
	Move       controls.Axis2
}

func walkingProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "walking"})
	protocol.Component[components.ControlledBy](p)
	protocol.Input[walking](p)
	return p
}

// player is a client with keys that are pressed at random, once per frame.
type player struct {
	t     *testing.T
	rng   *rand.Rand
	jumps device // the history of the jump key
	down  map[rune]bool
	keys  controls.Keys[rune]
	jump  controls.Latch
	fire  controls.Latch
	move  controls.Axis2Latch
	delay entangle.Tick
	wrote map[entangle.Tick]walking // the values taken, by the tick in which they act
}

func newPlayer(t *testing.T, seed uint64) *player {
	p := &player{t: t, rng: rand.New(rand.NewPCG(seed, 21)), down: map[rune]bool{}, wrote: map[entangle.Tick]walking{}}
	p.keys.Bind(&p.jump, ' ', 'j')
	p.keys.Bind(&p.fire, 'f')
	p.keys.BindAxis(&p.move.X, controls.Pair[rune]{Negative: 'a', Positive: 'd'})
	p.keys.BindAxis(&p.move.Y, controls.Pair[rune]{Negative: 's', Positive: 'w'})
	return p
}

func (p *player) frame() {
	for _, key := range " jfadsw" {
		if p.rng.IntN(6) == 0 {
			p.down[key] = !p.down[key]
		}
	}
	p.keys.Update(func(key rune) bool { return p.down[key] })
	p.jumps.states = append(p.jumps.states, p.down[' '] || p.down['j'])
}

func (p *player) write(w *ecs.World) func() {
	mine := generic.NewFilter1[walking]().With(generic.T[components.Controlled]())
	now := generic.NewResource[components.Time](w)
	return func() {
		input := walking{p.jump.Take(), p.fire.Take(), p.move.Take()}
		require.Equal(p.t, p.jumps.take(), input.Jump)
		for q := mine.Query(w); q.Next(); {
			*q.Get() = input
			p.wrote[now.Get().Tick+p.delay] = input
		}
	}
}

// judge records the inputs of a player on the server.
type judge struct {
	saw      map[entangle.Tick]walking
	repeated map[entangle.Tick]walking
}

func (j *judge) watch(w *ecs.World) func() {
	all := generic.NewFilter1[walking]()
	inputs := plugin.NewInputs[walking](w)
	now := generic.NewResource[components.Time](w)
	return func() {
		for q := all.Query(w); q.Next(); {
			switch inputs.Status(q.Entity()) {
			case plugin.FreshInput:
				j.saw[now.Get().Tick] = *q.Get()
			case plugin.RepeatedInput:
				j.repeated[now.Get().Tick] = *q.Get()
			}
		}
	}
}

func newWalkingServer(t *testing.T, config plugin.ServerConfig) (*plugin.Server, *judge) {
	server, err := plugin.NewServer(config)
	require.NoError(t, err)
	server.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
		joined := plugin.NewReader[plugin.ClientConnected](w)
		spawn := generic.NewMap3[walking, components.ControlledBy, components.Replicate](w)
		return func() {
			for _, event := range joined.Read() {
				spawn.NewWith(&walking{}, &components.ControlledBy{Client: event.Client}, &components.Replicate{})
			}
		}
	}))
	j := &judge{saw: map[entangle.Tick]walking{}, repeated: map[entangle.Tick]walking{}}
	server.AddSystem(plugin.FixedMain, plugin.Func(j.watch))
	return server, j
}

// A press acts on the server once, in the tick for which it was taken, even if a third of all
// packets is lost. A missing input presses nothing.
//
// Proves: I11
func TestNamedStatesActOnTheServerAtTheirTick(t *testing.T) {
	bad := conditioner.Config{Latency: 60 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.3}
	for name, c := range map[string]struct {
		frames, delay int
		line          conditioner.Config
	}{
		"a frame for each tick":  {60, 0, conditioner.Config{Latency: 30 * time.Millisecond}},
		"frames without a tick":  {144, 0, conditioner.Config{Latency: 30 * time.Millisecond}},
		"frames of many ticks":   {20, 0, conditioner.Config{Latency: 30 * time.Millisecond}},
		"a delay of three ticks": {60, 3, conditioner.Config{Latency: 30 * time.Millisecond}},
		"a bad line":             {100, 0, bad},
		"a delay and a bad line": {30, 2, bad},
	} {
		t.Run(name, func(t *testing.T) {
			sim := netsim.New(t, netsim.Config{Link: netsim.Symmetric(c.line)})
			server, j := newWalkingServer(t, sim.ServerConfig(walkingProtocol()))
			sim.AddServer(server, server)
			sim.Watch()
			config := sim.ClientConfig(walkingProtocol())
			config.InputDelay = plugin.InputDelay{Min: c.delay}
			client, err := plugin.NewClient(config)
			require.NoError(t, err)
			p := newPlayer(t, sim.Seed())
			p.delay = entangle.Tick(c.delay)
			client.AddSystem(plugin.AfterReceive, plugin.Func(func(*ecs.World) func() { return p.frame }))
			client.AddSystem(plugin.FixedInput, plugin.Func(p.write))
			peer := sim.AddClient(1, client, client)
			peer.SetFrameRate(c.frames)
			require.True(t, sim.RunUntil(5*time.Second, peer.Connected))
			sim.Run(5 * time.Second)
			from := server.Tick()
			sim.Run(20 * time.Second)
			j.compare(t, p, from, server.Tick(), c.line.Loss > 0)
			sim.ExpectEqual() // of an input only its presence is compared, because the client writes ahead
		})
	}
}

// compare compares the inputs that acted on the server in the ticks after from with the inputs
// taken for them.
func (j *judge) compare(t *testing.T, p *player, from, to entangle.Tick, lossy bool) {
	t.Helper()
	presses, seen, fresh := 0, 0, 0
	for tick := from + 1; tick.Before(to + 1); tick++ {
		wrote, ok := p.wrote[tick]
		require.True(t, ok, "tick %d", tick)
		presses += toInt(wrote.Jump.Pressed)
		if saw, ok := j.saw[tick]; ok {
			require.Equal(t, wrote, saw, "tick %d", tick)
			seen += toInt(saw.Jump.Pressed)
			fresh++
		} else {
			saw := j.repeated[tick]
			require.False(t, saw.Jump.Pressed || saw.Fire.Pressed || saw.Jump.Released || saw.Fire.Released, "tick %d", tick)
		}
	}
	require.Greater(t, presses, 20, "the test has presses to check")
	ticks := int(to - from)
	if lossy {
		assert.Greater(t, fresh, ticks*95/100, fmt.Sprint(presses-seen, " presses were too late"))
		return
	}
	assert.Equal(t, presses, seen)
	assert.Equal(t, ticks, fresh)
}
