package netsim_test

import (
	"slices"
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

// beat is a client's message for each of its ticks. It is unreliable, so that it arrives like an
// input that is not repeated.
type beat struct{ Tick uint32 }

// note is a numbered reliable message that a client sends from time to time, if a test wants it.
type note struct{ Number uint32 }

func beatProtocol(rate int) *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "beats", TickRate: rate})
	protocol.Message[beat](p).Mode(protocol.UnorderedUnreliable)
	protocol.Message[note](p)
	return p
}

// beats is a server with clients that send it their ticks.
type beats struct {
	*netsim.Sim
	t       *testing.T
	rate    int
	loud    bool                           // the server sends a message in each tick, too
	ran     []entangle.Tick                // ticks that the server ran
	margins []int                          // margins of the beats that arrived since the last clear, in ticks
	notes   map[entangle.ClientID][]uint32 // received notes; nil if none are sent
}

func newBeats(t *testing.T, rate int, config netsim.Config, adjust ...func(*plugin.ServerConfig)) *beats {
	b := &beats{Sim: netsim.New(t, config), t: t, rate: rate}
	c := b.ServerConfig(beatProtocol(rate))
	for _, f := range adjust {
		f(&c)
	}
	server := newServer(t, c)
	server.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
		received, read := plugin.NewReader[plugin.MessageReceived[beat]](w), plugin.NewReader[plugin.MessageReceived[note]](w)
		return func() {
			for _, m := range read.Read() {
				b.notes[m.From] = append(b.notes[m.From], m.Message.Number)
			}
			for _, m := range received.Read() {
				b.margins = append(b.margins, int(entangle.Tick(m.Message.Tick).Sub(server.Tick()+1)))
			}
		}
	}))
	server.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		now, say := generic.NewResource[components.Time](w), plugin.NewSender[beat](w)
		return func() {
			b.ran = append(b.ran, now.Get().Tick)
			if b.loud {
				require.NoError(t, say.Send(components.Everyone, beat{uint32(now.Get().Tick)}))
			}
		}
	}))
	b.AddServer(server, server)
	return b
}

// beating is a client with the records of its systems.
type beating struct {
	*netsim.Peer
	ran   []entangle.Tick
	jumps []plugin.ClockJumped
	drops int
	noted uint32 // notes sent
}

func (b *beats) join(id entangle.ClientID, adjust ...func(*plugin.ClientConfig)) *beating {
	config := b.ClientConfig(beatProtocol(b.rate))
	for _, f := range adjust {
		f(&config)
	}
	c := newClient(b.t, config)
	got := &beating{}
	c.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		now, say, write := generic.NewResource[components.Time](w), plugin.NewSender[beat](w), plugin.NewSender[note](w)
		jumped, dropped := plugin.NewReader[plugin.ClockJumped](w), plugin.NewReader[plugin.TicksDropped](w)
		return func() {
			got.jumps = append(got.jumps, jumped.Read()...)
			for _, d := range dropped.Read() {
				got.drops += d.Ticks
			}
			got.ran = append(got.ran, now.Get().Tick)
			if c.State() == plugin.Connected {
				require.NoError(b.t, say.Send(components.Server, beat{uint32(now.Get().Tick)}))
				if b.notes != nil && now.Get().Tick%6 == 0 {
					require.NoError(b.t, write.Send(components.Server, note{got.noted}))
					got.noted++
				}
			}
		}
	}))
	got.Peer = b.AddClient(id, c, c)
	return got
}

// awaitSync waits until the clients are connected and their clocks have settled.
func (b *beats) awaitSync() {
	b.Run(10 * time.Second)
	for _, p := range b.Peers() {
		require.Equal(b.t, plugin.Connected, p.Client().State(), p.Client().Err())
		require.True(b.t, p.Client().Stats().Clock.Synced)
	}
	b.margins = nil
}

// inTime returns the share of beats that arrived by their tick, and the mean number of ticks by
// which beats arrived before it.
func (b *beats) inTime() (share, early float64) {
	require.NotEmpty(b.t, b.margins)
	good := 0
	for _, m := range b.margins {
		early += float64(m)
		if m >= 0 {
			good++
		}
	}
	n := float64(len(b.margins))
	b.margins = nil
	return float64(good) / n, early / n
}

// A client learns the server's tick, and is then ahead of it by as much as its line needs: its
// messages of a tick arrive shortly before the server runs that tick.
//
// Proves: S1
func TestAClientIsAheadByWhatItsLineNeeds(t *testing.T) {
	for _, delay := range []time.Duration{0, 50 * ms, 200 * ms} {
		b := newBeats(t, 60, netsim.Config{Link: latency(delay)})
		c := b.join(1)
		b.awaitSync()
		require.Len(t, c.jumps, 1, "it is set once")
		b.Run(20 * time.Second)
		share, early := b.inTime()
		assert.GreaterOrEqual(t, share, 0.999, "latency %v", delay)
		assert.Less(t, early, 2.0, "latency %v", delay)
		assert.Len(t, c.jumps, 1)

		info := c.Client().Stats().Clock
		way := delay.Seconds() * 60
		assert.InDelta(t, way+1.5, info.Lead, 1.5, "latency %v", delay)
		assert.InDelta(t, 0, info.ServerTick.Sub(b.Server().Tick()), 1.5)
		assert.InDelta(t, 1, info.Speed, 0.05)
		assert.EqualValues(t, 1, info.Jumps)
	}
}

// Ticks have 32 bits and wrap around. The game does not notice, wherever the client began to count.
//
// Proves: S7
func TestTicksWrap(t *testing.T) {
	for _, begins := range []entangle.Tick{0, 1 << 31, 1<<32 - 50} {
		b := newBeats(t, 60, netsim.Config{Link: latency(50 * ms)}, func(c *plugin.ServerConfig) { c.StartTick = 1<<32 - 720 })
		c := b.join(1, func(c *plugin.ClientConfig) { c.StartTick = begins })
		b.awaitSync()
		require.Greater(t, b.Server().Tick(), entangle.Tick(1<<31), "it has not wrapped yet")
		b.Run(10 * time.Second)
		require.Less(t, b.Server().Tick(), entangle.Tick(1<<31), "it has wrapped")
		share, early := b.inTime()
		assert.GreaterOrEqual(t, share, 0.999)
		assert.Less(t, early, 2.0)
		assert.Len(t, c.jumps, 1)
		expectInOrder(t, b.ran, nil)
		expectInOrder(t, c.ran, c.jumps)
	}
}

// expectInOrder checks that each tick follows the previous one, except for jumps.
func expectInOrder(t *testing.T, ran []entangle.Tick, jumps []plugin.ClockJumped) {
	t.Helper()
	next := map[entangle.Tick]entangle.Tick{}
	for _, j := range jumps {
		next[j.From] = j.To
	}
	for i := 1; i < len(ran); i++ {
		from := ran[i-1]
		if to, jumped := next[from]; jumped && ran[i] != from+1 {
			from = to
		}
		if ran[i] != from+1 {
			t.Fatalf("tick %d after tick %d", ran[i], ran[i-1])
		}
	}
}

// On a client, the tick that systems see increases by one in each tick, apart from reported jumps.
// The server runs each tick once and in order. Both hold after a stall of the server or of a
// client, too.
//
// Proves: S8, S9
func TestSystemsSeeTheirTick(t *testing.T) {
	b := newBeats(t, 60, netsim.Config{Link: latency(50 * ms)})
	c := b.join(1)
	b.awaitSync()
	c.Freeze(3 * time.Second)
	b.Run(10 * time.Second)
	b.FreezeServer(3 * time.Second)
	b.Run(10 * time.Second)
	expectInOrder(t, b.ran, nil)
	assert.Equal(t, b.Server().Tick(), b.ran[len(b.ran)-1])
	expectInOrder(t, c.ran, c.jumps)
	assert.Equal(t, c.Client().Tick(), c.ran[len(c.ran)-1])
}

// A client that has stalled for 4 s jumps over the ticks that it cannot make up for, and has the
// correct tick at once. The stall has no other lasting effect.
//
// Proves: S3
func TestAClientThatHasStalledJumps(t *testing.T) {
	b := newBeats(t, 60, netsim.Config{Link: latency(50 * ms)})
	c := b.join(1)
	b.awaitSync()
	b.Run(5 * time.Second)
	_, before := b.inTime()
	c.jumps = nil
	c.Freeze(4 * time.Second)
	b.Run(4 * time.Second)
	b.margins = nil
	b.Run(time.Second)
	assert.Greater(t, slices.Min(b.margins), -20, "it said something of ticks that are long past")
	require.Len(t, c.jumps, 1)
	assert.EqualValues(t, c.drops, c.jumps[0].To.Sub(c.jumps[0].From), "it jumps over the ticks that it has dropped")
	assert.InDelta(t, 4*60-8, c.drops, 4)
	b.margins = nil
	b.Run(10 * time.Second)
	share, early := b.inTime()
	assert.Equal(t, 1.0, share)
	assert.LessOrEqual(t, early, before+1.01, "something remains of it")
	assert.Len(t, c.jumps, 1)
}

// A server that has stalled for 4 s has dropped ticks. Its clients are then too far ahead, and jump
// back once.
//
// Proves: S3
func TestClientsOfAServerThatHasStalledJumpBack(t *testing.T) {
	b := newBeats(t, 60, netsim.Config{Link: latency(50 * ms)})
	c := b.join(1)
	b.awaitSync()
	b.Run(5 * time.Second)
	_, before := b.inTime()
	c.jumps = nil
	b.FreezeServer(4 * time.Second)
	b.Run(4 * time.Second)
	b.Run(5 * time.Second)
	require.Len(t, c.jumps, 1)
	assert.InDelta(t, -4*60+8, c.jumps[0].To.Sub(c.jumps[0].From), 8)
	b.margins = nil
	b.Run(10 * time.Second)
	share, early := b.inTime()
	assert.Equal(t, 1.0, share)
	assert.LessOrEqual(t, early, before+1.01, "something remains of it")
	assert.Len(t, c.jumps, 1)
}

// A network outage of 4 s has no lasting effect, and causes no jump.
func TestANetworkOutageHasNoLastingEffect(t *testing.T) {
	b := newBeats(t, 60, netsim.Config{Link: latency(50 * ms)})
	c := b.join(1)
	b.awaitSync()
	b.Run(5 * time.Second)
	_, before := b.inTime()
	c.Cut()
	b.Run(4 * time.Second)
	c.Restore()
	b.Run(2 * time.Second)
	require.Equal(t, plugin.Connected, c.Client().State())
	b.margins = nil
	b.Run(10 * time.Second)
	share, early := b.inTime()
	assert.Equal(t, 1.0, share)
	assert.LessOrEqual(t, early, before+1.01, "something remains of it")
	assert.Len(t, c.jumps, 1)
}

// A loop with a fixed pace of one tick per Update is steered as well: sometimes it runs no tick or
// two ticks, even if its pace differs a little from the server's. A server's loop is never steered.
//
// Proves: S1
func TestATickPerUpdateIsSteered(t *testing.T) {
	for _, drift := range []int{-500, 500} {
		b := newBeats(t, 60, netsim.Config{Link: latency(50 * ms)}, func(c *plugin.ServerConfig) { c.TickPerUpdate = true })
		c := b.join(1, func(c *plugin.ClientConfig) { c.TickPerUpdate = true })
		c.SetDrift(drift)
		b.awaitSync()
		for range 12 {
			b.Run(5 * time.Second)
			_, early := b.inTime()
			assert.InDelta(t, 0.75, early, 2, "drift %d", drift)
		}
		assert.Len(t, c.jumps, 1)
		expectInOrder(t, b.ran, nil)
		assert.InDelta(t, 70*60, len(b.ran), 2, "the server runs one in each Update")
		c.Freeze(4 * time.Second)
		b.Run(7 * time.Second)
		assert.Len(t, c.jumps, 2)
		b.margins = nil
		b.Run(10 * time.Second)
		_, early := b.inTime()
		assert.InDelta(t, 0.75, early, 2, "drift %d", drift)
	}
}

// Without a connection, a client counts its own ticks at the speed of its clock. The next
// connection sets its clock to the server's tick again.
func TestTheNextConnectionSetsTheClock(t *testing.T) {
	b := newBeats(t, 60, netsim.Config{Link: latency(50 * ms)})
	c := b.join(1)
	b.awaitSync()
	c.SetLink(latency(90 * ms))
	require.True(t, b.RunUntil(10*time.Second, func() bool { return c.Client().Stats().Clock.Speed > 1 }), "nothing to steer")
	c.Disconnect()
	assert.False(t, c.Client().Stats().Clock.Synced)
	before := c.Client().Tick()
	b.Run(100 * time.Second)
	assert.InDelta(t, 6000, c.Client().Tick().Sub(before), 1)
	assert.InDelta(t, 1, c.Client().Stats().Clock.Speed, 0)
	b.FreezeServer(2 * time.Second)
	b.Run(3 * time.Second)
	c.Connect()
	require.True(t, b.RunUntil(time.Second, c.Connected))
	assert.False(t, c.Client().Stats().Clock.Synced, "it goes by what it knew of another connection")
	b.Run(10 * time.Second)
	require.True(t, c.Client().Stats().Clock.Synced)
	assert.Len(t, c.jumps, 2)
	b.margins = nil
	b.Run(5 * time.Second)
	share, early := b.inTime()
	assert.Equal(t, 1.0, share)
	assert.Less(t, early, 2.0)
}

// Ten servers with a client each run in one process, at different rates and ticks, and each client
// follows its own server.
func TestClocksOfOneProcessAreSeparate(t *testing.T) {
	var all []*beats
	for i := range 10 {
		b := newBeats(t, 20+10*i, netsim.Config{Link: latency(time.Duration(i*10) * ms)}, func(c *plugin.ServerConfig) { c.StartTick = entangle.Tick(i) << 28 })
		b.join(1)
		all = append(all, b)
	}
	for range 100 {
		for _, b := range all {
			b.Run(100 * ms)
		}
	}
	for _, b := range all {
		b.awaitSync()
		b.Run(5 * time.Second)
		share, early := b.inTime()
		assert.GreaterOrEqual(t, share, 0.99, "%d ticks per second", b.rate)
		assert.Less(t, early, 2.5, "%d ticks per second", b.rate)
	}
}

// The true lead of a client is the time that its inputs travel, plus a little, on symmetric and
// asymmetric lines.
func TestTheTrueLeadFollowsTheUplinkLatency(t *testing.T) {
	for _, up := range []time.Duration{0, 60 * ms, 200 * ms} {
		for _, down := range []time.Duration{0, 150 * ms} {
			var link netsim.Link
			link.Up.Latency, link.Down.Latency = up, down
			sim := newSim(t, netsim.Config{Seed: 1, Link: link})
			p := join(t, sim, 1)
			sim.Run(5 * time.Second)
			require.True(t, p.Client().Stats().Clock.Synced)
			ticks := up.Seconds() * 50
			assert.InDelta(t, ticks+2, p.Lead(), 2, "%v up, %v down", up, down)
		}
	}
}
