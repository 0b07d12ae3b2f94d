package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// maxPassed is for how many ticks in a row predicted groups may take all the room.
const maxPassed = 8

// shorten cuts the plan down to what the limit has room for.
func (p *Peer) shorten() {
	s, k := &p.plan.short, &p.choice
	if !s.binds || s.cut {
		return
	}
	s.cut = true
	p.flatten()
	k.keys = slices.Grow(k.keys[:0], len(p.plan.records))[:len(p.plan.records)]
	k.chosen, k.bounds = k.chosen[:0], k.bounds[:0]
	for i := range k.pools {
		k.pools[i] = k.pools[i].empty()
	}
	room := s.left*8 - p.plainMarkBits()
	k.mean += (room - k.mean) / 8
	p.share(room)
	p.finish()
	p.layOut()
}

// share divides the room. What the peer predicts comes first, but others that it leaves
// no room for do so now and then.
func (p *Peer) share(room int) {
	k := &p.choice
	predicted, others := p.plan.steps[:p.plan.first], p.plan.steps[p.plan.first:]
	if k.passed >= maxPassed {
		room -= p.choose(othersPool, others, room)
		p.choose(predictedPool, predicted, room)
		k.passed = 0
		return
	}
	if bits := p.stepsBits(predicted); bits <= room {
		p.chooseAll(predicted)
		room -= bits
	} else {
		p.choose(predictedPool, predicted, room)
		room = 0
	}
	before := len(k.chosen)
	p.choose(othersPool, others, room)
	if k.passed++; before == 0 || len(k.chosen) > before || len(others) == 0 {
		k.passed = 0
	}
}

// flatten makes records of the runs.
func (p *Peer) flatten() {
	for i := range p.plan.steps {
		if s := &p.plan.steps[i]; s.run != nil {
			*s = p.apart(s)
		}
	}
}

// chooseAll has all the records of some steps go.
func (p *Peer) chooseAll(steps []step) {
	for i := range steps {
		for rec := steps[i].from; rec < steps[i].to; rec++ {
			p.choice.keys[rec] = gone
			p.goes(predictedPool, chosen{int32(rec), steps[i].space})
		}
	}
}

// finish makes due again what was not chosen.
func (p *Peer) finish() {
	k := &p.choice
	for i := range p.plan.steps {
		s := &p.plan.steps[i]
		for _, rec := range p.plan.records[s.from:s.to] {
			s.space.sendAgain(int(rec.at))
		}
	}
	for _, c := range k.chosen {
		i := p.plan.records[c.rec].at
		c.sp.due.Clear(int(i))
		c.sp.sent[i] = p.world.tick
		k.keys[c.rec] = gone
	}
	p.tallyBounds()
}

// layOut makes a plan of what was chosen.
func (p *Peer) layOut() {
	p.plan.steps, p.plan.records = p.plan.steps[:0], p.plan.records[:0]
	order := [2]int{0, 1}
	p.layOutPool(predictedPool, order)
	p.plan.first = len(p.plan.steps)
	if p.privateFirst {
		order = [2]int{1, 0}
	}
	p.layOutPool(othersPool, order)
}

func (p *Peer) layOutPool(which int, order [2]int) {
	for _, i := range order {
		list, sp := p.choice.pools[which][i], p.spaces()[i]
		at := 0
		if p.choice.broken && which == othersPool { // what found no packet the last time goes first
			at, _ = slices.BinarySearchFunc(list, sp.cursor, func(rec planned, cursor int) int { return int(rec.at) - cursor })
		}
		for _, part := range [2][]planned{list[at:], list[:at]} {
			from := len(p.plan.records)
			p.plan.records = append(p.plan.records, part...)
			p.addStep(sp, from)
		}
	}
}

// plainMarkBits is room for a mark, as a rule.
func (p *Peer) plainMarkBits() int {
	if len(p.predicted) == 0 {
		return 0
	}
	return markBits + repl.NeedsBits(0)
}

func sortPlanned(list []planned) {
	slices.SortFunc(list, func(a, b planned) int { return int(a.at) - int(b.at) })
}
