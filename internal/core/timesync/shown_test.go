package timesync_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// With 20 ms of jitter and 5 % of loss, there are snapshots before and after the shown time in more
// than 99 % of the frames, at any frame rates and send interval. The shown time is behind by the
// latency, the time of one lost packet and the jitter, with an error of at most two ticks.
//
// Proves: S5
func TestSnapshotsAreOnEitherSideOfTheShownTime(t *testing.T) {
	for _, c := range []struct {
		fps   float64
		every int
	}{{60, 3}, {144, 3}, {30, 3}, {59.94, 3}, {60, 1}, {60, 6}} {
		t.Run(fmt.Sprintf("%v frames, every %d ticks", c.fps, c.every), func(t *testing.T) {
			n := line(200*ms, 20*ms, 0.05, 0, frames(60, c.fps), func(n *network) { n.every = c.every })
			n.run(t, *firstSeed, 3*time.Minute)
			f := n.after(10 * time.Second)
			t.Log(f)
			assert.Greater(t, f.seen, 0.99)
			assert.InDelta(t, 6+1.2+2*float64(c.every), f.behind, 2)
			n.advancesSteadily(t)
		})
	}
}

// advancesSteadily checks that the shown time advances at nearly the speed of local time.
func (n *network) advancesSteadily(t *testing.T) {
	const few = 0.06 // of the length of a tick
	for i, m := range n.moments[1:] {
		before := n.moments[i]
		if before.at < warmUp {
			continue
		}
		by, time := m.shown-before.shown, m.server-before.server
		require.GreaterOrEqual(t, by, 0.0, "at %v", m.at)
		require.InDelta(t, time, by, time*few+0.01, "at %v", m.at)
	}
}

// The shown time adapts to the jitter: it moves back when jitter grows, and forward when it
// shrinks, smoothly in both cases.
//
// Proves: S5
func TestTheShownTimeAdaptsToJitter(t *testing.T) {
	n := line(100*ms, 2*ms, 0, 0)
	rough := between(time.Minute, 2*time.Minute)
	n.down.extra = func(at time.Duration) time.Duration {
		if rough(at) {
			return at * 7919 % (80 * ms)
		}
		return 0
	}
	n.run(t, *firstSeed, 4*time.Minute)
	still := n.figures(30*time.Second, time.Minute)
	moved := n.figures(90*time.Second, 2*time.Minute)
	again := n.figures(3*time.Minute, 4*time.Minute)
	t.Log(still, moved, again)
	assert.Greater(t, moved.behind, still.behind+2.5)
	assert.Greater(t, moved.seen, 0.99)
	assert.InDelta(t, still.behind, again.behind, 1.25)
	n.advancesSteadily(t)
}

// A server that has nothing to send causes no sample of jitter.
func TestSilenceIsNoJitter(t *testing.T) {
	n := usual(func(n *network) { n.idle = between(time.Minute, 2*time.Minute) })
	n.run(t, *firstSeed, 3*time.Minute)
	before, after := n.figures(30*time.Second, time.Minute), n.after(2*time.Minute)
	t.Log(before, after)
	assert.InDelta(t, before.behind, after.behind, 1)
	assert.Greater(t, after.seen, 0.98)
}
