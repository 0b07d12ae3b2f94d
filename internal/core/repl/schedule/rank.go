package schedule

import (
	"math"

	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// rank gives each record of some steps its key: how urgent it is. That is its group's
// priority times the ticks that it waited, this one with them, so that in the long run
// shares are as priorities are, and nothing waits for ever. Before all others go those that
// a bound leaves no time.
func (p *Planner) rank(steps []Step, room int) {
	k, rates := &p.choice, &p.state.Rates
	from := len(k.bounds)
	for i := range steps {
		s := &steps[i]
		for rec := s.From; rec < s.To; rec++ {
			at := int(p.Records[rec].At)
			ticks, late := s.Space.Waited(at, p.state.Tick)
			if len(rates.Groups) == 0 {
				k.keys[rec] = keyOf(1, ticks, late)
				continue
			}
			id := s.Space.Group(at)
			rate := rates.Of(id)
			k.keys[rec] = keyOf(rate.Priority, ticks, late)
			if rate.MaxAge > 0 {
				p.bounded(s.Space, rec, rate.MaxAge, ticks)
			}
		}
	}
	p.advance(k.bounds[from:], room)
}

// keyOf is how urgent a group is that has waited for so many ticks, with so many parts of lateness from before. A
// float that is not negative has greater bits the greater it is.
func keyOf(priority float32, ticks, late uint32) uint32 {
	const now = group.LateParts - group.NotLate // this tick counts as one, and NotLate as none
	return math.Float32bits(priority / group.LateParts * (float32(ticks)*group.LateParts + float32(late+now)))
}

// nearest is above the keys of all that has no bound: of the highest priority after the
// longest wait.
const nearest = 0x60000000

// setPrice notes how urgent a group is in this tick that just finds no room. Where nobody
// waits in vain, or those near their bounds take all the room, that is nothing to go by.
func (p *Planner) setPrice(which, taken int) {
	k := &p.choice
	if len(k.queue) == 0 || taken == 0 {
		return
	}
	if least, price := k.queue[0].key(), &k.price[which]; least > 0 && least < nearest>>keyShift {
		*price += (math.Float32frombits(least<<keyShift) - *price) / priceTicks
	}
}

// noteLateness notes that a group goes by how much later than its turn: that comes when it is as
// urgent as what just finds room, on average.
func (p *Planner) noteLateness(sp *group.Space, at int) {
	which := othersPool
	if sp.Predicted.Has(at) {
		which = predictedPool
	}
	late, price := float32(0), p.choice.price[which]
	if price > 0 {
		priority := p.state.Rates.Of(sp.Group(at)).Priority
		ticks, before := sp.Waited(at, p.state.Tick)
		late = (math.Float32frombits(keyOf(priority, ticks, before)) - price) / priority
	}
	sp.SetLateness(at, late)
}

// priceTicks is the number of ticks over which the urgency of a group that just finds room is
// averaged: the value of a single tick depends more on which others happened to wait.
const priceTicks = 16

// bounded is a record of a group with a bound.
type bounded struct {
	space *group.Space
	at    int32 // index in the space
	rec   int32
	slack int32 // how many more times it may find no room
}

// bounded takes note of a record with a bound, unless that is too far to be looked at.
func (p *Planner) bounded(sp *group.Space, rec int, bound uint16, ticks uint32) {
	stride := int32(max(p.state.Rates.Stride, 1))
	ticksLeft := int32(bound) - int32(ticks)
	if ticksLeft >= maxSlack*stride {
		return
	}
	p.choice.bounds = append(p.choice.bounds, bounded{space: sp, at: p.Records[rec].At, rec: int32(rec), slack: ticksLeft / stride})
}

// maxSlack bounds how many sendings are looked ahead.
const maxSlack = 256

// advance puts those first that have to go now, or not all bounds can be kept: the nearest
// first, as many as will find no room later. In each tick to come it counts on half of the
// room there was of late; the rest is for what will change until then.
func (p *Planner) advance(bounds []bounded, room int) {
	k := &p.choice
	if len(bounds) == 0 {
		return
	}
	var sums [maxSlack]int
	for _, b := range bounds {
		sums[max(b.slack, 0)] += p.cost(&p.Records[b.rec])
	}
	last, rest := nearestSlack(&sums, min(room, k.mean)/2)
	for _, b := range bounds {
		slack := max(b.slack, 0)
		if slack > last {
			continue
		}
		if slack == last {
			if rest <= 0 {
				continue
			}
			rest -= p.cost(&p.Records[b.rec])
		}
		k.keys[b.rec] = nearest + uint32(maxSlack-max(b.slack, -maxSlack))<<keyShift
	}
}

// nearestSlack returns up to which slack records have to go now, and how many bits of
// those of just that slack. perTick is what later ticks have room for. Without any, the
// slack is less than 0.
func nearestSlack(sums *[maxSlack]int, perTick int) (last int32, rest int) {
	sum, needed := 0, 0
	for slack, bits := range sums {
		if sum += bits; bits > 0 {
			needed = max(needed, sum-slack*perTick)
		}
	}
	last = -1
	for slack, bits := range sums {
		if needed <= 0 {
			break
		}
		if bits > 0 {
			last, rest = int32(slack), needed
			needed -= bits
		}
	}
	return last, rest
}

// checkBound counts a group that is still due, if it has waited for all that it may. A due group without a change to
// send is not late: the member with the change may have been paused meanwhile.
func (p *Planner) checkBound(sp *group.Space, i int) {
	id := sp.Group(i)
	if id == ident.NoGroup || !sp.Due.Has(i) {
		return
	}
	bound := p.state.Rates.Of(id).MaxAge
	ticks, _ := sp.Waited(i, p.tick)
	age := int(ticks) + max(p.state.Rates.Stride, 1)
	if bound > 0 && age > int(bound) && p.state.HasVisibleChange(id, sp.ViewOf(i), sp.Base[i]) {
		p.overdue(id, age, bound)
	}
}
