package clock

import (
	"time"

	"github.com/entangle-ecs/entangle/benchmarks/report"
)

// clock: how well a client's clock is ahead of the server's, in simulated networks: a
// plugin.Server, and a plugin.Client whose player moves a stick, in virtual time, with a
// round trip, jitter and loss, with clocks that drift, with pauses. The figure is by how
// many ticks the client leads, with the delay of its inputs, more than the least constant
// lead with which 99.9 % of its inputs would have come in time: what could be had if
// the delay of each packet were known beforehand (clock_optimum.go). What else is known
// of a run is in the fields named figures. The page docs/CLOCK.md has them all.
//
// One operation is a second of play at both ends. In the place of the limit stands a replay
// of its packets with one lead; for that there is no goal.
const (
	clockSettle = 30 * time.Second // before it counts, if nothing is to happen
	clockAfter  = 60 * time.Second // and else: half of it after what happens
	clockCounts = 5 * time.Minute
	clockWarm   = 60 // seconds until nothing grows, for those that must not allocate
)

// clockGoalNetwork is the network that goals are about.
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
			Close:   r.close,
		}, nil
	}}
}

// settlingTime returns how long a run lasts before it counts.
func (n *clockNetwork) settlingTime() time.Duration {
	if len(n.events) > 0 {
		return clockAfter
	}
	return clockSettle
}

// seconds is how long it goes on in all, if it counts for so long.
func (n *clockNetwork) seconds(counts time.Duration) int {
	return int((n.settlingTime() + counts) / time.Second)
}
