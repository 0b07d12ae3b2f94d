package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
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
	require.True(t, c.Clock().Synced)
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
		for _, set := range []plugin.Set{plugin.Receive, plugin.ClientReplication, plugin.FixedMain, plugin.Send, plugin.AfterSend} {
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
		want := []sight{{plugin.Receive, last}, {plugin.ClientReplication, last}}
		for range steps {
			last++
			want = append(want, sight{plugin.FixedMain, last})
		}
		want = append(want, sight{plugin.Send, last}, sight{plugin.AfterSend, last})
		require.Equal(t, want, frame)
		assert.Equal(t, last, c.Tick())
	}
	require.True(t, c.Clock().Synced)
	assert.EqualValues(t, 1, c.Clock().Jumps)
	assert.Greater(t, last, entangle.Tick(5000))
}

func TestQualityIsUnknownWithoutAConnection(t *testing.T) {
	g := newGame(t)
	c := g.join(1)
	assert.Equal(t, plugin.Unknown, c.Quality())
	g.run(120)
	assert.Equal(t, plugin.Good, c.Quality())
	assert.Equal(t, plugin.Good, g.server.Clients()[0].Quality)
	c.Disconnect()
	assert.Equal(t, plugin.Unknown, c.Quality())
	assert.False(t, c.Clock().Synced)
}
