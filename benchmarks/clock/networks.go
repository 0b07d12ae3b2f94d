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

// clockNetwork is a network for which a client's clock is measured, with the machines at its ends.
type clockNetwork struct {
	name string // name in the output
	what string // description for people
	link netsim.Link

	clientDrift, serverDrift float64 // how much faster these clocks run than the true time
	frameRate                int     // of the client; 0 stands for the tick rate
	delay                    plugin.InputDelay
	events                   []clockEvent
}

// clockEvent is a change in the middle of a run.
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

// seed derives from the name, so that a network's row does not change when other networks are
// added.
func (n *clockNetwork) seed() uint64 {
	h := fnv.New64a()
	h.Write([]byte(n.name))
	return h.Sum64()
}

// phase returns by how much of a tick the client's first frame is later than the server's.
func (n *clockNetwork) phase() time.Duration {
	return time.Duration(n.seed() % uint64(time.Second/workload.TickRate))
}

// clockEvents is the time at which the first event of a network happens.
const clockEvents = 30 * time.Second

func Networks() []clockNetwork {
	all := clockPlain()
	all = append(all, clockWays()...)
	all = append(all, clockClocks()...)
	all = append(all, clockPauses()...)
	return append(all, clockDelays()...)
}

const ms = time.Millisecond

// usual describes the link of networks in which something other than the link is special.
const usual = "100 ms ± 20, loss 5 %, "

// clockPlain returns networks with the same constant conditions in both directions.
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

// clockWay3 returns a network with a round trip, a jitter in each direction, and a loss in percent.
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

// clockWays returns networks in which the directions differ, or the conditions change.
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

// clockClocks returns networks of machines with different clocks or frame rates.
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

// clockPauses returns networks in which something stops for five seconds.
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

// clockDelays returns networks of games with an input delay.
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
