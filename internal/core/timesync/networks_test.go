package timesync_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

const ms = time.Millisecond

// line returns a symmetric network between machines that run their frames at different times.
func line(rtt, jitter time.Duration, loss, burst float64, set ...func(*network)) *network {
	w := path{latency: rtt / 2, jitter: jitter, loss: loss, burst: burst}
	n := &network{up: w, down: w}
	n.server.phase, n.client.phase = 0.3, 0.77
	for _, f := range set {
		f(n)
	}
	return n
}

// frames sets the frame rates.
func frames(server, client float64) func(*network) {
	return func(n *network) { n.server.fps, n.client.fps = server, client }
}

// drifts sets the drift of the clocks, in millionths.
func drifts(server, client float64) func(*network) {
	return func(n *network) { n.server.ppm, n.client.ppm = server, client }
}

// warmUp is the time after which a clock should be right.
const warmUp = 5 * time.Second

// With a round trip of 200 ms, 20 ms of jitter and 5 % of loss, more than 99.9 % of the inputs in
// ten minutes arrive in time. The lead is at most a tick and a half above the least sufficient one,
// which is computed from the fate of each packet. In most minutes the clock is not steered, and
// never by more than MaxSteer.
//
// Proves: S2, S4
func TestInputsAreInTimeWithNoMoreLeadThanNeeded(t *testing.T) {
	const length = 10*time.Minute + warmUp
	for _, c := range []struct{ server, client float64 }{
		{60, 60}, {60, 59.94}, {60, 144}, {60, 30}, {144, 60}, {144, 144}, {30, 30}, {30, 144},
	} {
		if testing.Short() && c.server+c.client != 120 {
			continue
		}
		t.Run(fmt.Sprintf("%v and %v frames", c.server, c.client), func(t *testing.T) {
			n := line(200*ms, 20*ms, 0.05, 0, frames(c.server, c.client))
			n.run(t, *firstSeed, length)
			f := n.figures(warmUp, length-time.Second)
			t.Log(f)
			assert.Greater(t, f.inTime, 0.999)
			assert.LessOrEqual(t, f.lead, f.best+1.5)
			assert.Zero(t, f.jumps)
			assert.LessOrEqual(t, f.steers, 40)
			assert.LessOrEqual(t, f.fastest, timesync.Speed(timesync.MaxSteer))
		})
	}
}

// In no network does a clock oscillate, run away, or leave the server without input.
//
// Proves: S2
func TestNetworks(t *testing.T) {
	const length = 3*time.Minute + warmUp
	long := func(n *network) { n.repeat = 48 }
	ways := func(up, down time.Duration) func(*network) {
		return func(n *network) { n.up.latency, n.down.latency = up, down }
	}
	for _, c := range []struct {
		name string
		n    *network
		over float64 // by how much the lead may be above the best one
		in   float64
	}{
		{"no latency", line(0, 0, 0, 0), 1.5, 0.999},
		{"50 ms", line(50*ms, 5*ms, 0.01, 0), 1.5, 0.999},
		{"100 ms", line(100*ms, 10*ms, 0.02, 0), 1.5, 0.999},
		{"200 ms, still", line(200*ms, 0, 0, 0), 1.5, 0.999},
		{"400 ms, jitter 50", line(400*ms, 50*ms, 0.05, 0), 2, 0.999},
		{"jitter 50", line(100*ms, 50*ms, 0, 0), 2, 0.999},
		{"loss 20 %", line(100*ms, 20*ms, 0.2, 0), 2, 0.999},
		{"loss 20 % in bursts of 5", line(100*ms, 20*ms, 0.2, 5, long), 6, 0.99},
		{"loss 5 % in bursts of 4", line(100*ms, 5*ms, 0.05, 4, long), 6, 0.99},
		{"the client's clock is fast", line(100*ms, 5*ms, 0.01, 0, drifts(0, 300)), 2, 0.998},
		{"the client's clock is slow", line(100*ms, 5*ms, 0.01, 0, drifts(0, -300)), 2, 0.998},
		{"both clocks are off, jitter 20", line(200*ms, 20*ms, 0.05, 0, drifts(300, -300)), 2, 0.998},
		{"both clocks are off, still", line(100*ms, 0, 0, 0, drifts(300, -300)), 2, 0.95},
		{"up is slow", line(0, 10*ms, 0.02, 0, ways(180*ms, 20*ms)), 1.5, 0.999},
		{"down is slow", line(0, 10*ms, 0.02, 0, ways(20*ms, 180*ms)), 1.5, 0.999},
		{"20 frames", line(100*ms, 10*ms, 0.02, 0, frames(60, 20)), 2.5, 0.998},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.n.run(t, *firstSeed, length)
			f := c.n.figures(warmUp, length-time.Second)
			t.Log(f)
			assert.GreaterOrEqual(t, f.inTime, c.in)
			assert.LessOrEqual(t, f.lead, f.best+c.over)
			assert.LessOrEqual(t, f.most, f.best+c.over+8)
			assert.LessOrEqual(t, f.reversals, 12, "four in a minute")
			assert.LessOrEqual(t, f.fastest, timesync.Speed(timesync.MaxSteer))
			assert.Zero(t, f.jumps)
		})
	}
}
