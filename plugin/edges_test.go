package plugin_test

import (
	"math"
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
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/udp"
)

// A server continues when its ticks wrap around.
func TestTicksWrapAroundInAGame(t *testing.T) {
	for _, start := range []entangle.Tick{math.MaxUint32 - 60, math.MaxInt32 - 60} {
		g := newGameWith(t, func(c *plugin.ServerConfig) { c.StartTick = start })
		c := g.join(1)
		e := g.spawn(spot{}, name{1})
		flags := generic.NewMap1[flag](g.world)
		for range 40 {
			at[spot](g.world, e).X++
			if flags.Get(e) == nil {
				flags.Add(e)
			} else {
				flags.Remove(e)
			}
			g.run(3)
			g.world.RemoveEntity(g.spawn(spot{}, name{2}))
		}
		g.run(10)
		require.NotZero(t, spots(c.world)[1].X)
		assert.Equal(t, spots(g.world), spots(c.world))
		assert.Equal(t, count[flag](g.world), count[flag](c.world))
	}
}

// An entity that is spawned and despawned within one tick is never sent to any client, and
// simultaneous changes of an entity arrive together.
func TestWhatHappensWithinOneTick(t *testing.T) {
	g := newGame(t)
	var o watcher
	c := g.join(1, func(c *plugin.Client) { c.AddSystem(plugin.FixedMain, o.system()) })
	tag := generic.NewMap1[components.Replicate](g.world)
	flags := generic.NewMap1[flag](g.world)
	g.run(30)

	m := generic.NewMap2[spot, name](g.world)
	e := m.NewWith(&spot{1, 1}, &name{1})
	tag.Add(e)
	tag.Remove(e)
	gone := g.spawn(spot{}, name{2})
	g.world.RemoveEntity(gone)
	g.run(5)
	assert.Empty(t, o.take(), "tagged and untagged, spawned and removed")

	tag.Add(e)
	g.run(5)
	assert.Equal(t, []string{"spawned whole"}, o.take())
	flags.Add(e)
	flags.Remove(e)
	g.run(5)
	assert.Equal(t, map[uint32]spot{1: {1, 1}}, spots(c.world))
	o.take()

	tag.Remove(e)
	tag.Add(e)
	at[spot](g.world, e).X = 9
	g.run(5)
	assert.Equal(t, map[uint32]spot{1: {9, 1}}, spots(c.world), "untagged and tagged again")

	tag.Remove(e)
	g.world.RemoveEntity(e)
	g.run(5)
	assert.Equal(t, map[uint32]spot{1: {9, 1}}, spots(c.world), "untagged and removed: its end is not told")
	assert.Zero(t, g.server.Stats().Replication.Entities)

	// This is a new entity in the same tick, most likely in the same slot.
	f := g.spawn(spot{3, 3}, name{3})
	g.run(5)
	g.world.RemoveEntity(f)
	g.spawn(spot{4, 4}, name{4})
	g.run(5)
	assert.Equal(t, map[uint32]spot{1: {9, 1}, 4: {4, 4}}, spots(c.world))
}

// Entities without any registered component are replicated, too.
func TestAnEntityWithoutRegisteredComponents(t *testing.T) {
	g := newGame(t)
	c := g.join(1)
	m := generic.NewMap2[private, components.Replicate](g.world)
	e := m.NewWith(&private{1}, &components.Replicate{})
	g.run(30)
	assert.Equal(t, 1, count[components.Remote](c.world))
	g.world.RemoveEntity(e)
	g.run(5)
	assert.Zero(t, count[components.Remote](c.world))
}

// If a client changes the structure of its replica, the server's next data about that replica
// corrects it, and does not affect other replicas.
func TestAClientMayChangeItsCopy(t *testing.T) {
	g := newGame(t)
	c := g.join(1)
	e := g.spawn(spot{1, 1}, name{1})
	g.run(30)
	var mine ecs.Entity
	query := c.world.Query(ecs.All(ecs.ComponentID[components.Remote](c.world)))
	for query.Next() {
		mine = query.Entity()
	}
	theirs := generic.NewMap1[spot](c.world)
	theirs.Remove(mine)
	at[spot](g.world, e).X = 5
	g.run(5)
	assert.Equal(t, map[uint32]spot{1: {5, 1}}, spots(c.world))

	flags := generic.NewMap1[flag](c.world)
	flags.Add(mine)
	ours := generic.NewMap1[flag](g.world)
	ours.Add(e)
	g.run(5)
	assert.Equal(t, 1, count[flag](c.world))
	flags.Remove(mine)
	ours.Remove(e)
	g.run(5)
	assert.Zero(t, count[flag](c.world))
}

// tapped is a listener that keeps the socket that it opens, so that a test can close it.
type tapped struct {
	udp.Listener
	conn transport.Conn
}

func (l *tapped) Listen() (conn transport.Conn, err error) {
	l.conn, err = l.Listener.Listen()
	return l.conn, err
}

// A client notices by the timeout that its server died. It notices by the lack of an answer that
// there is no server, because a closed port is no error of the client's socket. A server notices
// that its own socket is closed, stops, and reports why.
func TestAServerThatDies(t *testing.T) {
	var skip time.Duration // sockets need real time, timeouts do not
	clock := func() time.Time { return time.Now().Add(skip) }
	s, err := plugin.NewServer(plugin.ServerConfig{Protocol: testProtocol(), Clock: clock})
	require.NoError(t, err)
	sw, cw := ecs.NewWorld(), ecs.NewWorld()
	s.Initialize(&sw)
	l := &tapped{Listener: udp.Listener{Addr: "127.0.0.1:0"}}
	require.NoError(t, s.Start(l))
	addr := s.Addrs()[0]
	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol(), Clock: clock})
	require.NoError(t, err)
	c.Initialize(&cw)

	follow := func(from, until plugin.State) {
		for begin := time.Now(); c.State() == from && time.Since(begin) < 10*time.Second; {
			s.Step(clock())
			c.Step(clock())
			if until == plugin.Disconnected {
				skip += time.Second / 60
			}
		}
		require.Equal(t, until, c.State(), c.Err())
	}
	connect := func() {
		tok, err := c.DevToken(addr, 5)
		require.NoError(t, err)
		require.NoError(t, c.Connect(udp.Dialer{}, tok))
	}
	connect()
	follow(plugin.Connecting, plugin.Connected)
	require.NoError(t, l.conn.Close())
	follow(plugin.Connected, plugin.Disconnected)
	assert.EqualError(t, c.Err(), "timed out: no packets from the other side")
	assert.Equal(t, plugin.Stopped, s.State())
	assert.ErrorIs(t, s.Err(), transport.ErrClosed)
	connect()
	follow(plugin.Connecting, plugin.Disconnected)
	assert.ErrorContains(t, c.Err(), "no answer: nothing listens there")
}

// A server does not answer a client of another game. The client's error names that possibility, with the client's name.
func TestAnotherNameIsAPossibleCauseOfNoAnswer(t *testing.T) {
	var skip time.Duration
	clock := func() time.Time { return time.Now().Add(skip) }
	s, err := plugin.NewServer(plugin.ServerConfig{Protocol: testProtocol(), Clock: clock})
	require.NoError(t, err)
	sw, cw := ecs.NewWorld(), ecs.NewWorld()
	s.Initialize(&sw)
	require.NoError(t, s.Start(udp.Listener{Addr: "127.0.0.1:0"}))
	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: protocol.New(protocol.Config{Name: "tron"}), Clock: clock})
	require.NoError(t, err)
	c.Initialize(&cw)
	tok, err := c.DevToken(s.Addrs()[0], 1)
	require.NoError(t, err)
	require.NoError(t, c.Connect(udp.Dialer{}, tok))
	for c.State() == plugin.Connecting {
		s.Step(clock())
		c.Step(clock())
		skip += time.Second / 60
	}
	require.ErrorIs(t, c.Err(), plugin.ErrNoAnswer)
	assert.ErrorContains(t, c.Err(), `protocol.Config.Name other than "tron"`)
	require.NoError(t, s.Stop())
}
