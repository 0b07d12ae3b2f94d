package sender

import (
	"math"

	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// choice is how a short peer chooses among what is planned. It is kept from tick to tick
// for its memory, and for whose turn it is.
//
// Each record has a key, which is higher the more urgent it is. What the records of each
// key take is summed up in two rounds of eleven bits: that finds the key down to which
// there is room for all, and nothing is sorted for it.
type choice struct {
	keys   []uint32 // of the plan's records
	chosen []chosen
	ties   []chosen  // those that share the rest of the room
	bounds []bounded // those that have a bound
	pools  [2]pool

	price  [2]float32  // of each pool: how urgent a group is that just finds room, on average
	turn   repl.Handle // where ties go on
	step   int         // bits that each record takes beyond its own, or less: a guess, from the last time
	mean   int         // bits that there is room for in a tick, of late
	passed int         // ticks in a row in which only predicted groups had room
	broken bool        // the last tick had no packet for all that was chosen
}

// pool is what was chosen of the predicted groups, or of the others: public and private.
type pool [2][]planned

// The pools.
const (
	predictedPool = iota
	othersPool
)

// chosen is a record that goes, by its number.
type chosen struct {
	rec int32
	sp  *space
}

const (
	roundBits = 11
	// keyShift is how many bits of a key are not looked at. What differs in them alone is
	// a tie.
	keyShift = 31 - 2*roundBits
	// maxTries bounds how often a choice is made anew because it turned out too large.
	maxTries = 4
)

// choose chooses among the records of some steps, which are of one pool, the most urgent
// that there is room for, and returns about how many bits they take.
func (p *Peer) choose(which int, steps []step, room int) (bits int) {
	k := &p.choice
	if len(steps) == 0 {
		return 0
	}
	p.rank(steps, room)
	before := len(k.chosen)
	head := repl.MaxRunHead*8 + repl.EndBits
	guess, least := room-head, uint32(math.MaxUint32)
	for range maxTries {
		if guess <= 0 {
			break
		}
		k.chosen, k.pools[which] = k.chosen[:before], k.pools[which].empty()
		var used int
		least, used = p.pick(which, steps, guess)
		bits = p.poolBits(which)
		if n := len(k.chosen) - before; n > 0 {
			k.step += 1 + (bits-head-used)/n
		}
		if bits <= room {
			break
		}
		guess = guess*room/bits - repl.StepBits
	}
	if len(k.chosen) == 0 && p.plan.short.left > 0 {
		bits = p.chooseOne(which, steps)
	}
	p.setPrice(which, least)
	return bits
}

// pick chooses all that are more urgent than a key down to which there is room for all,
// and of those of that key as many as there is room for. It returns the key, without the
// bits that are not looked at, and what is taken.
func (p *Peer) pick(which int, steps []step, room int) (least uint32, used int) {
	k := &p.choice
	least, left := p.cutoff(steps, room)
	k.ties = k.ties[:0]
	for i := range steps {
		s := &steps[i]
		for rec := s.from; rec < s.to; rec++ {
			switch key := k.keys[rec] >> keyShift; {
			case key > least:
				p.goes(which, chosen{int32(rec), s.space})
			case key == least:
				k.ties = append(k.ties, chosen{int32(rec), s.space})
			}
		}
	}
	return least, room - p.pickTies(which, left)
}

// pickTies has those go that are equally urgent, from where the last time left off, and
// returns the room that is left.
func (p *Peer) pickTies(which, room int) int {
	k := &p.choice
	turn := k.turn
	for _, past := range [2]bool{false, true} {
		for _, c := range k.ties {
			rec := &p.plan.records[c.rec]
			h := c.sp.first + repl.Handle(rec.at)
			cost := p.cost(rec)
			if (h < turn) == past && cost <= room {
				p.goes(which, c)
				room -= cost
				k.turn = h + 1
			}
		}
	}
	return room
}

// cutoff returns the key down to which there is room for all, without those of that key,
// and the room that they leave.
func (p *Peer) cutoff(steps []step, room int) (least uint32, left int) {
	top, left := p.round(steps, room, 0, 31)
	if top == 0 {
		return 0, left
	}
	return p.round(steps, left, top, 31-roundBits)
}

// round sums up what the records take whose keys begin with high above bit from, by the
// eleven bits below. It returns the lowest such bits that there is no room for, behind
// high, and the room that what is above them leaves.
func (p *Peer) round(steps []step, room int, high, from uint32) (least uint32, left int) {
	var sums [1 << roundBits]int
	k := &p.choice
	for i := range steps {
		for rec := steps[i].from; rec < steps[i].to; rec++ {
			if key := k.keys[rec]; key>>from == high {
				sums[key>>(from-roundBits)&(1<<roundBits-1)] += p.cost(&p.plan.records[rec])
			}
		}
	}
	for i := len(sums) - 1; i >= 0; i-- {
		if sums[i] > room {
			return high<<roundBits | uint32(i), room
		}
		room -= sums[i]
	}
	return high << roundBits, room
}

// chooseOne has the most urgent record go, which is larger than all the room. Of several
// it is that whose turn it is.
func (p *Peer) chooseOne(which int, steps []step) int {
	k := &p.choice
	var best chosen
	var bestTurn repl.Handle
	for i := range steps {
		s := &steps[i]
		for rec := s.from; rec < s.to; rec++ {
			turn := s.space.first + repl.Handle(p.plan.records[rec].at) - k.turn // wraps around
			if best.sp == nil || k.keys[rec] > k.keys[best.rec] || k.keys[rec] == k.keys[best.rec] && turn < bestTurn {
				best, bestTurn = chosen{int32(rec), s.space}, turn
			}
		}
	}
	k.turn += bestTurn + 1
	p.goes(which, best)
	bits := p.poolBits(which)
	p.plan.short.left = max(p.plan.short.left, (bits+p.plainMarkBits()+7)/8, minRoom)
	return bits
}

// goes notes that a record was chosen.
func (p *Peer) goes(which int, c chosen) {
	k := &p.choice
	k.chosen = append(k.chosen, c)
	at := 0
	if c.sp == &p.private {
		at = 1
	}
	k.pools[which][at] = append(k.pools[which][at], p.plan.records[c.rec])
}

func (l pool) empty() pool { return pool{l[0][:0], l[1][:0]} }

// poolBits is what the records take that were chosen of a pool, which it puts in order.
func (p *Peer) poolBits(which int) (bits int) {
	for i, sp := range p.spaces() {
		list := p.choice.pools[which][i]
		sortPlanned(list)
		bits += p.likelyBits(sp, list)
	}
	return withPackets(bits)
}

// cost is about what a record takes.
func (p *Peer) cost(rec *planned) int { return max(1, p.recordBits(rec)+p.choice.step) }

// likelyBits is about what records take, of which those that are alike share what stands
// before their values.
func (p *Peer) likelyBits(sp *space, list []planned) int {
	bits := p.runBits(sp, list)
	if len(list) < minAlike {
		return bits
	}
	usual, n := &list[len(list)/2], 0
	for i := range list {
		if list[i].alike(usual) {
			n++
		}
	}
	if n < minAlike {
		return bits
	}
	return bits - n*int(p.world.kinds.prefix(usual.kind)) + anotherRun
}

// anotherRun is what it takes, as a rule, to end a run and begin another.
const anotherRun = 6*8 + repl.EndBits
