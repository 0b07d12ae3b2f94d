package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
)

// maxPassed is the number of consecutive ticks in which predicted groups may take all the room.
const maxPassed = 8

// shorten cuts the plan down to the room of the limit, and encodes what remains.
func (p *planner) shorten() {
	s, k := &p.short, &p.choice
	if s.cut {
		return
	}
	s.cut = true
	p.flatten()
	k.keys = slices.Grow(k.keys[:0], len(p.records))[:len(p.records)]
	k.bounds = k.bounds[:0]
	for i := range k.pools {
		k.pools[i] = k.pools[i].empty()
	}
	room := s.left*8 - p.plainMarkBits()
	k.mean += (room - k.mean) / 8
	p.share(room)
	p.finish()
	p.layOut()
}

// share divides the room. Predicted groups come first, but other groups for which they leave no
// room go first now and then.
func (p *planner) share(room int) {
	k := &p.choice
	predicted, others := p.steps[:p.first], p.steps[p.first:]
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
	p.choose(othersPool, others, room)
	if k.passed++; k.pools[predictedPool].len() == 0 || k.pools[othersPool].len() > 0 || len(others) == 0 {
		k.passed = 0
	}
}

// flatten turns the runs into records.
func (p *planner) flatten() {
	for i := range p.steps {
		if s := &p.steps[i]; s.run != nil {
			*s = p.flat(s)
		}
	}
}

// chooseAll chooses all records of some steps.
func (p *planner) chooseAll(steps []step) {
	for i := range steps {
		for rec := steps[i].from; rec < steps[i].to; rec++ {
			p.choice.keys[rec] = picked
		}
	}
	p.collect(predictedPool, steps, 0)
	for i := range p.choice.pools[predictedPool] {
		p.inOrder(p.choice.pools[predictedPool][i])
	}
}

// finish makes the records that were not chosen due again.
func (p *planner) finish() {
	for i := range p.steps {
		s := &p.steps[i]
		for rec := s.from; rec < s.to; rec++ {
			at := int(p.records[rec].At)
			switch {
			case p.records[rec].Chunk == encode.NothingToSend:
				continue
			case p.records[rec].Chunk < 0:
				s.space.Due.Set(at) // as it was
				continue
			case p.choice.keys[rec]&picked == 0:
				s.space.Resend(at)
				continue
			}
			s.space.Due.Clear(at)
			s.space.Sent[at] = p.state.Tick
		}
	}
	p.tallyBounds()
}

// layOut makes a plan of the chosen records.
func (p *planner) layOut() {
	p.steps, p.records = p.steps[:0], p.records[:0]
	order := [2]int{0, 1}
	p.layOutPool(predictedPool, order)
	p.first = len(p.steps)
	if p.privateFirst {
		order = [2]int{1, 0}
	}
	p.layOutPool(othersPool, order)
}

func (p *planner) layOutPool(which int, order [2]int) {
	for _, i := range order {
		list, sp := p.choice.pools[which][i], p.groups.Spaces()[i]
		at := 0
		if p.choice.broken && which == othersPool { // records that found no packet the last time go first
			at, _ = slices.BinarySearchFunc(list, sp.Cursor, func(rec encode.Update, cursor int) int { return int(rec.At) - cursor })
		}
		for _, part := range [2][]encode.Update{list[at:], list[:at]} {
			from := len(p.records)
			p.records = append(p.records, part...)
			p.addStep(sp, from)
		}
	}
}

// plainMarkBits is the usual size of a mark.
func (p *planner) plainMarkBits() int {
	if len(p.predicted) == 0 {
		return 0
	}
	return markBits + repl.NeedsBits(0)
}

// inOrder sorts records by handle. They consist of a few sorted stretches.
func (p *planner) inOrder(list []encode.Update) {
	for mid := ascent(list); mid < len(list); {
		end := mid + ascent(list[mid:])
		p.merge(list[:end], mid)
		mid = end
	}
}

// ascent returns the number of leading records that are sorted by handle.
func ascent(list []encode.Update) (n int) {
	for n = min(1, len(list)); n < len(list) && list[n-1].At < list[n].At; n++ {
	}
	return n
}

// merge merges two sorted stretches, of which the second begins at mid.
func (p *planner) merge(list []encode.Update, mid int) {
	p.choice.merged = append(p.choice.merged[:0], list[:mid]...)
	first, second := p.choice.merged, list[mid:]
	for to := 0; len(first) > 0; to++ {
		if len(second) > 0 && second[0].At < first[0].At {
			list[to], second = second[0], second[1:]
			continue
		}
		list[to], first = first[0], first[1:]
	}
}
