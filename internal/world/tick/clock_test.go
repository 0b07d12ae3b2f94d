package tick

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

// A late frame is sent with the screen that was drawn before it. Nothing of a connection is sent to the server of the next
// one, in which ids begin again.
//
// Proves: L1
func TestALateFrameIsSentWithTheScreenBeforeIt(t *testing.T) {
	c, now := NewClock(timesync.ClientConfig{TickRate: 60}, &Stepper{}, slog.New(slog.DiscardHandler)), time.Unix(100, 0)
	c.Attach(&components.Time{})
	frame := func(tick entangle.Tick, late bool) {
		now = now.Add(time.Second / 60)
		c.PacketReceived(uint16(tick), tick, now)
		c.Show(now, late)
	}
	for _, first := range []entangle.Tick{1000, 500} {
		c.Connected()
		for tick := first; tick < first+30; tick++ {
			frame(tick, false)
		}
		require.True(t, c.Begun())
		assert.Empty(t, c.Late().Frames())
		before := c.shown
		frame(first+30, true)
		assert.NotEqual(t, before, c.shown)
		assert.Equal(t, before, *c.Drawn())
		assert.Equal(t, []timesync.LateFrame{{Screen: before, Newest: uint16(first + 29), Later: 1}}, c.Late().Frames())
	}
}
