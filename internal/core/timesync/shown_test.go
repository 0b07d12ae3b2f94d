package timesync_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// moves adds a group of an entity that always moves, and lets the server send in each tick.
func moves(every int) func(*network) {
	return func(n *network) { n.every, n.group.every = 1, every }
}

// With 20 ms of jitter and 5 % of loss, moving entities have no value after the shown time in at
// most half a percent of the frames, at any frame rate and send interval. The mean delay is at most
// one send interval above the least constant delay that would have sufficed for this, which is
// computed from the fate of each packet. The same is true of the packets and the base.
//
// Proves: S5
func TestSnapshotsAreOnEitherSideOfTheShownTime(t *testing.T) {
	for _, c := range []struct {
		fps   float64
		every int
		set   func(*network)
	}{
		{60, 3, func(*network) {}},
		{144, 3, func(*network) {}},
		{30, 3, func(*network) {}},
		{59.94, 3, func(*network) {}},
		{60, 1, func(n *network) { n.every = 1 }},
		{60, 6, func(n *network) { n.every = 6 }},
		{60, 1, moves(1)},
		{60, 2, moves(2)},
		{60, 6, moves(6)},
		{30, 6, moves(6)},
		{144, 6, moves(6)},
	} {
		n := line(200*ms, 20*ms, 0.05, 0, frames(60, c.fps), c.set)
		t.Run(fmt.Sprintf("%v frames, packets every %d ticks, group every %d", c.fps, n.every, n.group.every), func(t *testing.T) {
			n.run(t, *firstSeed, 5*time.Minute)
			f := n.after(30 * time.Second)
			t.Log(f)
			assert.GreaterOrEqual(t, f.seen, 1-starvedShare)
			assert.LessOrEqual(t, f.behind, f.least+float64(c.every))
			n.advancesSteadily(t, warmUp, n.moments[len(n.moments)-1].at)
		})
	}
}

// fewPercent is how much faster or slower than local time the shown time may run, as a share: 5 %,
// and what the drift of the clocks adds.
const fewPercent = 0.051

// advancesSteadily checks that the shown time advances at nearly the speed of local time.
func (n *network) advancesSteadily(t *testing.T, from, to time.Duration) {
	t.Helper()
	for i, m := range n.moments[1:] {
		before := n.moments[i]
		if before.at < from || m.at > to {
			continue
		}
		by, passed := m.shown-before.shown, (m.at-before.at).Seconds()*rate
		require.InDelta(t, passed, by, passed*fewPercent+0.01, "at %v", m.at)
	}
}

// neverGoesBack checks that the shown time never decreases. It returns how often it jumped forward
// to the time of a value, from a time on.
func (n *network) neverGoesBack(t *testing.T, from time.Duration) (jumps int) {
	t.Helper()
	for i, m := range n.moments[1:] {
		before := n.moments[i]
		by, passed := m.shown-before.shown, (m.at-before.at).Seconds()*rate
		if before.newest == 0 || by == 0 {
			continue
		}
		require.GreaterOrEqual(t, by, -0.001, "at %v", m.at)
		if m.at >= from && m.shown <= m.newest && by > passed*(1+fewPercent)+0.01 {
			jumps++
		}
	}
	return jumps
}

// In a network that does not change, the shown time never jumps, goes back, or runs more than 5 %
// fast or slow, whatever the network is like.
//
// Proves: S5
func TestTheShownTimeIsSteadyInEveryNetwork(t *testing.T) {
	for seed := *firstSeed; seed < *firstSeed+60; seed++ {
		rng := rand.New(rand.NewPCG(seed, 3))
		fps := []float64{20, 30, 60, 75, 144}[rng.IntN(5)]
		jitter := time.Duration(rng.IntN(60)) * ms
		n := line(2*jitter+time.Duration(rng.IntN(300))*ms, jitter, rng.Float64()*0.2, float64(rng.IntN(4)),
			frames(60, fps), drifts(rng.Float64()*600-300, rng.Float64()*600-300), moves(1+rng.IntN(12)))
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			n.run(t, seed, time.Minute)
			t.Logf("%v frames, every %d ticks, %+v; repeat with -seed %d", fps, n.group.every, n.down, seed)
			n.advancesSteadily(t, warmUp, time.Minute)
			n.neverGoesBack(t, 0)
		})
	}
}

// After a stall of ten seconds, entities are shown as before within two seconds, with a delay that
// differs by at most a send interval. The shown time stops in the meantime, and then jumps forward
// once if the server's ticks went on.
//
// Proves: S5
func TestTheShownTimeRecoversFromAStall(t *testing.T) {
	const stalled = 10 * time.Second
	stall := between(happens, happens+stalled)
	hold := func(at time.Duration) time.Duration {
		if stall(at) {
			return happens + stalled - at
		}
		return 0
	}
	for name, c := range map[string]struct {
		set   func(*network)
		jumps int
	}{
		"of the server":                {func(n *network) { n.server.paused = stall }, 0},
		"of the client":                {func(n *network) { n.client.paused = stall }, 0},
		"of the network":               {func(n *network) { n.up.gone, n.down.gone = stall, stall }, 1},
		"of the packets to the client": {func(n *network) { n.down.gone = stall }, 1},
		"of a network that holds all":  {func(n *network) { n.up.extra, n.down.extra = hold, hold }, 1},
	} {
		for _, every := range []int{0, 1, 6} {
			t.Run(fmt.Sprintf("%s, group every %d", name, every), func(t *testing.T) {
				n := usual(moves(every), c.set)
				n.run(t, *firstSeed, 2*time.Minute)
				before, then := n.before(), n.after(happens+stalled+2*time.Second)
				t.Log(before)
				t.Log(then)
				assert.LessOrEqual(t, n.neverGoesBack(t, happens), c.jumps)
				n.advancesSteadily(t, warmUp, happens)
				n.advancesSteadily(t, happens+stalled+2*time.Second, 2*time.Minute)
				assert.InDelta(t, before.behind, then.behind, float64(max(every, 2)))
				assert.Greater(t, then.seen, 0.99)
			})
		}
	}
}

// The shown time adapts to the jitter: it moves back when jitter grows, and forward when it
// shrinks, smoothly in both cases.
//
// Proves: S5
func TestTheShownTimeAdaptsToJitter(t *testing.T) {
	for _, every := range []int{0, 1, 6} {
		n := line(100*ms, 2*ms, 0, 0, moves(every))
		rough := between(time.Minute, 2*time.Minute)
		n.down.extra = func(at time.Duration) time.Duration {
			if rough(at) {
				return at * 7919 % (80 * ms)
			}
			return 0
		}
		n.run(t, *firstSeed, 4*time.Minute)
		still := n.figures(30*time.Second, time.Minute)
		moved := n.figures(65*time.Second, 2*time.Minute)
		again := n.figures(150*time.Second, 4*time.Minute)
		t.Log(still, moved, again)
		assert.Greater(t, moved.behind, still.behind+1)
		assert.Greater(t, moved.seen, 0.99)
		assert.InDelta(t, still.behind, again.behind, 0.5)
		n.advancesSteadily(t, warmUp, 4*time.Minute)
	}
}

// The shown time follows a latency that is 150 ms longer within five seconds, and one that is 150 ms
// shorter within half a minute. It does not overshoot, and stays where it is.
//
// Proves: S5
func TestTheShownTimeDoesNotOvershoot(t *testing.T) {
	const ticks = 9 // 150 ms
	for _, every := range []int{0, 1, 6} {
		tolerated := 0.6 + float64(every)/8
		n := line(100*ms, 0, 0, 0, moves(every))
		n.down.extra = func(at time.Duration) time.Duration {
			if at >= happens && at < 2*happens {
				return 150 * ms
			}
			return 0
		}
		n.run(t, *firstSeed, 3*happens)
		before := n.figures(happens/2, happens).behind
		for _, m := range n.moments {
			behind := m.server - m.shown - before
			switch {
			case m.at < happens/2:
			case m.at < happens+5*time.Second, m.at > 2*happens && m.at < 2*happens+happens/2:
				require.Greater(t, behind, -tolerated, "every %d, at %v", every, m.at)
				require.Less(t, behind, ticks+tolerated, "every %d, at %v", every, m.at)
			case m.at < 2*happens:
				require.InDelta(t, ticks, behind, tolerated, "every %d, at %v", every, m.at)
			case m.at > 2*happens:
				require.InDelta(t, 0, behind, tolerated, "every %d, at %v", every, m.at)
			}
		}
		n.advancesSteadily(t, warmUp, 3*happens)
	}
}

// A server that has nothing to send causes no sample of jitter.
func TestSilenceIsNoJitter(t *testing.T) {
	for _, every := range []int{0, 1, 6} {
		n := usual(moves(every), func(n *network) { n.idle = between(time.Minute, 2*time.Minute) })
		n.run(t, *firstSeed, 3*time.Minute)
		before, after := n.figures(30*time.Second, time.Minute), n.after(2*time.Minute+time.Second)
		t.Log(before, after)
		assert.InDelta(t, before.behind, after.behind, max(1.5, float64(every)/2))
		assert.Greater(t, after.seen, 0.98)
	}
}
