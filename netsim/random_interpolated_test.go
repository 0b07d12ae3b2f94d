package netsim_test

import (
	"math/rand/v2"
	"slices"
)

// shownPlan is the part of a plan that concerns interpolated entities. It has its own random numbers.
type shownPlan struct {
	rng *rand.Rand
	on  bool
}

func newShownPlan(seed uint64) shownPlan {
	rng := rand.New(rand.NewPCG(seed, 0x73686f776e))
	return shownPlan{rng: rng, on: rng.IntN(5) < 3}
}

// age lets the server of one world in six run for a while before anybody connects, so that its ticks are far from zero.
func (p *plan) age() {
	if f := &p.shown; f.on && f.rng.IntN(6) == 0 {
		p.say("run 20s")
	}
}

// interpolateSpawn has most entities of a world with interpolated ones begin so.
func (p *plan) interpolateSpawn(at string, e *planned) {
	if f := &p.shown; f.on && e.replicate && f.rng.IntN(4) > 0 {
		p.say("%sinterpolate %s everyone", at, e.name)
	}
}

// interpolate changes the clients that interpolate an entity, which may be predicted by some of them, or teleports
// one.
func (p *plan) interpolate(at string) {
	f := &p.shown
	if !f.on || len(p.entities) == 0 {
		return
	}
	e := p.entities[f.rng.IntN(len(p.entities))]
	switch f.rng.IntN(24) {
	case 0, 1:
		p.say("%sinterpolate %s %s", at, e.name, p.followers(f.rng))
		if f.rng.IntN(8) == 0 { // the first change lasts for no time, or for one tick
			p.say("%sinterpolate %s %s", []string{at, later(at)}[f.rng.IntN(2)], e.name, p.followers(f.rng))
		}
	case 2:
		p.say("%sinterpolate %s everyone", at, e.name)
	case 3, 4:
		if slices.Contains(e.has, "path") {
			p.say("%sset %s path=%v,%v,%v", at, e.name, f.rng.IntN(500)-250, f.rng.IntN(500)-250, f.rng.IntN(7))
		}
		if f.rng.IntN(4) > 0 {
			p.say("%steleport %s", at, e.name)
		}
	}
}
