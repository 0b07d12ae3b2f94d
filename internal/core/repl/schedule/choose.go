package schedule

import (
	"math"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
)

// choice selects records for a peer without the budget for all planned records. It is kept
// from tick to tick for its memory, and for the handle from which equally urgent records take turns.
//
// Each record has a key, which is higher the more urgent the record is. The records are taken from a heap, the
// most urgent first, and encoded, until one has no room. Chosen records are marked in their keys, and keep their
// places in the plan.
type choice struct {
	keys   []uint32 // of the plan's records
	queue  urgencies
	bounds []bounded
	chosen [2]int          // number of chosen records of each pool
	list   []encode.Update // scratch of measure

	price  [2]float32  // of each pool: how urgent a group is that just finds room, on average
	cursor repl.Handle // behind the record that was chosen last
	step   int         // bits that each record takes beyond its own, or less: a guess, from the last time
	size   int         // bits that a record takes in a packet, of late: the cost of one that is not encoded
	mean   int         // bits that there is room for in a tick, of late
	passed int         // ticks in a row in which only predicted groups had room
	broken bool        // the last tick had no packet for all that was chosen
}

// picked marks the key of a chosen record. It is above all keys.
const picked = 1 << 31

// The pools of records: those of predicted groups, and of the others. A pool has at most one step of each space.
const (
	predictedPool = iota
	othersPool
)

const (
	// keyShift is the number of low key bits that are ignored. Records with keys that differ only in them take turns.
	keyShift = 9
)

// noteSize notes that so many records, at least one, took so many bits. The estimate rises at once and falls slowly,
// since what is encoded beyond the room is encoded in vain.
func (k *choice) noteSize(bits, n int) {
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
	p.enqueue(steps)
	const head = repl.MaxRunHead*8 + repl.EndBits
	taken := p.take(steps, room-head)
	p.setPrice(which, taken)
	tooLarge := taken+k.chosen[predictedPool]+k.chosen[othersPool] == 0 && p.short.left > 0 && p.takeNext(steps, math.MaxInt) > 0
	if bits = p.measure(which, steps); tooLarge { // the most urgent record is sent, although it is larger than the whole room
		p.short.left = max(p.short.left, (bits+p.plainMarkBits()+7)/8, MinRoom)
	}
	return bits
}

// enqueue makes a heap of the records of some steps.
func (p *Planner) enqueue(steps []Step) {
	k := &p.choice
	k.queue = k.queue[:0]
	for i := range steps {
		s := &steps[i]
		for rec := s.From; rec < s.To; rec++ {
			turn := s.Space.First + repl.Handle(p.Records[rec].At) - k.cursor // wraps around
			k.queue = append(k.queue, newUrgency(k.keys[rec]>>keyShift, turn, rec))
		}
	}
	k.queue.order()
}

// take chooses the most urgent records of the heap, as many as fit, and returns their number.
func (p *Planner) take(steps []Step, room int) (n int) {
	for room > 0 {
		cost := p.takeNext(steps, room)
		if cost == 0 {
			break
		}
		room -= cost
		n++
	}
	return n
}

// takeNext marks the most urgent record of the heap that has something to send as chosen. It returns the size of the
// record in bits, or 0 if it does not fit or if there is none.
func (p *Planner) takeNext(steps []Step, room int) (bits int) {
	k := &p.choice
	for ; len(k.queue) > 0; k.queue.pop() {
		n := k.queue[0].record()
		sp, rec := spaceOf(steps, n), &p.Records[n]
		if rec.Chunk < 0 && !p.encodeRecord(sp, rec) {
			continue
		}
		if bits = p.cost(rec); bits > room {
			return 0
		}
		k.queue.pop()
		k.keys[n] |= picked
		k.cursor = sp.First + repl.Handle(rec.At) + 1
		return bits
	}
	return 0
}

// measure counts the chosen records of a pool, and returns their approximate size in bits.
func (p *Planner) measure(which int, steps []Step) (bits int) {
	k, cost, n := &p.choice, 0, 0
	for i := range steps {
		s := &steps[i]
		k.list = k.list[:0]
		for rec := s.From; rec < s.To; rec++ {
			if k.keys[rec]&picked != 0 {
				k.list = append(k.list, p.Records[rec])
				cost += p.cost(&p.Records[rec])
			}
		}
		bits += p.enc.RunBits(s.Space, k.list)
		n += len(k.list)
	}
	bits = withPackets(bits)
	if k.chosen[which] = n; n > 0 {
		own := bits - repl.MaxRunHead*8 - repl.EndBits
		k.step += 1 + (own-cost)/n
		k.noteSize(own, n)
	}
	return bits
}

// spaceOf returns the space of a record of some steps.
func spaceOf(steps []Step, rec int) *group.Space {
	i := 0
	for rec >= steps[i].To {
		i++
	}
	return steps[i].Space
}

// cost returns the approximate size of a record in bits.
func (p *Planner) cost(rec *encode.Update) int {
	if rec.Chunk < 0 {
		return max(1, p.choice.size)
	}
	return max(1, p.enc.BitsOf(&p.enc.Chunks.List[rec.Chunk])+p.choice.step)
}
