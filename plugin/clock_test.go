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
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

func TestADelayThatCannotBeIsRefused(t *testing.T) {
	for text, delay := range map[string]plugin.InputDelay{
		"InputDelay.Min is -1 ticks":          {Min: -1},
		"InputDelay.Max is 49 ticks":          {Max: plugin.MaxInputDelay + 1},
		"InputDelay.MaxPredicted is -2 ticks": {MaxPredicted: -2},
	} {
		_, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol(), InputDelay: delay})
		assert.ErrorContains(t, err, "ClientConfig."+text)
		c, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol()})
		require.NoError(t, err)
		assert.ErrorContains(t, c.SetInputDelay(delay), text)
	}
}

// A new input delay takes effect once the clock has followed. It can be changed at any time, before
// a connection and during one.
func TestADelayIsInEffect(t *testing.T) {
	g := newGame(t)
	c := g.join(1)
	require.NoError(t, c.SetInputDelay(plugin.InputDelay{Min: 3}))
	g.run(300)
	require.True(t, c.Stats().Clock.Synced)
	assert.Equal(t, 3, c.InputDelay())
	require.NoError(t, c.SetInputDelay(plugin.InputDelay{}))
	g.run(300)
	assert.Zero(t, c.InputDelay())
}

// A jump is reported before the first tick after it, to every reader in the frame. Systems of a
// frame that read the time between ticks see one tick throughout.
//
// Proves: S3, S8
func TestAJumpIsToldBeforeTheFirstTickAfterIt(t *testing.T) {
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.StartTick = 5000 })
	type sight struct {
		set  plugin.Set
		tick entangle.Tick
	}
	var jumps []plugin.ClockJumped
	var frame []sight
	var steps int
	c := g.join(1, func(c *plugin.Client) {
		for _, set := range []plugin.Set{plugin.AfterReceive, plugin.FixedMain, plugin.BeforeSend, plugin.AfterSend} {
			c.AddSystem(set, plugin.Func(func(w *ecs.World) func() {
				now, jumped := generic.NewResource[components.Time](w), plugin.NewReader[plugin.ClockJumped](w)
				return func() {
					frame = append(frame, sight{set, now.Get().Tick})
					if set == plugin.FixedMain {
						steps++
						jumps = append(jumps, jumped.Read()...)
						return
					}
					for _, j := range jumped.Read() {
						assert.Equal(t, j.To+entangle.Tick(steps), now.Get().Tick, "in %v", set)
					}
				}
			}))
		}
	})
	var last entangle.Tick
	for range 300 {
		frame, steps, jumps = nil, 0, nil
		g.run(1)
		for _, j := range jumps {
			assert.Equal(t, last, j.From)
			last = j.To
		}
		want := []sight{{plugin.AfterReceive, last}}
		for range steps {
			last++
			want = append(want, sight{plugin.FixedMain, last})
		}
		want = append(want, sight{plugin.BeforeSend, last}, sight{plugin.AfterSend, last})
		require.Equal(t, want, frame)
		assert.Equal(t, last, c.Tick())
	}
	require.True(t, c.Stats().Clock.Synced)
	assert.EqualValues(t, 1, c.Stats().Clock.Jumps)
	assert.Greater(t, last, entangle.Tick(5000))
}

func TestQualityIsUnknownWithoutAConnection(t *testing.T) {
	g := newGame(t)
	c := g.join(1)
	assert.Equal(t, plugin.Unknown, c.Stats().Link.Quality)
	g.run(120)
	assert.Equal(t, plugin.Good, c.Stats().Link.Quality)
	assert.Equal(t, plugin.Good, g.server.Clients()[0].Quality)
	c.Disconnect()
	assert.Equal(t, plugin.Unknown, c.Stats().Link.Quality)
	assert.False(t, c.Stats().Clock.Synced)
}

// If a client's clock jumps forward, here because the client stalled, each tick that runs in that
// frame runs for the first time, and no tick runs twice. The client continues from the confirmed
// tick, of which it has no history.
//
// Proves: B28, S3
func TestTheTicksAfterAJumpRunForTheFirstTime(t *testing.T) {
	for _, stall := range []int{30, 100} { // ticks
		g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = aheadProtocol() })
		ran, first := map[entangle.Tick]int{}, map[entangle.Tick]int{}
		count := func(of map[entangle.Tick]int) plugin.System {
			return plugin.Func(func(w *ecs.World) func() {
				now := ecs.GetResource[components.Time](w)
				return func() { of[now.Tick]++ }
			})
		}
		c := g.joinWith(aheadProtocol(), 1, func(c *plugin.Client) {
			c.AddSystem(plugin.FixedMain, count(ran))
			c.AddSystem(plugin.FixedMain, plugin.FirstTime(count(first)))
		})
		moving := g.spawnOf(components.Replicate{Predict: components.Everyone}, 7)
		g.run(120)
		require.Equal(t, []uint32{7}, c.predicted(t))
		begun := c.Tick()
		clear(ran)
		for range stall - 20 {
			at[spot](g.world, moving).X++
			g.now = g.now.Add(time.Second / 60)
			g.server.Step(g.now)
		}
		g.now = g.now.Add(20 * time.Second / 60) // the server has yet to run these ticks
		c.Step(g.now)
		assert.Greater(t, c.Tick(), begun+entangle.Tick(stall)-8, "it has jumped")
		assert.NotEmpty(t, ran)
		g.run(30)
		for tick := range ran {
			if first[tick] == 1 {
				delete(ran, tick)
			}
		}
		assert.Empty(t, ran, "after %d", begun)
	}
}

// A system that runs in a replay can read which ticks that replays.
func TestAReplayKnowsItsFirstAndLastTick(t *testing.T) {
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = aheadProtocol() })
	var replay []components.Time // of its ticks
	replays := 0
	end := func() {
		if len(replay) == 0 {
			return
		}
		assert.Equal(t, replay[0].Tick, replay[0].ReplayFrom)
		assert.Equal(t, replay[len(replay)-1].Tick, replay[0].ReplayTo)
		replays++
		replay = replay[:0]
	}
	c := g.joinWith(aheadProtocol(), 1, func(c *plugin.Client) {
		c.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
			now := ecs.GetResource[components.Time](w)
			return func() {
				if !now.Replaying {
					end()
					return
				}
				if len(replay) > 0 && now.Tick != replay[len(replay)-1].Tick+1 {
					end()
				}
				replay = append(replay, *now)
			}
		}))
	})
	moving := g.spawnOf(components.Replicate{Predict: components.Everyone}, 7)
	g.run(120)
	require.Equal(t, []uint32{7}, c.predicted(t))
	for range 60 {
		at[spot](g.world, moving).X++
		g.run(1)
	}
	end()
	assert.Greater(t, replays, 10)
}

// The answer to a ping names the tick that was to run next when the ping arrived. From that a
// client learns how far ahead its own ticks have to be.
//
// Proves: S1
func TestAnAnswerToAPingNamesTheTickOfItsArrival(t *testing.T) {
	g := newGame(t)
	i := g.enter(100)
	for range 60 {
		i.acknowledge()
		g.run(1)
	}
	for _, ticks := range []int{1, 2, 5} { // in each frame
		i.acknowledge()
		g.run(1)
		next := g.server.Tick() + 1
		i.send(append(i.header(), byte(peer.Clock)|0x80, byte(ticks)))
		answered := false
		for frames := 0; !answered; frames++ {
			require.Less(t, frames, 60)
			g.now = g.now.Add(time.Duration(ticks) * time.Second / 60)
			g.server.Step(g.now)
			for _, payload := range i.receive() {
				header, frame, err := packet.ParseHeader(payload)
				require.NoError(t, err)
				if len(frame) == 0 || frame[0] != byte(peer.Clock)|0x80 {
					continue
				}
				var r bits.Reader
				r.Reset(frame[1:])
				require.True(t, r.Bool(), "it answers a ping")
				r.Bool()
				require.EqualValues(t, ticks, r.Bits(8), "this one")
				assert.Equal(t, next, header.Tick+1-entangle.Tick(r.Uvarint()))
				answered = true
			}
		}
	}
}
