package sender

import (
	"math"

	"github.com/entangle-ecs/entangle"
)

// rank gives each record of some steps its key: how urgent it is. That is its group's
// priority times the ticks that it waited, this one with them, so that in the long run
// shares are as priorities are, and nothing waits for ever. Before all others go those that
// a bound leaves no time.
func (p *Peer) rank(steps []step, room int) {
	k, rates := &p.choice, &p.world.rates
	from := len(k.bounds)
	for i := range steps {
		s := &steps[i]
		for rec := s.from; rec < s.to; rec++ {
			at := int(p.plan.records[rec].at)
			parts := s.space.waited(at, p.world.tick)
			if len(rates.of) == 0 {
				k.keys[rec] = keyOf(1, parts)
				continue
			}
			id := p.group(s.space, at)
			rate := rates.group(id)
			k.keys[rec] = keyOf(rate.Priority, parts)
			if rate.MaxAge > 0 {
				p.bounded(rec, id, rate.MaxAge, parts)
			}
		}
	}
	p.advance(k.bounds[from:], room)
}

// keyOf is how urgent a group is that waited for so many parts of a tick. A float that is
// not negative has greater bits the greater it is.
func keyOf(priority float32, parts uint32) uint32 {
	return math.Float32bits(priority * (1 + float32(parts)/tickParts))
}

// nearest is above the keys of all that has no bound: of the highest priority after the
// longest wait.
const nearest = 0x60000000

// credit notes what was chosen, and for how much longer it waited than it had to: since it
// was as urgent as the least urgent that goes.
func (p *Peer) credit(all []chosen, least uint32) {
	k := &p.choice
	limit := math.Float32frombits(least << keyShift)
	if least == 0 || least >= nearest>>keyShift {
		limit = math.MaxFloat32 // nobody waits in vain, or those near their bounds took all
	}
	for _, c := range all {
		at, key := int(p.plan.records[c.rec].at), k.keys[c.rec]
		over := float32(0)
		if key < nearest {
			over = (math.Float32frombits(key) - limit) / p.world.rates.group(p.group(c.sp, at)).Priority
		}
		c.sp.credit(at, over)
	}
}

// bounded is a record of a group with a bound.
type bounded struct {
	rec   int32
	slack int32 // ticks until it has waited for all that it may
	group groupID
	bound uint16
}

func (p *Peer) bounded(rec int, id groupID, bound uint16, parts uint32) {
	p.choice.bounds = append(p.choice.bounds, bounded{
		rec: int32(rec), slack: int32(bound) - int32(parts/tickParts), group: id, bound: bound,
	})
}

// maxSlack bounds how many ticks are looked ahead.
const maxSlack = 256

// advance puts those first that have to go now, or not all bounds can be kept: the nearest
// first, as many as will find no room later. In each tick to come it counts on half of the
// room there was of late; the rest is for what will change until then.
func (p *Peer) advance(bounds []bounded, room int) {
	k := &p.choice
	if len(bounds) == 0 {
		return
	}
	var sums [maxSlack]int
	for _, b := range bounds {
		if b.slack < maxSlack {
			sums[max(b.slack, 0)] += p.recordBits(&p.plan.records[b.rec]) + k.step
		}
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
			rest -= p.recordBits(&p.plan.records[b.rec]) + k.step
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

// tallyBounds counts the groups that stay and have waited for all that they may.
func (p *Peer) tallyBounds() {
	for _, b := range p.choice.bounds {
		if b.slack <= 0 && p.choice.keys[b.rec] != gone {
			p.overdue(b.group, int(b.bound)-int(b.slack)+1, b.bound)
		}
	}
}

// gone is the key of what was chosen.
const gone = 0

// checkBound counts a group that was to go and found no packet, if it has waited for all
// that it may.
func (p *Peer) checkBound(sp *space, i int, now entangle.Tick) {
	id := p.group(sp, i)
	if id == noGroup {
		return
	}
	bound := p.world.rates.group(id).MaxAge
	if age := sp.waited(i, now) / tickParts; bound > 0 && age >= uint32(bound) && sp.due.Has(i) {
		p.overdue(id, int(age)+1, bound)
	}
}
