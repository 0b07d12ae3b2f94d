package schedule

import (
	"math"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// choice selects records for a peer without the budget for all planned records. It is kept
// from tick to tick for its memory, and for the position at which ties continue.
//
// Each record has a key, which is higher the more urgent the record is. Two rounds of eleven bits
// sum up the sizes of the records by key: that finds the lowest key down to which all records fit,
// without sorting. Chosen records are marked in their keys and taken from the plan in the order of
// the plan, which is nearly that of handles.
type choice struct {
	keys   []uint32 // of the plan's records
	ties   []tie    // those that share the rest of the room
	bounds []bounded
	pools  [2]pool
	merged []encode.Update // scratch of merge

	price  [2]float32  // of each pool: how urgent a group is that just finds room, on average
	turn   repl.Handle // where ties go on
	step   int         // bits that each record takes beyond its own, or less: a guess, from the last time
	size   int         // bits that a record takes in a packet, of late: the cost of one that is not encoded
	mean   int         // bits that there is room for in a tick, of late
	passed int         // ticks in a row in which only predicted groups had room
	broken bool        // the last tick had no packet for all that was chosen
}

// picked marks the key of a chosen record. It is above all keys.
const picked = 1 << 31

// pool is the chosen records of predicted groups, or of the others: public and private.
type pool [2][]encode.Update

// The pools.
const (
	predictedPool = iota
	othersPool
)

// tie is a record as urgent as others, of which not all fit.
type tie struct {
	rec int32
	h   repl.Handle
}

const (
	roundBits = 11
	// keyShift is the number of low key bits that are ignored. Keys that differ only in them are
	// ties.
	keyShift = 31 - 2*roundBits
	// maxTries bounds how often a choice is repeated because it turned out too large.
	maxTries = 4
)

// noteSize notes that so many records took so many bits. The estimate rises at once and falls slowly,
// since what is encoded beyond the room is encoded in vain.
func (k *choice) noteSize(bits, n int) {
	if n == 0 {
		return
	}
	if mean := (bits + n - 1) / n; mean >= k.size {
		k.size = mean
	} else {
		k.size -= (k.size - mean + 7) / 8
	}
}

// choose selects the most urgent records that fit, among the records of some steps, which belong to
// one pool. It returns their approximate size in bits.
func (p *Planner) choose(which int, steps []Step, room int) (bits int) {
	k := &p.choice
	if len(steps) == 0 {
		return 0
	}
	p.rank(steps, room)
	head := repl.MaxRunHead*8 + repl.EndBits
	guess, least, turn := room-head, uint32(math.MaxUint32), k.turn
	over, chosen := false, 0
	for try := range maxTries {
		if guess <= 0 {
			break
		}
		if try > 0 {
			p.putBack(which, steps)
			k.turn = turn
		}
		least = p.pick(steps, guess)
		used := p.collect(which, steps, least)
		bits = p.poolBits(which)
		n := k.pools[which].len()
		if n > 0 {
			k.step += 1 + (bits-head-used)/n
			k.noteSize(bits-head, n)
		}
		if bits > room {
			over, guess = true, int(int64(guess)*int64(room)/int64(bits))-1
			continue
		}
		if over || !p.later || n <= chosen || room-bits <= room/16 {
			break
		}
		chosen = n
	}
	if k.pools[0].len()+k.pools[1].len() == 0 && p.short.left > 0 {
		bits = p.chooseOne(which, steps)
	}
	p.setPrice(which, least)
	return bits
}

// pick finds the key down to which all records fit, and marks as many records of that key as fit.
// It returns the key without its ignored bits.
func (p *Planner) pick(steps []Step, room int) (least uint32) {
	k := &p.choice
	least, left := p.cutoff(steps, room)
	k.ties = k.ties[:0]
	for i := range steps {
		s := &steps[i]
		for rec, key := range k.keys[s.From:s.To] {
			if rec += s.From; key>>keyShift == least {
				k.ties = append(k.ties, tie{int32(rec), s.Space.First + repl.Handle(p.Records[rec].At)})
			}
		}
	}
	p.pickTies(left)
	return least
}

// pickTies marks as many of the equally urgent records as fit, continuing from the end of the last
// call.
func (p *Planner) pickTies(room int) {
	k := &p.choice
	turn := k.turn
	for _, past := range [2]bool{false, true} {
		for _, t := range k.ties {
			cost := p.cost(&p.Records[t.rec])
			if (t.h < turn) == past && cost <= room {
				k.keys[t.rec] |= picked
				room -= cost
				k.turn = t.h + 1
			}
		}
	}
}

// collect moves the marked records and those more urgent than a key into a pool, encoded, and returns
// their approximate size in bits.
func (p *Planner) collect(which int, steps []Step, least uint32) (bits int) {
	k := &p.choice
	for i := range steps {
		s := &steps[i]
		list := &k.pools[which][p.poolOf(s.Space)]
		for rec, key := range k.keys[s.From:s.To] {
			if rec += s.From; key>>keyShift > least && p.encoded(s.Space, rec) { // and so is any mark
				k.keys[rec] |= picked
				*list = append(*list, p.Records[rec])
				bits += p.cost(&p.Records[rec])
			}
		}
	}
	return bits
}

// encoded encodes a record of the plan, unless it is, and reports whether there is something to send.
func (p *Planner) encoded(sp *group.Space, i int) bool {
	rec := &p.Records[i]
	if rec.Chunk < 0 && rec.Chunk != encode.NothingToSend && !p.encodeRecord(sp, rec, ident.Group(^rec.Chunk)) {
		rec.Chunk, p.choice.keys[i] = encode.NothingToSend, 0
	}
	return rec.Chunk >= 0
}

// putBack undoes a choice.
func (p *Planner) putBack(which int, steps []Step) {
	k := &p.choice
	k.pools[which] = k.pools[which].empty()
	for i := range steps {
		keys := k.keys[steps[i].From:steps[i].To]
		for rec := range keys {
			keys[rec] &^= picked
		}
	}
}

// poolOf returns the part of a pool that belongs to a space.
func (p *Planner) poolOf(sp *group.Space) int {
	if sp == &p.groups.Private {
		return 1
	}
	return 0
}

// cutoff returns the key down to which all records fit, excluding those of that key, and the room
// that they leave.
func (p *Planner) cutoff(steps []Step, room int) (least uint32, left int) {
	top, left := p.round(steps, room, 0, 31)
	if top == 0 {
		return 0, left
	}
	return p.round(steps, left, top, 31-roundBits)
}

// round sums up the sizes of the records with keys that begin with high above bit from, grouped by the
// eleven bits below. It returns the lowest such bits that do not fit, appended to high, and the
// room left by the records above them.
func (p *Planner) round(steps []Step, room int, high, from uint32) (least uint32, left int) {
	var sums [1 << roundBits]int
	k := &p.choice
	for i := range steps {
		for rec := steps[i].From; rec < steps[i].To; rec++ {
			if key := k.keys[rec]; key>>from == high {
				sums[key>>(from-roundBits)&(1<<roundBits-1)] += p.cost(&p.Records[rec])
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

// chooseOne sends the most urgent record, although it is larger than the whole room. Records of which
// nothing is to be sent are passed over, maxTries of them in a tick, since each costs a search.
func (p *Planner) chooseOne(which int, steps []Step) (bits int) {
	k := &p.choice
	for range maxTries {
		of, best, turn := p.mostUrgent(steps)
		if of == nil {
			break
		}
		if !p.encoded(of, best) {
			continue
		}
		k.turn += turn + 1
		k.keys[best] |= picked
		list := &k.pools[which][p.poolOf(of)]
		*list = append(*list, p.Records[best])
		bits = p.poolBits(which)
		p.short.left = max(p.short.left, (bits+p.plainMarkBits()+7)/8, MinRoom)
		break
	}
	return bits
}

// mostUrgent returns the most urgent record of some steps, its space, and how far its handle is from the
// next in turn. Among equally urgent records it takes the next in turn. The space is nil if there is none.
func (p *Planner) mostUrgent(steps []Step) (of *group.Space, best int, bestTurn repl.Handle) {
	k := &p.choice
	for i := range steps {
		s := &steps[i]
		for rec := s.From; rec < s.To; rec++ {
			if p.Records[rec].Chunk == encode.NothingToSend {
				continue
			}
			turn := s.Space.First + repl.Handle(p.Records[rec].At) - k.turn // wraps around
			if of == nil || k.keys[rec] > k.keys[best] || k.keys[rec] == k.keys[best] && turn < bestTurn {
				of, best, bestTurn = s.Space, rec, turn
			}
		}
	}
	return of, best, bestTurn
}

func (l *pool) empty() pool { return pool{l[0][:0], l[1][:0]} }

func (l *pool) len() int { return len(l[0]) + len(l[1]) }

// poolBits returns the size in bits of the records chosen in a pool, and sorts them by handle.
func (p *Planner) poolBits(which int) (bits int) {
	for i, sp := range p.groups.Spaces() {
		list := p.choice.pools[which][i]
		p.inOrder(list)
		bits += p.enc.RunBits(sp, list)
	}
	return withPackets(bits)
}

// cost returns the approximate size of a record in bits.
func (p *Planner) cost(rec *encode.Update) int {
	switch {
	case rec.Chunk == encode.NothingToSend:
		return 0
	case rec.Chunk < 0:
		return max(1, p.choice.size)
	}
	return max(1, p.enc.BitsOf(&p.enc.Chunks.List[rec.Chunk])+p.choice.step)
}
