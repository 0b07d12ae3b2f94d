package plugin_test

import (
	"testing"

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

// walk is an input.
type walk struct {
	DX, DY int8
	Jump   bool `net:"event"`
}

func walkedProtocol() *protocol.Protocol {
	p := ownedProtocol()
	protocol.Input[walk](p)
	return p
}

func newWalkedGame(t *testing.T, systems ...func(*plugin.Server)) *game {
	return newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol, c.MaxClients = walkedProtocol(), 256 }, systems...)
}

// walker spawns an entity that a client may drive.
func (g *game) walker(owner entangle.ClientID) ecs.Entity {
	m := generic.NewMap4[walk, spot, components.ControlledBy, components.Replicate](g.world)
	return m.NewWith(&walk{}, &spot{}, &components.ControlledBy{Client: owner}, &components.Replicate{})
}

// walks writes inputs in every tick.
func walks(p *plugin.Client) { walksOf(p) }

func walksOf(p plugin.App) {
	p.AddSystem(plugin.FixedInput, plugin.Func(func(w *ecs.World) func() {
		mine := generic.NewFilter1[walk]().With(generic.T[components.Controlled]())
		time := ecs.GetResource[components.Time](w)
		return func() {
			for q := mine.Query(w); q.Next(); {
				in := q.Get()
				in.DX, in.Jump = int8(time.Tick/16), time.Tick%8 == 0
			}
		}
	}))
}

// moves adds the same system on both sides.
func moves(app plugin.App) {
	app.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		all := generic.NewFilter2[walk, spot]()
		return func() {
			for q := all.Query(w); q.Next(); {
				in, at := q.Get()
				at.X += float32(in.DX)
			}
		}
	}))
}

// Inputs have no effect without a component that names the owner of an entity. A protocol that
// lacks it is refused with an error that says how to fix it.
func TestInputsNeedOwners(t *testing.T) {
	p := testProtocol()
	protocol.Input[walk](p)
	_, err := plugin.NewServer(plugin.ServerConfig{Protocol: p})
	require.ErrorContains(t, err, "register protocol.Component[components.ControlledBy](p)")
	_, err = plugin.NewClient(plugin.ClientConfig{Protocol: p})
	require.ErrorContains(t, err, "register protocol.Component[components.ControlledBy](p)")
	_, err = plugin.NewHost(plugin.ServerConfig{Protocol: p}, 1)
	require.ErrorContains(t, err, "register protocol.Component[components.ControlledBy](p)")
}

// Misuse of inputs gives an error that says how to fix it.
func TestMisuseOfInputs(t *testing.T) {
	g := newWalkedGame(t)
	c := g.joinWith(walkedProtocol(), 1)
	fresh := ecs.NewWorld()
	assert.PanicsWithValue(t, "plugin: NewInputs[plugin_test.walk] in a world without an Entangle app; call it from the Initialize of a system "+
		"that was added to the Server, Client or Host, or after the app is initialised", func() { plugin.NewInputs[walk](&fresh) })
	assert.PanicsWithValue(t, "plugin: NewInputs[plugin_test.spot], which is not registered as an input; "+
		"register it with protocol.Input[plugin_test.spot](p) before the app is made", func() { plugin.NewInputs[spot](g.world) })
	assert.PanicsWithValue(t, "plugin: a reader of inputs of plugin_test.spot, which is not registered; "+
		"register it with protocol.Input[plugin_test.spot](p) before the app is made",
		func() { plugin.NewReader[plugin.InputReceived[spot]](g.world) })
	server, client := plugin.NewInputs[walk](g.world), plugin.NewInputs[walk](c.world)
	assert.PanicsWithValue(t, "plugin: Inputs.None on a Server, which has no player; call it on a Client or a Host",
		func() { server.None(ecs.Entity{}) })
	assert.PanicsWithValue(t, "plugin: Inputs.None outside of FixedInput, where it would have no effect; call it from a system of that set",
		func() { client.None(ecs.Entity{}) })
	assert.Equal(t, plugin.NoInput, server.Status(g.walker(1)))
}

// A player without a synced clock sees its own inputs take effect: they act before the client has
// an estimate of the server's time, and nothing is sent.
func TestInputsActBeforeTheClockIsSynced(t *testing.T) {
	g := newWalkedGame(t)
	c := g.joinWith(walkedProtocol(), 1, walks, func(p *plugin.Client) { moves(p) })
	m := generic.NewMap4[walk, spot, components.Controlled, name](c.world)
	e := m.New()
	for range 6 {
		c.Step(g.now)
		g.now = g.now.Add(100_000_000)
	}
	assert.Equal(t, plugin.Connecting, c.State())
	assert.NotZero(t, at[spot](c.world, e).X)
	assert.False(t, at[walk](c.world, e).Jump, "it is over")
	assert.Zero(t, c.Stats().Inputs.Frames)
}

// Once all players play, the inputs of two hundred of them allocate nothing, on the server or on a
// client.
func TestSettledInputsAllocateNothing(t *testing.T) {
	players := entangle.ClientID(200)
	if testing.Short() {
		players = 20
	}
	g := newWalkedGame(t, func(s *plugin.Server) {
		moves(s)
		s.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
			read := plugin.NewReader[plugin.InputReceived[walk]](w)
			return func() { read.Read() }
		}))
	})
	p := walkedProtocol()
	for id := entangle.ClientID(1); id <= players; id++ {
		g.joinWith(p, id, walks)
		e := g.walker(id)
		at[components.Replicate](g.world, e).Target = components.Owner
	}
	g.run(300)
	before := g.server.Stats().Inputs.InTime
	assert.Zero(t, alloctest.Count(60, func() { g.run(1) }))
	assert.GreaterOrEqual(t, g.server.Stats().Inputs.InTime-before, uint64(players*59))
}

// A host's player drives its entities like any client, and its server does not drive them.
func TestAHostsPlayerDrivesItsEntities(t *testing.T) {
	host, err := plugin.NewHost(plugin.ServerConfig{Protocol: walkedProtocol()}, 5)
	require.NoError(t, err)
	var heard []plugin.InputReceived[walk]
	var statuses []plugin.InputStatus
	var e ecs.Entity
	host.AddSystem(plugin.FixedInput, plugin.Func(func(w *ecs.World) func() {
		inputs := plugin.NewInputs[walk](w)
		mine := generic.NewFilter1[walk]().With(generic.T[components.Controlled]())
		time := ecs.GetResource[components.Time](w)
		return func() {
			for q := mine.Query(w); q.Next(); {
				q.Get().DX, q.Get().Jump = int8(time.Tick), true
				if time.Tick%4 == 0 {
					inputs.None(q.Entity())
				}
			}
		}
	}))
	host.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		inputs, read := plugin.NewInputs[walk](w), plugin.NewReader[plugin.InputReceived[walk]](w)
		return func() {
			heard = append(heard, read.Read()...)
			if !e.IsZero() {
				statuses = append(statuses, inputs.Status(e))
			}
		}
	}))
	g := &game{t: t, server: host.Server}
	w := ecs.NewWorld()
	g.world = &w
	host.Initialize(&w)
	require.NoError(t, host.Start())
	require.NoError(t, host.Player().Connect(nil))
	e = g.walker(5)
	g.run(20)
	assert.Contains(t, statuses, plugin.FreshInput)
	assert.Contains(t, statuses, plugin.NoInput)
	require.NotEmpty(t, heard)
	for _, h := range heard {
		assert.NotZero(t, h.Tick%4)
		assert.Equal(t, plugin.InputReceived[walk]{Client: 5, Entity: e, Tick: h.Tick, Input: walk{DX: int8(h.Tick), Jump: true}, Status: plugin.FreshInput}, h)
	}
	assert.False(t, at[walk](&w, e).Jump, "it is over")
}

// The input of a host's player stops acting in the tick in which the owner changes, as for any
// client.
func TestAHostsPlayerLosesItsEntity(t *testing.T) {
	host, err := plugin.NewHost(plugin.ServerConfig{Protocol: walkedProtocol()}, 5)
	require.NoError(t, err)
	walksOf(host)
	var status []plugin.InputStatus
	var e ecs.Entity
	host.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		inputs := plugin.NewInputs[walk](w)
		return func() { status = append(status, inputs.Status(e)) }
	}))
	w := ecs.NewWorld()
	g := &game{t: t, server: host.Server, world: &w}
	host.Initialize(&w)
	require.NoError(t, host.Start())
	require.NoError(t, host.Player().Connect(nil))
	g.run(1)
	e = g.walker(5)
	expect := func(want plugin.InputStatus, ticks int) {
		t.Helper()
		g.run(ticks)
		require.Equal(t, want, status[len(status)-1])
	}
	expect(plugin.FreshInput, 40)
	require.NotZero(t, at[walk](&w, e).DX)
	for _, owner := range []entangle.ClientID{entangle.Nobody, 6} {
		at[components.ControlledBy](&w, e).Client = owner
		expect(plugin.NoInput, 1)
		require.Zero(t, *at[walk](&w, e), "its system writes by a mark that goes with the next frame")
		expect(plugin.NoInput, 3)
		require.Zero(t, *at[walk](&w, e), "and that stays until another drives it")
		at[components.ControlledBy](&w, e).Client = 5
		expect(plugin.FreshInput, 3)
	}
	at[components.ControlledBy](&w, e).Keep = true
	host.Player().Disconnect()
	expect(plugin.NoInput, 1)
}
