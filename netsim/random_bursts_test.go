package netsim_test

import (
	"fmt"
	"time"
)

// A storm, which only some worlds have, changes the structure of several groups in each of several
// ticks, while packets to one client are lost or its line is cut.
const (
	storms     = 4
	stormTicks = 8
	stormSize  = 5 // number of entities
)

// plain lists the components without references, which a client can request again after any change.
var plain = []string{"life", "marked", "stamp", "counter", "path"}

// storm plans a storm. In each tick of the storm, each of its entities gains or loses a component.
// A lost action therefore makes the next actions of all these groups arrive early.
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

// pass lets time pass without other changes.
func (p *plan) pass(d time.Duration) {
	p.say("run %v", d)
	p.behind = (p.behind + d) % (time.Second / 30)
	p.clock.now += d
}
