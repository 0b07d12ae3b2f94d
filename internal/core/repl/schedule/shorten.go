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
	k.keys = slices.Grow(k.keys[:0], len(p.Records))[:len(p.Records)]
	k.bounds, k.chosen = k.bounds[:0], [2]int{}
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
	if k.passed++; k.chosen[predictedPool] == 0 || k.chosen[othersPool] > 0 || len(others) == 0 {
		k.passed = 0
	}
}

// chooseAll chooses all records of some steps.
func (p *Planner) chooseAll(steps []Step) {
	for i := range steps {
		for rec := steps[i].From; rec < steps[i].To; rec++ {
			p.choice.keys[rec] = picked
		}
	}
	p.measure(predictedPool, steps)
}

// finish removes the records that were not chosen from the plan, and makes them due again.
func (p *Planner) finish() {
	for i := range p.Steps {
		s, kept := &p.Steps[i], p.Steps[i].From
		for rec := s.From; rec < s.To; rec++ {
			switch at, chunk := int(p.Records[rec].At), p.Records[rec].Chunk; {
			case chunk < 0: // not encoded
				s.Space.Due.Set(at)
			case !p.enc.Chunks.List[chunk].Sendable():
			case p.choice.keys[rec]&picked == 0:
				s.Space.Requeue(at)
			default:
				s.Space.Planned[at] = p.state.Tick
				p.Records[kept] = p.Records[rec]
				kept++
			}
		}
		s.To = kept
	}
	for i := range p.choice.bounds {
		p.checkBound(p.choice.bounds[i].space, int(p.choice.bounds[i].at))
	}
}

// layOut orders the steps. The order counts if there are fewer packets than the limit has room for: a group that is always
// chosen, and always in a packet that is not sent, would starve (R36). Predicted groups go by handle, since their mark
// needs all of them.
func (p *Planner) layOut() {
	var before [4]Step // public and private ones, of predicted and of other groups
	steps := before[:copy(before[:], p.Steps)]
	predicted, others := steps[:p.PredictedSteps], steps[p.PredictedSteps:]
	p.Steps = p.Steps[:0]
	for _, s := range predicted {
		p.addStep(s.Space, s.From, s.To)
	}
	p.PredictedSteps = len(p.Steps)
	if p.privateFirst {
		slices.Reverse(others)
	}
	for _, s := range others {
		at := s.From
		if p.choice.broken { // records that found no packet the last time go first
			n, _ := slices.BinarySearchFunc(p.Records[s.From:s.To], s.Space.Cursor, func(rec encode.Update, cursor int) int { return int(rec.At) - cursor })
			at += n
		}
		p.addStep(s.Space, at, s.To)
		p.addStep(s.Space, s.From, at)
	}
}

// plainMarkBits is the usual size of a mark.
func (p *Planner) plainMarkBits() int {
	if len(p.Predicted) == 0 {
		return 0
	}
	return MarkBits + repl.NeedsBits(0)
}
