package clock

import (
	"fmt"
	"hash/fnv"
	"time"

	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// clockNetwork is a network that a clock has to get along with.
type clockNetwork struct {
	name string // in the output
	what string // for people
	link netsim.Link

	clientDrift, serverDrift float64 // how much faster their clocks run
	frameRate                int     // of the client; 0: the tick rate
	delay                    plugin.InputDelay
	events                   []clockEvent
}

// clockEvent changes a run when its time has come.
type clockEvent struct {
	at time.Duration
	do func(r *clockRun)
}

func (n *clockNetwork) rate() int {
	if n.frameRate > 0 {
		return n.frameRate
	}
	return workload.TickRate
}

// seed follows from the name, so that a network's row stays as it is when others come.
func (n *clockNetwork) seed() uint64 {
	h := fnv.New64a()
	h.Write([]byte(n.name))
	return h.Sum64()
}

// phase is when the client's first frame is, some part of a tick after the server's.
func (n *clockNetwork) phase() time.Duration {
	return time.Duration(n.seed() % uint64(time.Second/workload.TickRate))
}

// clockEvents is when what a network has in store happens.
const clockEvents = 30 * time.Second

func Networks() []clockNetwork {
	all := clockPlain()
	all = append(all, clockWays()...)
	all = append(all, clockClocks()...)
	all = append(all, clockPauses()...)
	return append(all, clockDelays()...)
}

const ms = time.Millisecond

// usual is the way of those that are about something else.
const usual = "100 ms ± 20, loss 5 %, "

// clockPlain are the usual ways: alike in both directions.
func clockPlain() (all []clockNetwork) {
	for _, n := range [][3]int{
		{0, 0, 0},
		{50, 0, 0},
		{50, 0, 5},
		{50, 20, 5},
		{50, 20, 20},
		{100, 0, 0},
		{100, 20, 0},
		{100, 20, 5},
		{100, 50, 5},
		{200, 0, 0},
		{200, 20, 0},
		{200, 20, 5},
		{200, 20, 20},
		{200, 50, 20},
		{400, 0, 0},
		{400, 20, 5},
		{400, 50, 20},
	} {
		all = append(all, clockWay3(n[0], n[1], n[2]))
	}
	return all
}

// clockWay3 is a way of a round trip, a jitter either way, and a loss in percent.
func clockWay3(rtt, jitter, loss int) clockNetwork {
	return clockNetwork{
		name: fmt.Sprintf("rtt%d-jitter%d-loss%d", rtt, jitter, loss),
		what: fmt.Sprintf("%d ms ± %d, loss %d %%", rtt, jitter, loss),
		link: clockLink(rtt, jitter, loss),
	}
}

func clockLink(rtt, jitter, loss int) netsim.Link {
	return netsim.Symmetric(conditioner.Config{
		Latency: time.Duration(rtt) * ms / 2, Jitter: time.Duration(jitter) * ms, Loss: float64(loss) / 100,
	})
}

// clockWays are those that are not alike, or not always.
func clockWays() []clockNetwork {
	slowUp, slowDown := clockLink(100, 20, 5), clockLink(100, 20, 5)
	slowUp.Up.Latency, slowDown.Down.Latency = 150*ms, 150*ms
	bursts, queue := clockLink(100, 20, 5), clockLink(100, 50, 0)
	bursts.Up.LossBurst, bursts.Down.LossBurst = 5, 5
	queue.Up.InOrder, queue.Down.InOrder = true, true
	return []clockNetwork{
		{name: "slow-up", what: "200 ms ± 20, loss 5 %, of which 150 ms up", link: slowUp},
		{name: "slow-down", what: "200 ms ± 20, loss 5 %, of which 150 ms down", link: slowDown},
		{name: "bursts", what: "100 ms ± 20, loss 5 % in bursts of five", link: bursts},
		{name: "queue", what: "100 ms ± 50, in order", link: queue},
		{name: "longer", what: "50 ms ± 20, loss 5 %, then 250 ms", link: clockLink(50, 20, 5), events: clockChange(clockLink(250, 20, 5))},
		{name: "shorter", what: "250 ms ± 20, loss 5 %, then 50 ms", link: clockLink(250, 20, 5), events: clockChange(clockLink(50, 20, 5))},
	}
}

func clockChange(link netsim.Link) []clockEvent {
	return []clockEvent{{clockEvents, func(r *clockRun) { r.recordError(r.line.SetLink(link)) }}}
}

// clockClocks are machines with different clocks or frames.
func clockClocks() []clockNetwork {
	const drift = 300e-6
	link := clockLink(100, 20, 5)
	return []clockNetwork{
		{name: "drift-fast", what: usual + "the client's clock 300 ppm fast", link: link, clientDrift: drift},
		{name: "drift-slow", what: usual + "the client's clock 300 ppm slow", link: link, clientDrift: -drift},
		{name: "drift-both", what: usual + "the client's clock 300 ppm fast, the server's 300 ppm slow", link: link, clientDrift: drift, serverDrift: -drift},
		{name: "frames-30", what: usual + "30 frames per second", link: link, frameRate: 30},
		{name: "frames-144", what: usual + "144 frames per second", link: link, frameRate: 144},
	}
}

const clockPause = 5 * time.Second

// clockPauses are those in which something stands still for five seconds.
func clockPauses() []clockNetwork {
	link := clockLink(100, 20, 5)
	asleep := func(host int) []clockEvent {
		return []clockEvent{{clockEvents, func(r *clockRun) { r.hosts[host].sleep(r.now + clockPause) }}}
	}
	cut := []clockEvent{
		{clockEvents, func(r *clockRun) { r.line.Cut() }},
		{clockEvents + clockPause, func(r *clockRun) { r.line.Restore() }},
	}
	return []clockNetwork{
		{name: "pause-client", what: usual + "the client stands still for 5 s", link: link, events: asleep(1)},
		{name: "pause-server", what: usual + "the server stands still for 5 s", link: link, events: asleep(0)},
		{name: "pause-network", what: usual + "nothing arrives for 5 s", link: link, events: cut},
	}
}

// clockDelays are games that let the input wait.
func clockDelays() []clockNetwork {
	link := clockLink(100, 20, 5)
	at := func(name, what string, d plugin.InputDelay) clockNetwork {
		return clockNetwork{name: name, what: usual + what, link: link, delay: d}
	}
	return []clockNetwork{
		at("delay-3", "input delay 3", plugin.InputDelay{Min: 3}),
		at("delay-12", "input delay 12", plugin.InputDelay{Min: 12}),
		at("delay-0-6", "input delay 0 to 6", plugin.InputDelay{Max: 6}),
		at("delay-0-20", "input delay 0 to 20", plugin.InputDelay{Max: 20}),
	}
}
