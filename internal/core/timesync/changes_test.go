package timesync_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// usual is a network as many players have it.
func usual(set ...func(*network)) *network { return line(100*ms, 10*ms, 0.02, 0, set...) }

// happens is the time at which the network changes in the runs below.
const happens = time.Minute

// after returns the figures since a time, without the inputs in flight at the end.
func (n *network) after(from time.Duration) figures {
	return n.figures(from, n.moments[len(n.moments)-1].at-time.Second)
}

// before returns the figures before the change.
func (n *network) before() figures { return n.figures(warmUp, happens) }

// If only a few packets take 300 ms longer, their inputs arrive late: the clock does not jump, and
// its lead changes by at most a tick.
//
// Proves: S6
func TestASpikeDoesNoHarm(t *testing.T) {
	spike := between(happens, happens+80*ms)
	late := func(at time.Duration) time.Duration {
		if spike(at) {
			return 300 * ms
		}
		return 0
	}
	for name, set := range map[string]func(*network){
		"both ways": func(n *network) { n.up.extra, n.down.extra = late, late },
		"up":        func(n *network) { n.up.extra = late },
		"down":      func(n *network) { n.down.extra = late },
		"on a still line": func(n *network) {
			n.up, n.down = path{latency: 50 * ms, extra: late}, path{latency: 50 * ms, extra: late}
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := usual(set)
			n.run(t, *firstSeed, 2*time.Minute)
			before, then := n.before(), n.figures(happens, happens+20*time.Second)
			t.Log(before)
			t.Log(then)
			assert.Zero(t, then.jumps)
			assert.InDelta(t, before.lead, then.lead, 1.25)
			assert.Less(t, then.most, before.most+1.5)
			assert.GreaterOrEqual(t, n.after(happens+time.Second).inTime, 0.998)
			assert.InDelta(t, before.behind, then.behind, 2)
		})
	}
}

// Rare spikes that repeat raise the lead by a bounded amount.
//
// Proves: S6
func TestRareSpikesRaiseTheLeadALittle(t *testing.T) {
	n := usual(func(n *network) {
		n.up.extra = func(at time.Duration) time.Duration {
			if at > happens && at%(6*time.Second) < 80*ms {
				return 300 * ms
			}
			return 0
		}
	})
	n.run(t, *firstSeed, 3*time.Minute)
	before, then := n.before(), n.after(happens)
	t.Log(then)
	assert.Less(t, then.most, before.most+8)
	assert.LessOrEqual(t, then.reversals, 8)
	assert.GreaterOrEqual(t, then.inTime, 0.98)
}

// If the latency of one direction grows by 100 ms for a minute, the clock follows within a second:
// by one jump if all inputs are late. When the latency shrinks again, the clock follows without a
// jump.
func TestALastingChangeIsFollowed(t *testing.T) {
	longer := func(at time.Duration) time.Duration {
		if at >= happens && at < 2*happens {
			return 100 * ms
		}
		return 0
	}
	for name, set := range map[string]func(*network){
		"both ways": func(n *network) { n.up.extra, n.down.extra = longer, longer },
		"up":        func(n *network) { n.up.extra = longer },
		"down":      func(n *network) { n.down.extra = longer },
	} {
		t.Run(name, func(t *testing.T) {
			n := usual(set)
			n.run(t, *firstSeed, 3*happens)
			long := n.figures(happens+10*time.Second, 2*happens)
			again := n.figures(2*happens+10*time.Second, 3*happens-time.Second)
			t.Log(long)
			t.Log(again)
			lost := (1 - n.figures(happens, happens+5*time.Second).inTime) * 5 * rate
			t.Logf("%.0f ticks without control", lost)
			assert.LessOrEqual(t, lost, (0.5+0.3)*rate, "half a second, and a round trip")
			assert.GreaterOrEqual(t, n.figures(happens+time.Second, 2*happens).inTime, 0.998)
			assert.LessOrEqual(t, n.figures(happens, 2*happens).jumps, 1)
			assert.LessOrEqual(t, long.lead, long.best+2.5)
			assert.GreaterOrEqual(t, again.inTime, 0.998)
			assert.Zero(t, n.figures(2*happens, 3*happens).jumps)
			assert.LessOrEqual(t, again.lead, again.best+2)
			assert.Greater(t, n.figures(happens+5*time.Second, 2*happens).seen, 0.98)
			assert.Greater(t, again.seen, 0.99)
		})
	}
}

// A pause of five seconds, of either machine or of the network, causes at most one jump, and only
// if a clock has lost time. This also holds if pings are the only measurement.
//
// Proves: S3
func TestAPauseCostsOneJump(t *testing.T) {
	pause := between(happens, happens+5*time.Second)
	hold := func(at time.Duration) time.Duration {
		if pause(at) {
			return happens + 5*time.Second - at
		}
		return 0
	}
	silent := func(time.Duration) bool { return true }
	for _, c := range []struct {
		name  string
		set   func(*network)
		jumps int
		jump  int // ticks
	}{
		{"of the server", func(n *network) { n.server.paused = pause }, 1, -292},
		{"of the client", func(n *network) { n.client.paused = pause }, 1, 292},
		{"of the network, which loses all", func(n *network) { n.up.gone, n.down.gone = pause, pause }, 0, 0},
		{"of the packets to the server", func(n *network) { n.up.gone = pause }, 0, 0},
		{"of the packets to the client", func(n *network) { n.down.gone = pause }, 0, 0},
		{"of the network, which holds all", func(n *network) { n.up.extra, n.down.extra = hold, hold }, 0, 0},
		{"of the server, with pings only", func(n *network) { n.server.paused, n.noInput = pause, silent }, 1, -292},
		{"of the client, with pings only", func(n *network) { n.client.paused, n.noInput = pause, silent }, 1, 292},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := usual(c.set)
			n.run(t, *firstSeed, 2*time.Minute)
			before, then := n.before(), n.after(happens+8*time.Second)
			t.Log(before)
			t.Log(then)
			require.Equal(t, c.jumps, n.after(happens).jumps)
			for _, m := range n.moments {
				if m.jump != 0 && m.at > happens {
					assert.InDelta(t, c.jump, m.jump, 3)
					assert.Equal(t, c.jump < 0, m.fell, "whether the server is the cause")
					assert.Less(t, m.at, happens+6*time.Second)
				}
			}
			assert.InDelta(t, before.lead, then.lead, 1.5)
			assert.InDelta(t, before.behind, then.behind, 2)
			assert.Greater(t, then.seen, 0.99)
			if n.noInput == nil {
				assert.GreaterOrEqual(t, then.inTime, 0.998)
			}
		})
	}
}

// If the latency changes by so much that the clock jumps, this is not reported as the server having
// fallen behind.
//
// Proves: S9
func TestAChangeOfLatencyIsNotTakenForASlowServer(t *testing.T) {
	longer := func(at time.Duration) time.Duration {
		if at >= happens && at < 2*happens {
			return 400 * ms
		}
		return 0
	}
	jumps := 0
	for name, set := range map[string]func(*network){
		"both ways": func(n *network) { n.up.extra, n.down.extra = longer, longer },
		"up":        func(n *network) { n.up.extra = longer },
		"down":      func(n *network) { n.down.extra = longer },
	} {
		t.Run(name, func(t *testing.T) {
			n := usual(set)
			n.run(t, *firstSeed, 3*happens)
			for _, m := range n.moments {
				assert.False(t, m.fell, "at %v, by %d ticks", m.at, m.jump)
			}
			jumps += n.after(happens).jumps
		})
	}
	assert.NotZero(t, jumps)
}

// This also holds for a jump long after the server stood still for so short a time that the clock
// did not jump.
//
// Proves: S9
func TestAShortStallDoesNotCauseALaterJump(t *testing.T) {
	jumps := 0
	for _, stall := range []time.Duration{200 * ms, 230 * ms, 260 * ms} {
		n := usual(func(n *network) {
			n.server.paused = between(happens, happens+stall)
			n.up.extra = func(at time.Duration) time.Duration {
				if at < 2*happens {
					return 400 * ms
				}
				return 0
			}
		})
		n.run(t, *firstSeed, 3*happens)
		for _, m := range n.moments {
			if m.at > 2*happens {
				assert.False(t, m.fell, "%v: at %v, by %d ticks", stall, m.at, m.jump)
			}
		}
		jumps += n.after(2 * happens).jumps
	}
	assert.NotZero(t, jumps)
}

// If the client's own frames have skipped ticks, the clock does not wait for a measurement: it
// jumps in the same frame.
func TestDroppedTicksAreCompensatedAtOnce(t *testing.T) {
	for _, stall := range []time.Duration{200 * ms, 330 * ms, 2 * time.Second} {
		t.Run(stall.String(), func(t *testing.T) {
			n := usual(func(n *network) { n.client.paused = between(happens, happens+stall) })
			n.run(t, *firstSeed, 2*time.Minute)
			f := n.after(happens)
			t.Log(f)
			assert.Equal(t, 1, f.jumps)
			for _, m := range n.moments {
				if m.jump != 0 && m.at > happens {
					assert.Less(t, m.at, happens+stall+40*ms)
				}
			}
			assert.InDelta(t, n.before().lead, n.after(happens+2*time.Second).lead, 1.5)
		})
	}
}
