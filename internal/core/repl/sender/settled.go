package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// planPredicted plans the predicted groups that are due.
func (p *Peer) planPredicted() {
	for k := range p.predicted {
		sp, i := p.spaceOf(p.predicted[k].group)
		from := len(p.plan.records)
		if sp.due.Has(i) {
			p.gather(sp, i>>6, 1<<(i&63))
			p.resolve(sp, from)
		}
		last := len(p.plan.steps) - 1
		switch {
		case len(p.plan.records) == from:
		case last >= 0 && p.plan.steps[last].space == sp && k > 0:
			p.plan.steps[last].to++
			p.plan.steps[last].bits += p.plainBits(from)
		default:
			p.addStep(sp, from)
		}
	}
	p.plan.first = len(p.plan.steps)
}

// AppendMark writes an updates frame that holds nothing but a mark, for a packet that
// goes out anyway. It returns dst as it was when there is nothing to mark, or what
// would be marked is not sent yet.
func (p *Peer) AppendMark(dst []byte, room int) []byte {
	if p.world.held || len(p.predicted) == 0 {
		return dst
	}
	p.Prepare()
	if p.plan.marked || p.plan.next < p.plan.first {
		return dst
	}
	p.w.Reset(dst)
	if p.appendMark(true, room*8); p.w.LenBits() == 0 {
		return dst
	}
	return p.w.Finish()
}

// markBits is room for a mark without needs.
const markBits = 1 + 8 + 1 + 1 + 7

// appendMark writes one part of this tick's mark, the last with what else the peer
// has to hold: what was sent to it before and is not acknowledged. When there is
// something that it was not even sent, or no room to say so, no last part is written. It
// reports whether there was room.
func (p *Peer) appendMark(last bool, room int) bool {
	if p.plan.marked || p.plan.part == repl.MaxParts {
		return true
	}
	p.needs = p.needs[:0]
	if last {
		if !p.findUnsettled() {
			return true
		}
		if p.w.LenBits()+markBits+repl.NeedsBits(len(p.needs)) > room {
			return false
		}
		p.plan.marked = true
	}
	p.w.Bool(true)
	p.w.Uvarint(uint64(p.plan.part))
	p.w.Bool(last)
	if last {
		repl.AppendNeeds(&p.w, p.world.tick, p.needs)
	}
	p.w.Align()
	p.plan.part++
	return true
}

// findUnsettled gathers the predicted groups that the peer was sent something of which
// it may not hold yet. It is not ok when something was not sent.
func (p *Peer) findUnsettled() (ok bool) {
	for _, f := range p.predicted {
		sp, i := p.spaceOf(f.group)
		id := p.group(sp, i)
		switch {
		case id == noGroup || p.world.groups[id].tooLarge, sp.phase[i] == unknown && !sp.shapeDue.Has(i):
			// The peer never had it, or will not have more of it: nothing to wait for.
		case sp.phase[i] == ending && !sp.shapeDue.Has(i):
			p.needs = append(p.needs, repl.Need{Group: f.group, Tick: sp.told[i]})
		case sp.shapeDue.Has(i) || sp.due.Has(i) || sp.bulky.Has(i) || sp.doubted.Has(i):
			return false
		default:
			sent := p.lastSent(sp, i)
			if sp.unacked[i] != 0 || sp.base[i].Before(sent) && sent != p.world.tick {
				p.needs = append(p.needs, repl.Need{Group: f.group, Tick: sent})
			}
		}
	}
	return len(p.needs) <= repl.MaxNeeds
}

// lastSent returns the last tick of which anything of a group was sent that is not
// acknowledged.
func (p *Peer) lastSent(sp *space, i int) entangle.Tick {
	sent := sp.sent[i]
	if sp.retained.Has(i) {
		return sp.told[i] // that it is not predicted any more
	}
	if sp == &p.public {
		if ran, ok := p.flights.lastRun(sent, repl.Handle(i), repl.Handle(i)); ok {
			return ran // the group was not predicted then
		}
	}
	return sent
}
