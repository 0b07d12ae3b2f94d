package sender

import (
	"math/bits"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// Usually a packet has room for all records of a peer. They are then written class by class from
// the plan: none is moved, and nothing is counted. The bytes are the same as on the slow path.

// nearby is the distance of handles within which none needs more than usualGap.
const nearby = 1 << 12

// maxClassHead bounds the overhead of a run of records that are alike.
const maxClassHead = repl.MaxRunHead*8 + 2*8 + maxPrefix + 7

// ample reports whether the rest of a step fits into a number of bits, whatever its records are
// like. With Unshare the slow path always runs.
func (p *Peer) ample(s *step, room int) bool {
	n := s.to - s.from
	if n < minAlike || n > usualRecords || s.sorted > s.from || p.world.unshared {
		return false
	}
	records := p.plan.records[s.from:s.to]
	return s.bits+n*usualGap+min(maxClasses, n/minAlike)*maxClassHead+repl.MaxRunHead*8+repl.EndBits <= room &&
		records[n-1].at-records[0].at < nearby
}

// appendClasses writes the records of a step that are like enough others, when all fit. The others
// are left, in their order.
func (p *Peer) appendClasses(s *step) {
	var c classes
	var of [maxClasses + 1]places
	var rest places
	records, last := p.plan.records[s.from:s.to], -1
	for i := range records {
		of[c.add(records, i)].set(i)
	}
	for k := range of {
		if c.counts[k] < minAlike || k == unlike {
			rest.join(&of[k])
			continue
		}
		last = p.appendClass(s.space, records, &of[k], int(c.counts[k]))
	}
	if last < 0 {
		return
	}
	at := records[last].at
	left := len(records) - parted(records, &rest)
	p.wrote(s.space, records[:len(records)-left])
	s.space.cursor = int(at) + 1
	s.from, s.sorted = s.to-left, s.to
}

// appendClass writes a class of records, and returns the place of the last one.
func (p *Peer) appendClass(sp *space, records []planned, class *places, n int) (last int) {
	first := class.first()
	head := &records[first]
	last = class.last()
	dense := int(records[last].at-head.at) == n-1
	p.run.BeginLike(&p.w, sp.first+repl.Handle(head.at), head.start(), !dense)
	repl.AppendCount(&p.w, n)
	p.world.kinds.appendSet(&p.w, p.kind(head))
	if !dense {
		appendGaps(&p.run, &p.w, sp.first, records, class)
	}
	p.world.chunks.appendClass(&p.w, records, class, p.prefix(head))
	p.w.Align()
	return last
}

// appendGaps writes the handles after the first one of a class.
func appendGaps(run *repl.Run, w *pack.Writer, first repl.Handle, records []planned, class *places) {
	skip := true
	for i, word := range class {
		for ; word != 0; word &= word - 1 {
			if !skip {
				run.AppendGap(w, first+repl.Handle(records[i<<6+bits.TrailingZeros64(word)].at))
			}
			skip = false
		}
	}
}

// appendClass writes the values of a class of records.
func (c *chunks) appendClass(w *pack.Writer, records []planned, class *places, prefix uint8) {
	for i, word := range class {
		for ; word != 0; word &= word - 1 {
			rec := &records[i<<6+bits.TrailingZeros64(word)]
			c.appendValues(w, rec.from, rec.width, prefix)
		}
	}
}

func (s *places) first() int {
	for i, word := range s {
		if word != 0 {
			return i<<6 + bits.TrailingZeros64(word)
		}
	}
	return -1
}

func (s *places) last() int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] != 0 {
			return i<<6 + bits.Len64(s[i]) - 1
		}
	}
	return -1
}

// parted moves some records behind the others, each part in its order, and returns the number of
// the others.
func parted(records []planned, some *places) (others int) {
	if *some == (places{}) {
		return len(records)
	}
	var moved [usualRecords]planned
	n := 0
	for i := range records {
		if some[i>>6]>>(i&63)&1 == 1 {
			moved[n] = records[i]
			n++
		} else {
			records[others] = records[i]
			others++
		}
	}
	copy(records[others:], moved[:n])
	return others
}
