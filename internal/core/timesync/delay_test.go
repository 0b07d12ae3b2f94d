package timesync_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

// An input delay shortens the client's lead by as many ticks, but the clock is never behind the
// newest tick of the server that can have arrived.
func TestADelayShortensTheLead(t *testing.T) {
	without := usual()
	without.run(t, *firstSeed, time.Minute)
	lead := without.after(warmUp).lead
	for _, c := range []struct {
		delay int
		lead  float64
	}{{2, lead - 2}, {4, lead - 4}, {20, -3}, {timesync.MaxDelay, -3}} {
		n := usual(func(n *network) { n.delay = timesync.Delay{Min: c.delay} })
		n.run(t, *firstSeed, time.Minute)
		f := n.after(warmUp)
		t.Log(f)
		assert.InDelta(t, c.lead, f.lead, 1)
		assert.GreaterOrEqual(t, f.inTime, 0.999)
		assert.Equal(t, c.delay, n.clock.Delay())
		for _, m := range n.moments {
			if m.at > warmUp {
				assert.GreaterOrEqual(t, m.lead, -3.5, "behind what it has received at %v", m.at)
			}
		}
	}
}

// Whatever the phases of frames and packets are, a client with a delay has run every tick of the
// server whose state it has received. A client that is behind by less than a tick would never apply
// the server's state of a tick, because a newer one would replace it in every frame.
func TestADelayedClientIsNeverBehindReceivedTicks(t *testing.T) {
	for _, delay := range []timesync.Delay{{Min: 20}, {Max: 20}} {
		for phase := range 17 {
			n := line(40*ms+time.Duration(phase)*ms, 0, 0, 0)
			n.every, n.delay = 1, delay
			behind := 0
			n.each = func(at time.Duration) {
				if at > warmUp && n.client.tick.Before(n.newest) {
					behind++
				}
			}
			n.run(t, *firstSeed, warmUp+5*time.Second)
			assert.Zero(t, behind, "delay %+v, phase %d ms", delay, phase)
		}
	}
}

// An adaptive delay covers the round trip up to its maximum; the rest is predicted, but no more
// than MaxPredicted.
func TestAnAdaptiveDelayCoversTheRoundTrip(t *testing.T) {
	for _, c := range []struct {
		of    timesync.Delay
		least int
		most  int
	}{
		{timesync.Delay{Min: 1, Max: 4}, 4, 4},
		{timesync.Delay{Max: 30}, 8, 11},
		{timesync.Delay{Max: 3, MaxPredicted: 4}, 4, 6},
		{timesync.Delay{MaxPredicted: 2}, 6, 8},
		{timesync.Delay{MaxPredicted: 30}, 0, 0},
		{timesync.Delay{Min: 12, MaxPredicted: 2}, 12, 12},
	} {
		n := usual(func(n *network) { n.delay = c.of })
		n.run(t, *firstSeed, time.Minute)
		f := n.after(warmUp)
		t.Log(c.of, n.clock.Delay(), f)
		assert.GreaterOrEqual(t, n.clock.Delay(), c.least)
		assert.LessOrEqual(t, n.clock.Delay(), c.most)
		assert.GreaterOrEqual(t, f.inTime, 0.999)
		if roundTrip := n.clock.Stats().RoundTrip.Ticks(); c.of.MaxPredicted > 0 {
			assert.LessOrEqual(t, roundTrip-float64(n.clock.Delay()), float64(c.of.MaxPredicted)+0.5)
		}
	}
}

// A delay can change at any time without making an input late: a longer one applies at once, a
// shorter one after the clock has gained on it. The clock does not jump.
func TestADelayChangesAtRunTime(t *testing.T) {
	n := line(100*ms, 0, 0, 0)
	changes := map[int]timesync.Delay{20: {Min: 5}, 40: {Min: 1}, 60: {Min: 12}, 80: {}, 100: {Max: 20}, 120: {Min: 0, MaxPredicted: 3}}
	second := 0
	n.each = func(at time.Duration) {
		if now := int(at / time.Second); now != second {
			second = now
			if d, ok := changes[now]; ok {
				n.clock.SetDelay(d)
			}
		}
	}
	n.run(t, *firstSeed, 140*time.Second)
	f := n.after(warmUp)
	t.Log(f)
	assert.Equal(t, 1.0, f.inTime)
	assert.Zero(t, f.jumps)
	assert.LessOrEqual(t, f.fastest, timesync.Speed(timesync.MaxSteer))
}

func TestInvalidDelaysAreBounded(t *testing.T) {
	for _, d := range []timesync.Delay{{Min: -5, Max: -9, MaxPredicted: -1}, {Min: 1 << 30, Max: math.MaxInt, MaxPredicted: 1 << 30}} {
		n := usual(func(n *network) { n.delay = d })
		n.run(t, *firstSeed, 20*time.Second)
		assert.GreaterOrEqual(t, n.clock.Delay(), 0)
		assert.LessOrEqual(t, n.clock.Delay(), timesync.MaxDelay)
	}
}
