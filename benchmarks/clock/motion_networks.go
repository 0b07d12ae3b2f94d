package clock

import (
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/netsim"
)

// motionNetwork is a network in which the timelines of a client are measured.
type motionNetwork struct {
	name string // description for people
	link netsim.Link

	clientDrift, serverDrift float64 // how much faster these clocks run than the true time
	tickRate, frameRate      int
	start                    entangle.Tick // of the server
	pause                    motionPause
	event                    func(r *motionRun, at time.Duration) // called at each event of the run; may be nil
}

// seed derives from the name, so that a network's row does not change when other networks are
// added.
func (n *motionNetwork) seed() uint64 {
	h := fnv.New64a()
	h.Write([]byte(n.name))
	return h.Sum64()
}

// motionPause is a time in which something stands still.
type motionPause struct {
	what     motionPaused
	from, to time.Duration
}

// motionPaused is what stands still.
type motionPaused int

const (
	pauseNothing motionPaused = iota
	pauseNetwork
	pauseServer
	pauseClient
)

// of reports whether something stands still at a time.
func (p *motionPause) of(what motionPaused, at time.Duration) bool {
	return p.what == what && at >= p.from && at < p.to
}

const (
	motionWarmUp = 30 * time.Second // before the measurement, and before an event
	motionStall  = 10 * time.Second
	motionAdapt  = 30 * time.Second // after an event
)

// warmUp returns how long a run lasts before its measurement.
func (n *motionNetwork) warmUp() time.Duration {
	switch {
	case n.pause.what != pauseNothing:
		return motionWarmUp + motionStall + motionAdapt
	case n.event != nil:
		return motionWarmUp + motionAdapt
	}
	return motionWarmUp
}

// MotionNetworks returns the networks of the page.
func MotionNetworks() (all []motionNetwork) {
	for _, n := range slices.Concat(clockPlain(), clockWays(), clockClocks()) {
		m := motionNetwork{name: n.what, link: n.link, clientDrift: n.clientDrift, serverDrift: n.serverDrift, frameRate: n.frameRate}
		switch n.name {
		case "longer":
			m.event = motionChange(clockLink(250, 20, 5))
		case "shorter":
			m.event = motionChange(clockLink(50, 20, 5))
		}
		all = append(all, m)
	}
	link := clockLink(100, 20, 5)
	for _, rate := range []int{20, 60, 120} {
		for _, frames := range []int{30, 60, 144} {
			name := usual + fmt.Sprintf("%d ticks and %d frames per second", rate, frames)
			all = append(all, motionNetwork{name: name, link: link, tickRate: rate, frameRate: frames})
		}
	}
	for i, what := range []string{"nothing arrives", "the server stands still", "the client stands still"} {
		pause := motionPause{motionPaused(i + 1), motionWarmUp, motionWarmUp + motionStall}
		all = append(all, motionNetwork{name: usual + what + " for 10 s", link: link, pause: pause})
	}
	for i := range all {
		if all[i].tickRate == 0 {
			all[i].tickRate = workload.TickRate
		}
		if all[i].frameRate == 0 {
			all[i].frameRate = all[i].tickRate
		}
		all[i].start = clockStart
	}
	return all
}

// motionChange returns an event after which the network has another link.
func motionChange(link netsim.Link) func(*motionRun, time.Duration) {
	return func(r *motionRun, at time.Duration) {
		if at >= motionWarmUp {
			r.ways[0].Config, r.ways[1].Config = link.Down, link.Up
		}
	}
}
