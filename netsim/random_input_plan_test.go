package netsim_test

import (
	"math/rand/v2"
)

// handPlan is the part of a plan that concerns inputs. It has its own random numbers.
type handPlan struct {
	rng *rand.Rand
	on  bool
}

// equip gives an input component to one new entity in two.
func (p *plan) equip() []string {
	if p.hands.on && p.hands.rng.IntN(2) == 0 {
		return []string{"hand"}
	}
	return nil
}

// drive changes which client drives which entity.
func (p *plan) drive(at string) {
	if !p.hands.on || p.hands.rng.IntN(6) > 0 || len(p.entities) == 0 {
		return
	}
	e := p.entities[p.hands.rng.IntN(len(p.entities))].name
	client := 1 + p.hands.rng.IntN(maxGuests)
	if p.host && p.hands.rng.IntN(3) == 0 {
		client = hostPlayer
	}
	switch p.hands.rng.IntN(12) {
	case 0:
		p.say("%sinsert %s hand", at, e)
	case 1:
		p.say("%sremove %s hand", at, e)
	case 2:
		p.say("%sowner %s 0 keep", at, e)
	case 3: // and soon after another client, or the same one
		p.say("%sowner %s %d", at, e, client)
		p.say("%sowner %s %d keep", later(at), e, 1+p.hands.rng.IntN(maxGuests))
	default:
		p.say("%sowner %s %d keep", at, e, client)
	}
}

// postpone changes the input delay of a player.
func (p *plan) postpone() {
	if !p.hands.on || p.hands.rng.IntN(12) > 0 {
		return
	}
	client := 1 + p.hands.rng.IntN(p.clients)
	switch least := p.hands.rng.IntN(12); p.hands.rng.IntN(3) {
	case 0:
		p.say("delay %d %d", client, least)
	case 1:
		p.say("delay %d %d %d", client, least, least+p.hands.rng.IntN(12))
	default:
		p.say("delay %d %d %d %d", client, least, least+p.hands.rng.IntN(12), p.hands.rng.IntN(12))
	}
}
