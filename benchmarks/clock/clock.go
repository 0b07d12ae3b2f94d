package clock

import (
	"time"

	"github.com/entangle-ecs/entangle/benchmarks/report"
)

// The case clock measures how closely a client's clock leads the server's in simulated networks. It
// runs a plugin.Server, and a plugin.Client with a player that moves a stick, in virtual time, with
// a round trip, jitter and loss, clocks that drift, and pauses. The figure is by how many ticks the
// lead plus the input delay exceeds the smallest constant lead with which 99.9 % of the inputs
// would have arrived in time, if the travel time of each packet were known in advance (optimum.go).
// Other results of a run are in the fields named figures. The page docs/CLOCK.md has all of them.
//
// One operation is a second of play at both ends. In place of the limit there is a replay of its
// packets with one lead, and no goal.
const (
	clockWarmUp = 30 * time.Second // before the measurement, in a run without events
	clockAfter  = 60 * time.Second // before the measurement, in a run with events: half of it is after the last event
	clockCounts = 5 * time.Minute
	clockWarm   = 60 // seconds until nothing grows any more, for runs that must not allocate
)

// clockGoalNetwork is the network for which there are goals.
const clockGoalNetwork = "rtt200-jitter20-loss5"

func Variants() (all []report.Variant) {
	for _, n := range Networks() {
		v := clockVariant(n, (*clockResult).over)
		v.Unit, v.Page = "ticks over the optimum", clockPageFile
		if n.name == clockGoalNetwork {
			v.Goal, v.Page, v.Warm = 1.5, "", clockWarm
			in := clockVariant(n, func(c *clockResult) float64 { return 100 * c.inTime })
			in.Name, in.Goal, in.AtLeast, in.Unit, in.Warm = "clock/in-time", 99.9, true, "% of inputs", clockWarm
			all = append(all, in)
		}
		all = append(all, v)
	}
	return append(all, clockFrameVariant())
}

func clockVariant(n clockNetwork, figure func(*clockResult) float64) report.Variant {
	return report.Variant{Name: "clock/" + n.name, Rounds: n.seconds(clockCounts), Prepare: func() (report.Sides, error) {
		r, err := newClockRun(n, clockCounts)
		if err != nil {
			return report.Sides{}, err
		}
		return report.Sides{
			Ours:    func() { r.runFor(time.Second) },
			Limit:   func() { r.record.replay(max(0, r.now-2*time.Second), r.now).share(0) },
			Verify:  r.verify,
			Bytes:   r.size,
			Figure:  func() float64 { c := r.result(); return figure(&c) },
			Figures: func() map[string]float64 { c := r.result(); return c.figures() },
			Close:   r.stop,
		}, nil
	}}
}

// warmUp returns how long a run lasts before its measurement.
func (n *clockNetwork) warmUp() time.Duration {
	if len(n.events) > 0 {
		return clockAfter
	}
	return clockWarmUp
}

// seconds returns how long a run lasts in all, if its measurement lasts that long.
func (n *clockNetwork) seconds(counts time.Duration) int {
	return int((n.warmUp() + counts) / time.Second)
}
