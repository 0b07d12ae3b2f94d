package timesync_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

// A frame of either side allocates nothing.
func TestAFrameAllocatesNothing(t *testing.T) {
	clock := timesync.NewClient(timesync.ClientConfig{TickRate: rate})
	meter := timesync.NewMeter(timesync.MeterConfig{TickRate: rate, SendEvery: 1})
	up, down := make([]byte, 0, 200), make([]byte, 0, 200)
	tick, now, pkt := entangle.Tick(100), epoch, uint16(0)
	var screen timesync.Screen
	frame := func() {
		tick, now, pkt = tick+1, now.Add(time.Second/rate), pkt+1
		clock.Show(now)
		clock.FrameRan(tick+3, 0, now)
		clock.InputsSent(tick+3, 2)
		up = clock.AppendFrame(up[:0], 100, pkt, tick+3, now)
		_, _ = clock.Adjust(now)
		meter.PacketReceived(tick+3, tick+entangle.Tick(pkt%5))
		if len(up) > 0 {
			_ = meter.HandleFrame(tick+3, up, now)
		}
		meter.InputReceived(tick+3, tick+entangle.Tick(pkt%5))
		meter.TickRan(tick, true)
		down = meter.AppendFrame(down[:0], 200, pkt, tick, now)
		meter.HandleLost(pkt - 7)
		clock.PacketReceived(tick, now)
		for every := range 32 {
			clock.SampleReceived(every, tick-1, tick)
		}
		if len(down) > 0 {
			_ = clock.HandleFrame(tick, down, now)
		}
		_, _ = clock.Stats(), meter.Stats()
		clock.Screen(&screen)
		_, _ = clock.Timeline(1)
	}
	assert.Zero(t, alloctest.Count(5000, frame))
	assert.True(t, clock.Synced())
}
