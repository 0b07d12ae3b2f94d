package netsim_test

import (
	"fmt"
	"time"
)

// A storm, which only some worlds have, changes the structure of several groups in each of some
// ticks, while packets to one client are lost or its line is cut.
const (
	storms     = 4
	stormTicks = 8
	stormSize  = 5 // entities
)

// plain are components without references: a client can request them again after any change.
var plain = []string{"life", "marked", "stamp", "counter", "path"}

// storm plans a storm. In each of its ticks each of its entities gains or loses a component: one
// lost action makes the next ones arrive early, in all of the groups at once.
func (p *plan) storm() {
	d := p.storms
	if d == nil || d.IntN(storms) > 0 {
		return
	}
	var struck []*planned
	for range stormSize {
		p.names++
		e := &planned{name: fmt.Sprintf("e%d", p.names), replicate: true, group: d.IntN(4)}
		p.say("spawn %s secret Replicate=Group:%d", e.name, e.group)
		e.has = append(e.has, "secret")
		struck = append(struck, e)
	}
	client := 1 + d.IntN(p.clients)
	p.pass(200 * ms)
	if !p.theme.calm {
		p.say("loss 40%% down %d", client)
	}
	for n := range stormTicks {
		for _, e := range struck {
			p.toggle(inTick(n+1), e, plain[d.IntN(len(plain))])
		}
	}
	cut := d.IntN(3) == 0
	p.pass(100 * ms)
	if cut {
		p.say("cut %d", client)
	}
	p.pass(200 * ms)
	if cut {
		p.say("restore %d", client)
	}
	p.pass(200 * ms)
	if !p.theme.calm {
		p.say("loss %d%% down %d", []int{0, 5, 20}[d.IntN(3)], client)
	}
	for _, e := range struck {
		p.say("despawn %s", e.name)
	}
}

// pass runs for some time without other changes.
func (p *plan) pass(d time.Duration) {
	p.say("run %v", d)
	p.behind = (p.behind + d) % (time.Second / 30)
	p.clock.now += d
}
