package input

import (
	"log/slog"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/world/tick"
)

// The packets of inputs tell of a late frame four times. One that has no room for inputs does not count.
//
// Proves: L1
func TestFourPacketsOfInputsTellOfALateFrame(t *testing.T) {
	g, now, server := newGunner(t, 0), time.Unix(100, 0), timesync.NewMeter(timesync.MeterConfig{TickRate: 60})
	clock := tick.NewClock(timesync.ClientConfig{TickRate: 60}, &tick.Stepper{}, slog.New(slog.DiscardHandler))
	at := &components.Time{Tick: 1010}
	clock.Attach(at)
	clock.Connected()
	up := g.inputs.Connect(nil, clock, func() entangle.ClientID { return 1 })
	up.name = func(ecs.Entity) (repl.Ref, bool) { return repl.Ref{ID: repl.ID{Group: 5}, Yours: true}, true }
	var frame input.Frame
	step := func(late bool, room int) (lateFrames int) {
		now, at.Tick = now.Add(time.Second/60), at.Tick+1
		of := at.Tick - 10
		server.PacketReceived(at.Tick, of+1)
		if ping := clock.Sync().AppendFrame(nil, 100, 0, at.Tick, now); len(ping) > 0 {
			require.NoError(t, server.HandleFrame(at.Tick, ping, now))
		}
		clock.PacketReceived(uint16(of), of, now)
		if pong := server.AppendFrame(nil, 100, uint16(of), of, now); len(pong) > 0 {
			require.NoError(t, clock.Sync().HandleFrame(of, pong, now))
		}
		clock.Show(now, late)
		g.write(at.Tick, 7)
		clock.Ran(now)
		clock.Adjust(now)
		body := up.AppendFrame(nil, room, uint16(at.Tick), at.Tick, now)
		if len(body) == 0 {
			return 0
		}
		frame.Open(body, at.Tick, 1, 1)
		return len(frame.LateFrames())
	}
	for range 60 {
		require.Zero(t, step(false, 500))
	}
	require.True(t, clock.Synced())
	assert.Equal(t, 1, step(true, 500))
	assert.Zero(t, step(false, 1))
	for range 3 {
		assert.Equal(t, 1, step(false, 500))
	}
	for range 5 {
		assert.Zero(t, step(false, 500))
	}
}
