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
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/memory"
	"github.com/entangle-ecs/entangle/transport/token"
)

// me is the id of the host's own player.
const me entangle.ClientID = 50

// hosted is a game on a host that has not started.
type hosted struct {
	*game
	host *plugin.Host
}

// hostProtocol returns the protocol of newHosted.
func hostProtocol() *protocol.Protocol {
	p := ownedProtocol()
	protocol.Message[order](p).Direction(protocol.ClientToServer)
	protocol.Message[tidings](p).Direction(protocol.ServerToClient)
	return p
}

type order struct {
	What string
	Who  ecs.Entity
}

type tidings struct {
	Text string
	Who  ecs.Entity
}

func newHosted(t testing.TB, systems ...plugin.System) *hosted {
	h := newUninitialized(t)
	for _, sys := range systems {
		h.host.AddSystem(plugin.AfterReceive, sys)
	}
	h.initialize()
	return h
}

func newUninitialized(t testing.TB) *hosted {
	g := &game{t: t, now: time.Unix(1_000_000, 0), network: memory.NewNetwork(), key: token.NewKey()}
	g.place = g.network.Listener()
	host, err := plugin.NewHost(plugin.ServerConfig{Protocol: hostProtocol(), Clock: g.clock, Key: g.key, MaxClients: 2}, me)
	require.NoError(t, err)
	return &hosted{game: g, host: host}
}

func (h *hosted) initialize() {
	w := ecs.NewWorld()
	h.server, h.world = h.host.Server, &w
	h.host.Initialize(&w)
}

// play starts the host with its player.
func (h *hosted) play() *hosted {
	require.NoError(h.t, h.host.Start(h.place))
	require.NoError(h.t, h.host.Player().Connect([]byte("hi")))
	h.run(3)
	require.Equal(h.t, plugin.Connected, h.host.Player().State())
	return h
}

func (h *hosted) join(id entangle.ClientID, systems ...func(*plugin.Client)) *player {
	return h.joinWith(hostProtocol(), id, systems...)
}

// heard collects the events of a reader, frame by frame.
type heard[E plugin.Event] struct{ all []E }

func (h *heard[E]) system() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		r := plugin.NewReader[E](w)
		return func() { h.all = append(h.all, r.Read()...) }
	})
}

// take returns the events collected since the last call.
func (h *heard[E]) take() []E {
	all := h.all
	h.all = nil
	return all
}

// A host's player that connects before the host has started joins once it starts. The events of the
// connection are raised once in the shared world, as for any client.
//
// Proves: C12
func TestAHostsPlayerJoinsWhenTheHostStarts(t *testing.T) {
	var connected heard[plugin.ClientConnected]
	var joined heard[plugin.ClientJoined]
	h := newHosted(t, connected.system(), joined.system())
	require.NoError(t, h.host.Player().Connect([]byte("data")))
	assert.Error(t, h.host.Player().Connect(nil))
	h.run(5)
	assert.Equal(t, plugin.Connecting, h.host.Player().State())
	assert.Empty(t, connected.take())

	require.Error(t, h.server.Start(), "a server alone needs listeners")
	require.NoError(t, h.host.Start())
	assert.Equal(t, plugin.Started, h.host.State())
	h.run(5)
	assert.Equal(t, plugin.Connected, h.host.Player().State())
	assert.Equal(t, me, h.host.Player().ID())
	assert.True(t, h.host.Player().Joined())
	events := connected.take()
	require.Len(t, events, 1)
	assert.Equal(t, me, events[0].Client)
	assert.Equal(t, "data", string(events[0].UserData[:4]))
	assert.Equal(t, []plugin.ClientJoined{{Client: me}}, joined.take())
	assert.Equal(t, []plugin.ClientInfo{{ID: me, Layer: -1, Joined: true, Quality: plugin.Good}}, h.host.Clients())
}

// The player's connection can be ended by the player, by the host, or by the end of the host
// itself. The player can join again afterwards.
//
// Proves: C12
func TestAHostsPlayerLeavesAndReturns(t *testing.T) {
	var connected heard[plugin.ClientConnected]
	var gone heard[plugin.ClientDisconnected]
	h := newHosted(t, connected.system(), gone.system()).play()
	ends := map[string]func(){
		"the client left":    h.host.Player().Disconnect,
		"out":                func() { assert.True(t, h.host.Disconnect(me, "out")) },
		"the server stopped": func() { require.NoError(t, h.host.Stop()) },
	}
	for reason, end := range ends {
		connected.take()
		end()
		assert.Equal(t, plugin.Disconnected, h.host.Player().State())
		assert.Equal(t, entangle.ClientID(me), h.host.Player().ID(), "of the connection that has ended")
		assert.EqualError(t, h.host.Player().Err(), reason)
		assert.Empty(t, h.host.Clients())
		assert.False(t, h.host.Disconnect(me, "again"))
		h.host.Player().Disconnect()
		h.run(3)
		assert.Equal(t, []plugin.ClientDisconnected{{Client: me, Err: h.host.Player().Err()}}, gone.take())

		require.NoError(t, h.host.Player().Connect(nil))
		assert.NoError(t, h.host.Player().Err())
		if h.host.State() == plugin.Stopped {
			h.run(3)
			assert.Equal(t, plugin.Connecting, h.host.Player().State())
			require.NoError(t, h.host.Start(h.place))
		}
		h.run(3)
		assert.Equal(t, plugin.Connected, h.host.Player().State())
		assert.Len(t, connected.take(), 1)
	}
	require.NoError(t, h.host.Stop())
	require.NoError(t, h.host.Start(h.place))
	h.run(3)
	assert.Equal(t, plugin.Disconnected, h.host.Player().State(), "who was disconnected stays so")
	require.NoError(t, h.host.Player().Connect(nil))
	h.host.Player().Disconnect()
	h.run(3)
	assert.Equal(t, plugin.Disconnected, h.host.Player().State(), "it did not want to any more")
}

// The id of the host's player is reserved for it, and the player does not count towards MaxClients.
//
// Proves: C12
func TestTheIDOfAHostsPlayerIsReserved(t *testing.T) {
	var connected heard[plugin.ClientConnected]
	h := newHosted(t, connected.system())
	require.NoError(t, h.host.Start(h.place))
	impostor := h.join(me)
	h.run(30)
	assert.Equal(t, plugin.Disconnected, impostor.State())
	assert.ErrorContains(t, impostor.Err(), "host's own player")
	assert.ErrorIs(t, impostor.Err(), plugin.ErrInvalidID)
	assert.Empty(t, connected.take())

	require.NoError(t, h.host.Player().Connect(nil))
	a, b := h.join(1), h.join(2)
	h.run(30)
	assert.Equal(t, plugin.Connected, a.State())
	assert.Equal(t, plugin.Connected, b.State())
	assert.Len(t, h.host.Clients(), 3)
}

// An invalid configuration of a host, or of its player, is an error.
func TestAHostThatCannotBe(t *testing.T) {
	_, err := plugin.NewHost(plugin.ServerConfig{Protocol: testProtocol()}, entangle.Nobody)
	require.ErrorContains(t, err, "id")
	_, err = plugin.NewHost(plugin.ServerConfig{}, 1)
	require.Error(t, err)
	h := newHosted(t)
	assert.ErrorContains(t, h.host.Player().Connect(make([]byte, token.MaxUserData+1)), "256")
	assert.NoError(t, h.host.Player().Connect(make([]byte, token.MaxUserData)))
}

// Entities that the host's player controls despawn with it. They are tagged while it is connected,
// from the moment in which it gets their events.
//
// Proves: C12
func TestWhatAHostsPlayerControls(t *testing.T) {
	var spawned heard[plugin.EntitySpawned]
	h := newHosted(t, spawned.system()).play()
	tagged := func(e ecs.Entity) bool {
		return h.world.Alive(e) && h.world.Has(e, ecs.ComponentID[components.Controlled](h.world))
	}
	remote := h.join(1)
	e, kept, hidden := h.spawn(spot{}, name{1}), h.spawn(spot{}, name{2}), h.spawnIn(components.Nobody, 0, spot{}, name{3})
	h.control(e, components.ControlledBy{Client: me})
	h.control(kept, components.ControlledBy{Client: me, Keep: true})
	h.control(hidden, components.ControlledBy{Client: me})
	h.run(1)
	assert.False(t, tagged(e))
	h.run(1)
	assert.Len(t, spawned.take(), 2)
	assert.True(t, tagged(e))
	assert.True(t, tagged(kept))
	assert.False(t, tagged(hidden), "a client would not know it")
	h.run(30)
	assert.Equal(t, []uint32{1, 2}, remote.ids())
	assert.Empty(t, remote.controlled())

	h.control(e, components.ControlledBy{Client: 1})
	h.run(10)
	assert.False(t, tagged(e))
	assert.Equal(t, []uint32{1}, remote.controlled())
	h.control(e, components.ControlledBy{Client: me})
	h.run(10)
	assert.True(t, tagged(e))

	h.host.Player().Disconnect()
	h.run(10)
	assert.False(t, h.world.Alive(e))
	assert.False(t, h.world.Alive(hidden))
	assert.True(t, h.world.Alive(kept))
	assert.False(t, tagged(kept))
	assert.Equal(t, []uint32{2}, remote.ids())
	require.NoError(t, h.host.Player().Connect(nil))
	h.run(10)
	assert.True(t, tagged(kept))
	q := h.world.Query(ecs.All(ecs.ComponentID[components.Remote](h.world)))
	assert.Zero(t, q.Count())
	q.Close()
}

// A host's player that reconnects within the same frame keeps the entities that it was given since.
func TestAHostsPlayerThatIsBackAtOnceKeepsWhatIsNew(t *testing.T) {
	h := newHosted(t).play()
	old := h.spawn(spot{}, name{1})
	h.control(old, components.ControlledBy{Client: me})
	h.run(3)
	h.host.Player().Disconnect()
	require.NoError(t, h.host.Player().Connect(nil))
	h.now = h.now.Add(1)
	h.host.Step(h.now) // without a tick
	require.Equal(t, plugin.Connected, h.host.Player().State())
	next := h.spawn(spot{}, name{2})
	h.control(next, components.ControlledBy{Client: me})
	h.run(3)
	assert.False(t, h.world.Alive(old))
	assert.True(t, h.world.Alive(next))
}

// A component that is replicated once gives the host's player an inserted event and no updated
// events.
func TestAHostsPlayerIsToldOnceOfWhatIsSentOnce(t *testing.T) {
	p := hostProtocol()
	protocol.Component[private](p).ReplicateOnce()
	host, err := plugin.NewHost(plugin.ServerConfig{Protocol: p, TickPerUpdate: true}, me)
	require.NoError(t, err)
	var in heard[plugin.ComponentInserted[private]]
	var up heard[plugin.ComponentUpdated[private]]
	host.AddSystem(plugin.AfterReceive, in.system())
	host.AddSystem(plugin.AfterReceive, up.system())
	w := ecs.NewWorld()
	host.Initialize(&w)
	require.NoError(t, host.Start())
	require.NoError(t, host.Player().Connect(nil))
	once := generic.NewMap2[private, components.Replicate](&w)
	e := once.NewWith(&private{}, &components.Replicate{})
	for range 5 {
		host.Update(&w)
		secret, _ := once.Get(e)
		secret.Secret++
	}
	assert.Len(t, in.all, 1)
	assert.Empty(t, up.all)
}

// Entities that the host's player predicts are tagged as predicted while the player can see them
// and they are not paused. It is the entity itself that is tagged, and no tick of it is ever
// replayed.
//
// Proves: B25
func TestWhatAHostsPlayerPredicts(t *testing.T) {
	h := newHosted(t).play()
	predicted := ecs.ComponentID[components.Predicted](h.world)
	replicated := generic.NewMap1[components.Replicate](h.world)
	e, other := h.spawn(spot{}, name{1}), h.spawn(spot{}, name{2})
	expect := func(what string, tagged bool) {
		t.Helper()
		h.run(2)
		assert.Equal(t, tagged, h.world.Has(e, predicted), what)
		assert.False(t, h.world.Has(other, predicted), what)
	}
	expect("nobody said so", false)
	replicated.Get(e).Predict = components.Owner
	expect("there is no owner", false)
	h.control(e, components.ControlledBy{Client: me})
	expect("it is the owner", true)
	replicated.Get(e).Target = h.targets().Except(me)
	expect("it is not shown", false)
	replicated.Get(e).Target = components.Everyone
	expect("it is shown", true)
	h.world.Remove(e, ecs.ComponentID[components.Replicate](h.world))
	expect("it is paused", false)
	replicated.Assign(e, &components.Replicate{Predict: h.targets().Only(me, 4)})
	expect("it goes on", true)
	replicated.Get(e).Predict = components.NotOwner
	expect("others do", false)
}
