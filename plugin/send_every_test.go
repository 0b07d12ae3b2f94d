package plugin_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// tally counts the received messages by their number.
func tally(got *[]int8) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		in := plugin.NewReader[plugin.MessageReceived[steer]](w)
		return func() {
			for _, m := range in.Read() {
				*got = append(*got, m.Message.DX)
			}
		}
	})
}

// A server that sends every third tick sends nothing in between: a client's world is as of a tick
// that is a multiple of three. A group may be sent less often. Its interval is rounded to a
// multiple of three ticks.
//
// Proves: R35
func TestAServerSendsEveryNthTick(t *testing.T) {
	for every, slow := range map[int]int{2: 4, 3: 6, 6: 6} {
		g := newGameWith(t, func(c *plugin.ServerConfig) { c.SendEvery = every })
		usual, slower := g.spawn(spot{}, name{1}), g.spawn(spot{}, name{2})
		at[components.Replicate](g.world, slower).SendEvery = 4
		c := g.join(9)
		g.run(60)
		require.True(t, c.Joined())
		seen, last := map[uint32][]entangle.Tick{}, spots(c.world)
		for range 120 {
			next := g.server.Tick() + 1
			at[spot](g.world, usual).X, at[spot](g.world, slower).X = float32(next), float32(next)
			g.run(1)
			for id, s := range spots(c.world) {
				if s != last[id] {
					seen[id] = append(seen[id], entangle.Tick(s.X))
				}
			}
			last = spots(c.world)
		}
		for id, step := range map[uint32]int{1: every, 2: slow} {
			require.InDelta(t, 120/step, len(seen[id]), 1, "every %d", every)
			for i, tick := range seen[id] {
				assert.Zero(t, int(tick)%every, "every %d", every)
				if i > 0 {
					assert.EqualValues(t, step, tick-seen[id][i-1], "every %d", every)
				}
			}
		}
	}
}

// Messages of a server that sends every third tick leave with the next such tick.
func TestMessagesWaitForTheTickThatIsSent(t *testing.T) {
	var got []int8
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.SendEvery = 3 })
	send := plugin.NewSender[steer](g.world)
	g.join(9, func(c *plugin.Client) { c.AddSystem(plugin.AfterReceive, tally(&got)) })
	g.run(60)
	for g.server.Tick()%3 != 0 {
		g.run(1)
	}
	for i := range int8(6) {
		require.NoError(t, send.Send(components.Everyone, steer{DX: i}))
		g.run(1)
		assert.Len(t, got, int(i+1)/3*3, "after tick %d", g.server.Tick())
	}
	assert.Equal(t, []int8{0, 1, 2, 3, 4, 5}, got)
}

// A client that sends every sixth tick sends a sixth of the packets. All its messages arrive in
// order, and none of the server's packets count as lost.
//
// Proves: R35
func TestAClientSendsEveryNthTickAndLosesNothing(t *testing.T) {
	const every, ticks = 6, 240
	var got []int8
	g := newGame(t, func(s *plugin.Server) { s.AddSystem(plugin.AfterReceive, tally(&got)) })
	e := g.spawn(spot{}, name{1})
	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol(), Clock: g.clock, SendEvery: every})
	require.NoError(t, err)
	w := ecs.NewWorld()
	c.Initialize(&w)
	p := &player{Client: c, world: &w}
	g.clients = append(g.clients, p)
	g.connect(p, 9)
	g.run(60)
	require.True(t, c.Joined())
	send := plugin.NewSender[steer](&w)
	before, resent := c.Stats().PacketsOut, g.server.Stats().Replication.Resent
	for i := range ticks {
		at[spot](g.world, e).X++
		require.NoError(t, send.Send(components.Server, steer{DX: int8(i % 100)}))
		g.run(1)
	}
	assert.InDelta(t, ticks/every, c.Stats().PacketsOut-before, 2)
	g.run(every)
	require.Len(t, got, ticks)
	for i := range got {
		assert.EqualValues(t, i%100, got[i])
	}
	assert.Equal(t, resent, g.server.Stats().Replication.Resent)
	assert.Zero(t, g.server.Clients()[0].Loss)
	assert.Equal(t, spots(g.world), spots(&w))
}

// A client that sends rarely acknowledges before the range of acknowledgements in a header is
// exhausted, however many packets arrive in between.
//
// Proves: R35
func TestAClientThatSendsRarelyAcknowledgesEverything(t *testing.T) {
	g := newGame(t)
	var all []ecs.Entity
	for id := range uint32(3000) {
		all = append(all, g.spawn(spot{}, name{id}))
	}
	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol(), Clock: g.clock, SendEvery: 30})
	require.NoError(t, err)
	w := ecs.NewWorld()
	c.Initialize(&w)
	p := &player{Client: c, world: &w}
	g.clients = append(g.clients, p)
	g.connect(p, 9)
	g.run(120)
	require.True(t, c.Joined())
	before := g.server.Stats()
	for range 90 {
		for _, e := range all {
			at[spot](g.world, e).X++
		}
		g.run(1)
	}
	after := g.server.Stats()
	require.Greater(t, after.PacketsOut-before.PacketsOut, uint64(90*5), "many in each interval")
	assert.Equal(t, before.Replication.Resent, after.Replication.Resent)
	assert.InDelta(t, 0, g.server.Clients()[0].Loss, 1e-6)
}

// The worlds of a game that sends rarely become equal over a lossy connection, for any frame rate.
//
// Proves: R35
func TestSendingRarelyOnABadLine(t *testing.T) {
	for _, every := range [][3]int{{3, 1, 0}, {6, 6, 0}, {1, 10, 0}, {4, 3, 25}, {60, 60, 0}} {
		sim := netsim.New(t, netsim.Config{Seed: 5, FrameRate: every[2], Link: netsim.Symmetric(conditioner.Config{
			Latency: 60 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.2,
		})})
		config := sim.ServerConfig(testProtocol())
		config.SendEvery = every[0]
		server, err := plugin.NewServer(config)
		require.NoError(t, err)
		sim.AddServer(server, server)
		sim.Watch()
		w := sim.World()
		var all []ecs.Entity
		for id := range uint32(40) {
			e := w.NewEntity(ecs.ComponentID[name](w), ecs.ComponentID[spot](w), ecs.ComponentID[components.Replicate](w))
			*at[name](w, e) = name{id}
			at[components.Replicate](w, e).SendEvery = uint16(id % 5)
			all = append(all, e)
		}
		guest := sim.ClientConfig(testProtocol())
		guest.SendEvery = every[1]
		c, err := plugin.NewClient(guest)
		require.NoError(t, err)
		sim.AddClient(1, c, c)
		require.True(t, sim.RunUntil(20*time.Second, c.Joined), "%v", every)
		for range 60 {
			for _, e := range all {
				at[spot](w, e).Y++
			}
			sim.Run(25 * time.Millisecond)
		}
		sim.Run(12 * time.Second)
		sim.ExpectEqual()
	}
}

// An invalid interval gives an error that says which intervals are valid.
func TestIntervalsThatCanNotBe(t *testing.T) {
	for _, every := range []int{-1, 61} {
		_, err := plugin.NewServer(plugin.ServerConfig{Protocol: testProtocol(), SendEvery: every})
		require.ErrorContains(t, err, "ServerConfig.SendEvery")
		assert.ErrorContains(t, err, "up to 60")
		_, err = plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol(), SendEvery: every})
		require.ErrorContains(t, err, "ClientConfig.SendEvery")
	}
	_, err := plugin.NewServer(plugin.ServerConfig{
		Protocol: protocol.New(protocol.Config{Name: "slow", TickRate: 10}), SendEvery: 11,
	})
	assert.ErrorContains(t, err, "up to 10")
}
