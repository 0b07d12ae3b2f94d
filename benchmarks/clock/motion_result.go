package clock

import (
	"slices"
	"time"
)

// motionShare is the share of frames in which a moving entity may have no value after the shown
// time.
const motionShare = 0.005

// motionResult is how smoothly a group is shown in a part of a run. Delays are in ticks.
type motionResult struct {
	starved float64 // share of frames without a value after the shown time
	delay   float64 // of the shown time behind the server's time, on average
	least   float64 // the smallest constant delay with at most motionShare of starved frames
}

// over returns by how much the delay exceeds the smallest one.
func (r *motionResult) over() float64 { return r.delay - r.least }

// result returns the result of a group, from a time on.
func (r *motionRun) result(group int, from time.Duration) (result motionResult) {
	var needed []float64
	for _, f := range r.frames {
		if f.at < from {
			continue
		}
		g := f.groups[group]
		needed = append(needed, f.server-g.value)
		result.delay += f.server - g.shown
		if g.shown > g.value {
			result.starved++
		}
	}
	n := float64(len(needed))
	slices.Sort(needed)
	result.starved, result.delay = result.starved/n, result.delay/n
	result.least = needed[int(n*(1-motionShare))]
	return result
}

// results plays a network, and returns the results of all groups.
func (n *motionNetwork) results(counts time.Duration) (all [len(motionIntervals)]motionResult) {
	from := n.warmUp()
	r := n.play(from + counts)
	for i := range all {
		all[i] = r.result(i, from)
	}
	return all
}
