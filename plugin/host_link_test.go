package plugin_test

import (
	"context"
	"math/rand/v2"
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
	"github.com/entangle-ecs/entangle/transport"
)

// wiretap counts the datagrams that a listener's socket sends.
type wiretap struct {
	transport.Listener
	datagrams int
}

type wiretapConn struct {
	transport.Conn
	of *wiretap
}

func (l *wiretap) Listen() (transport.Conn, error) {
	conn, err := l.Listener.Listen()
	return wiretapConn{conn, l}, err
}

func (c wiretapConn) Send(batch []transport.Datagram) (int, error) {
	c.of.datagrams += len(batch)
	return c.Conn.Send(batch)
}

// lively returns a host's game in which all kinds of changes happen all the time.
func lively(t testing.TB) (h *hosted, m *mouth, read *told) {
	m, read = &mouth{}, &told{}
	var tidings heard[plugin.MessageReceived[tidings]]
	h = newHosted(t, append(read.systems(), m.system(), tidings.system())...)
	for id := range uint32(100) {
		e := h.spawn(spot{}, name{id})
		if id%10 == 0 {
			h.control(e, components.ControlledBy{Client: me, Keep: true})
		}
	}
	ecs.AddResource(h.world, &weather{})
	plugin.ReplicateResource[weather](h.world, components.Everyone)
	return h, m, read
}

// stir runs a frame of a lively game.
func (h *hosted) stir(m *mouth) {
	filter := generic.NewFilter1[spot]()
	for q := filter.Query(h.world); q.Next(); {
		q.Get().X++
	}
	ecs.GetResource[weather](h.world).Wind++
	_ = m.tidings.Send(components.Everyone, tidings{Text: "news"})
	_ = m.say.Send(components.Everyone, chat{Text: "hello"})
	_ = m.order.Send(components.Server, order{What: "go"})
	_, _ = m.ask.Request(sum{1, 2})
	h.run(1)
}

// The server sends nothing on behalf of the host's player: not one datagram if it is alone. Nothing
// sent to remote clients mentions it.
//
// Proves: C12
func TestNothingIsSentForAHostsPlayer(t *testing.T) {
	h, m, _ := lively(t)
	tap := &wiretap{Listener: h.place}
	require.NoError(t, h.host.Start(tap))
	require.NoError(t, h.host.Player().Connect(nil))
	for range 200 {
		h.stir(m)
	}
	require.True(t, h.host.Player().Joined())
	assert.Zero(t, tap.datagrams)
	assert.Zero(t, h.host.Stats().PacketsOut)
	h.join(1)
	h.run(10)
	assert.NotZero(t, tap.datagrams)
}

// Remote clients play with the host's player, and their worlds become the same as with any other
// server, even while the player connects and disconnects.
//
// Proves: C12
func TestRemoteClientsPlayWithAHost(t *testing.T) {
	h, m, _ := lively(t)
	h.play()
	rng := rand.New(rand.NewPCG(1, 2))
	a := h.join(1)
	var b *player
	for i := range 400 {
		switch i {
		case 50:
			b = h.join(2)
		case 100:
			h.host.Player().Disconnect()
		case 150:
			require.NoError(t, h.host.Player().Connect(nil))
		case 200:
			a.Disconnect()
		case 250:
			h.connect(a, 1)
		}
		if rng.IntN(3) == 0 {
			h.spawn(spot{X: rng.Float32()}, name{uint32(1000 + i)})
		}
		h.stir(m)
	}
	h.run(60)
	here := spots(h.world)
	require.Greater(t, len(here), 100)
	assert.Equal(t, here, spots(a.world))
	assert.Equal(t, here, spots(b.world))
	assert.Equal(t, plugin.Connected, h.host.Player().State())
	assert.Len(t, h.host.Clients(), 3)
}

// Messages of the host's player are not delayed by frames without a tick, nor by the interval at
// which the server sends. Messages of the server wait for the next frame that is sent, as they do
// for every client.
func TestAHostThatSendsSeldom(t *testing.T) {
	var m mouth
	var orders heard[plugin.MessageReceived[order]]
	var got heard[plugin.MessageReceived[tidings]]
	h := newHosted(t, m.system(), orders.system(), got.system()).play()
	frames := func(n int) {
		for range n {
			h.now = h.now.Add(time.Microsecond)
			h.host.Step(h.now)
		}
	}
	frames(1)
	require.NoError(t, m.order.Send(components.Server, order{}))
	require.NoError(t, m.tidings.Send(components.Everyone, tidings{}))
	frames(2)
	assert.Len(t, orders.take(), 1)
	assert.Empty(t, got.take())
	h.run(1)
	frames(1)
	assert.Len(t, got.take(), 1)
}

// A system of the host may disconnect the host's player, or stop the host, in every set.
//
// Proves: C12
func TestAHostsPlayerEndsInTheMiddleOfAFrame(t *testing.T) {
	for set := plugin.AfterReceive; set <= plugin.AfterSend; set++ {
		for _, end := range []func(*plugin.Host){
			func(h *plugin.Host) { h.Player().Disconnect() },
			func(h *plugin.Host) { h.Disconnect(me, "out") },
			func(h *plugin.Host) { _ = h.Stop() },
			func(h *plugin.Host) { h.Player().Disconnect(); _ = h.Player().Connect(nil) },
			func(h *plugin.Host) { _ = h.Stop(); _ = h.Start(); _ = h.Player().Connect(nil) },
		} {
			g := newUninitialized(t)
			ending := false
			g.host.AddSystem(set, plugin.Func(func(w *ecs.World) func() {
				filter := generic.NewFilter1[spot]()
				return func() {
					q := filter.Query(w) // the world is locked
					if ending {
						ending = false
						end(g.host)
					}
					q.Close()
				}
			}))
			g.initialize()
			h := g.play()
			e := h.spawn(spot{}, name{1})
			h.control(e, components.ControlledBy{Client: me})
			h.run(3)
			ending = true
			h.run(1)
			_ = h.host.Start()
			_ = h.host.Player().Connect(nil)
			h.run(3)
			assert.Equal(t, plugin.Connected, h.host.Player().State(), "%v", set)
			assert.False(t, h.world.Alive(e), "%v", set)
		}
	}
}

// Run drives a host. With one tick per update, its player also runs one tick per update.
func TestRunDrivesAHost(t *testing.T) {
	host, err := plugin.NewHost(plugin.ServerConfig{Protocol: hostProtocol(), TickPerUpdate: true}, me)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	host.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		joined := plugin.NewReader[plugin.ClientJoined](w)
		return func() {
			for _, e := range joined.Read() {
				assert.Equal(t, entangle.ClientID(me), e.Client)
				assert.Equal(t, host.Player().ID(), e.Client)
				stop()
			}
		}
	}))
	require.NoError(t, host.Start())
	require.NoError(t, host.Player().Connect(nil))
	w := ecs.NewWorld()
	require.NoError(t, plugin.Run(ctx, &w, host))
	assert.Equal(t, plugin.Disconnected, host.Player().State())
	assert.EqualError(t, host.Player().Err(), "the server stopped")
	assert.EqualValues(t, 2, host.Tick())
}

// In steady state, a tick of a host's game allocates nothing. That includes the events and
// resources of its player.
//
// Proves: C12
func TestASettledHostAllocatesNothing(t *testing.T) {
	events, rain := 0, 0
	h := newHosted(t, plugin.Func(func(w *ecs.World) func() {
		updated, rained := plugin.NewReader[plugin.ComponentUpdated[spot]](w), plugin.NewReader[plugin.ResourceUpdated[weather]](w)
		return func() {
			events += len(updated.Read())
			rain += len(rained.Read())
		}
	})).play()
	for id := range uint32(100) {
		h.control(h.spawn(spot{}, name{id}), components.ControlledBy{Client: me})
	}
	sky := &weather{}
	ecs.AddResource(h.world, sky)
	plugin.ReplicateResource[weather](h.world, components.Everyone)
	filter := generic.NewFilter1[spot]()
	frame := func() {
		for q := filter.Query(h.world); q.Next(); {
			q.Get().X++
		}
		sky.Wind++
		h.run(1)
	}
	for range 300 {
		frame()
	}
	events, rain = 0, 0
	assert.Zero(t, alloctest.Count(300, frame))
	assert.GreaterOrEqual(t, rain, 301)
	assert.Equal(t, 100*rain, events)
}
