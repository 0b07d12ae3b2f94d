package netsim_test

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// synced reports whether every client knows the server's time.
func (s *randomScene) synced() bool {
	for _, g := range s.guests {
		if !g.Client().Stats().Clock.Synced {
			return false
		}
	}
	return true
}

// farAhead is the number of ticks that a client may be ahead beyond the needs of its line, caused
// by loss, rare frames and recent events.
const farAhead = 45

// checkLeads checks that every client is ahead by as much as its inputs need, and by not much more.
func (s *randomScene) checkLeads() error {
	for _, g := range s.guests {
		up := g.Line().Link().Up
		ticks := func(d time.Duration) float64 { return d.Seconds() * randomRate }
		least := ticks(up.Latency-up.Jitter) - float64(g.Client().InputDelay()) - 1
		most := ticks(up.Latency+up.Jitter) + farAhead
		if lead := g.Lead(); lead < least || lead > most {
			return fmt.Errorf("client %d is ahead by %.1f ticks, which should be %.1f to %.1f: %+v", g.ID(), lead, least, most, g.Client().Stats().Clock)
		}
	}
	return nil
}

// clockPlan is the part of a plan that concerns clocks. It has its own random numbers.
type clockPlan struct {
	rng    *rand.Rand
	now    time.Duration
	frozen time.Duration // the time until which some app is frozen
}

// drift draws the drift of a clock: mostly that of a crystal.
func (c *clockPlan) drift() int {
	most := []int{0, 200, 200, 200, 5000}[c.rng.IntN(5)]
	return c.rng.IntN(2*most+1) - most
}

func (p *plan) driftServer() { p.say("drift server %+d", p.clock.drift()) }

// driftClient gives a new client a clock that drifts, and one client in three a frame rate of its
// own.
func (p *plan) driftClient(client int) {
	p.say("drift %d %+d", client, p.clock.drift())
	if rates := []int{30, 24, 60, 144, 10}; p.clock.rng.IntN(3) == 0 {
		p.say("framerate %d %d", client, rates[p.clock.rng.IntN(len(rates))])
	}
}

// hang rarely freezes an app, mostly briefly, or changes the drift of a clock.
func (p *plan) hang() {
	client := 1 + p.clock.rng.IntN(p.clients)
	switch p.clock.rng.IntN(40) {
	case 0:
		p.freeze("server", 1200*ms)
	case 1, 2:
		p.freeze(fmt.Sprint(client), []time.Duration{300 * ms, 1200 * ms, 5 * time.Second}[p.clock.rng.IntN(3)])
	case 3:
		p.say("drift %d %+d", client, p.clock.drift())
	}
}

func (p *plan) freeze(app string, longest time.Duration) {
	d := time.Duration(1+p.clock.rng.Int64N(int64(longest/ms))) * ms
	p.say("freeze %s %v", app, d)
	p.clock.frozen = max(p.clock.frozen, p.clock.now+d)
}

// thaw waits until no app is frozen.
func (p *plan) thaw() {
	if left := p.clock.frozen - p.clock.now; left > 0 {
		p.say("run %v", left)
	}
}
