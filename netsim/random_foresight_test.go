package netsim_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

// foresightPlan is what a plan knows of who predicts what. Its chance is its own.
type foresightPlan struct {
	rng *rand.Rand
	on  bool
}

// foresee changes who predicts an entity. What clients make of it is not what the server
// makes of it, ever: they have no system that does what the script does.
func (p *plan) foresee(at string) {
	f := &p.foresight
	if !f.on || len(p.entities) == 0 || f.rng.IntN(6) > 0 {
		return
	}
	e := p.entities[f.rng.IntN(len(p.entities))]
	p.say("%spredict %s %s", at, e.name, p.foreseers())
	if f.rng.IntN(8) == 0 { // for no time, or a tick
		p.say("%spredict %s %s", []string{at, later(at)}[f.rng.IntN(2)], e.name, p.foreseers())
	}
}

// foreseers words a target.
func (p *plan) foreseers() string {
	f := &p.foresight
	client := strconv.Itoa(1 + f.rng.IntN(maxGuests))
	switch f.rng.IntN(8) {
	case 0:
		return "nobody"
	case 1:
		return "default"
	case 2:
		return "owner"
	case 3:
		return "only " + client
	case 4:
		return fmt.Sprintf("except %s,%d", client, 1+f.rng.IntN(maxGuests))
	default:
		return "everyone"
	}
}
