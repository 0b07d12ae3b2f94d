package netsim_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

// predictedPlan is the part of a plan that concerns predicted sets. It has its own random numbers.
type predictedPlan struct {
	rng *rand.Rand
	on  bool
}

// predict changes the clients that predict an entity. Their predictions always differ from the
// server, because clients have no system that does the same as the script.
func (p *plan) predict(at string) {
	f := &p.predicted
	if !f.on || len(p.entities) == 0 || f.rng.IntN(6) > 0 {
		return
	}
	e := p.entities[f.rng.IntN(len(p.entities))]
	p.say("%spredict %s %s", at, e.name, p.followers(f.rng))
	if f.rng.IntN(8) == 0 { // the first change lasts for no time, or for one tick
		p.say("%spredict %s %s", []string{at, later(at)}[f.rng.IntN(2)], e.name, p.followers(f.rng))
	}
}

// followers draws the target of a prediction or an interpolation.
func (p *plan) followers(rng *rand.Rand) string {
	client := strconv.Itoa(1 + rng.IntN(maxGuests))
	switch rng.IntN(8) {
	case 0:
		return "nobody"
	case 1:
		return "default"
	case 2:
		return "owner"
	case 3:
		return "only " + client
	case 4:
		return fmt.Sprintf("except %s,%d", client, 1+rng.IntN(maxGuests))
	default:
		return "everyone"
	}
}
