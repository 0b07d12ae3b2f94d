package schedule

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
)

// maxPassed is the number of consecutive ticks in which predicted groups may take all the room.
const maxPassed = 8

// shorten cuts the plan down to the room of the limit, and encodes what remains.
func (p *Planner) shorten() {
	s, k := &p.short, &p.choice
	if s.cut {
		return
	}
	s.cut = true
	p.flattenAll()
	k.keys = slices.Grow(k.keys[:0], len(p.Records))[:len(p.Records)]
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
func (p *Planner) share(room int) {
	k := &p.choice
	predicted, others := p.Steps[:p.PredictedSteps], p.Steps[p.PredictedSteps:]
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

// flattenAll turns the runs into records.
func (p *Planner) flattenAll() {
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Run != nil {
			*s = p.Flatten(s)
		}
	}
}

// chooseAll chooses all records of some steps.
func (p *Planner) chooseAll(steps []Step) {
	for i := range steps {
		for rec := steps[i].From; rec < steps[i].To; rec++ {
			p.choice.keys[rec] = picked
		}
	}
	p.collect(predictedPool, steps)
}

// finish makes the records that were not chosen due again.
func (p *Planner) finish() {
	for i := range p.Steps {
		s := &p.Steps[i]
		for rec := s.From; rec < s.To; rec++ {
			switch at, chunk := int(p.Records[rec].At), p.Records[rec].Chunk; {
			case chunk < 0: // not encoded
				s.Space.Due.Set(at)
			case !p.enc.Chunks.List[chunk].Sendable():
			case p.choice.keys[rec]&picked == 0:
				s.Space.Requeue(at)
			default:
				s.Space.Due.Clear(at)
				s.Space.Planned[at] = p.state.Tick
			}
		}
	}
	p.countOverdue()
}

// layOut makes a plan of the chosen records.
func (p *Planner) layOut() {
	p.Steps, p.Records = p.Steps[:0], p.Records[:0]
	order := [2]int{0, 1}
	p.layOutPool(predictedPool, order)
	p.PredictedSteps = len(p.Steps)
	if p.privateFirst {
		order = [2]int{1, 0}
	}
	p.layOutPool(othersPool, order)
}

func (p *Planner) layOutPool(which int, order [2]int) {
	for _, i := range order {
		list, sp := p.choice.pools[which][i], p.groups.Spaces()[i]
		at := 0
		if p.choice.broken && which == othersPool { // records that found no packet the last time go first
			at, _ = slices.BinarySearchFunc(list, sp.Cursor, func(rec encode.Update, cursor int) int { return int(rec.At) - cursor })
		}
		for _, part := range [2][]encode.Update{list[at:], list[:at]} {
			from := len(p.Records)
			p.Records = append(p.Records, part...)
			p.addStep(sp, from)
		}
	}
}

// plainMarkBits is the usual size of a mark.
func (p *Planner) plainMarkBits() int {
	if len(p.Predicted) == 0 {
		return 0
	}
	return MarkBits + repl.NeedsBits(0)
}
