package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// Predict says whether the peer predicts the group of an entity. Those groups are
// sent first and together, and a mark behind them says that with it the peer holds
// all of them as of the packet's tick. It reports false when the peer has no such
// group, or retains it.
func (p *Peer) Predict(s repl.Slot, on bool) bool {
	w := p.world
	if !w.slots.used.Has(int(s)) {
		return false
	}
	sp, i := p.find(w.slots.group[s])
	if i < 0 || sp.retained.Has(i) {
		return false
	}
	h := sp.first + repl.Handle(i)
	at, there := slices.BinarySearch(p.predicted, h)
	switch {
	case on && !there:
		p.predicted = slices.Insert(p.predicted, at, h)
		sp.predicted.Set(i)
		if w.holds(w.slots.group[s]) {
			sp.await(i, w.tick)
			sp.due.Set(i)
		}
	case !on && there:
		p.predicted = slices.Delete(p.predicted, at, at+1)
		sp.predicted.Clear(i)
	}
	sp.settle(i)
	return true
}

// forgetPredicted strikes off a handle whose group has ended.
func (p *Peer) forgetPredicted(sp *space, i int) {
	if !sp.predicted.Has(i) {
		return
	}
	sp.predicted.Clear(i)
	at, _ := slices.BinarySearch(p.predicted, sp.first+repl.Handle(i))
	p.predicted = slices.Delete(p.predicted, at, at+1)
}

// planPredicted plans the predicted groups that are due.
func (p *Peer) planPredicted() {
	for k, h := range p.predicted {
		sp, i := p.spaceOf(h)
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
	for _, h := range p.predicted {
		sp, i := p.spaceOf(h)
		id := p.group(sp, i)
		switch {
		case sp.phase[i] == unknown, id == noGroup || p.world.groups[id].tooLarge:
			// The peer never had it, or will not have more of it: nothing to wait for.
		case sp.shapeDue.Has(i) || sp.due.Has(i) || sp.bulky.Has(i) || sp.doubted.Has(i):
			return false
		default:
			sent := p.lastSent(sp, i)
			if sp.unacked[i] != 0 || sp.base[i].Before(sent) && sent != p.world.tick {
				p.needs = append(p.needs, repl.Need{Group: h, Tick: sent})
			}
		}
	}
	return len(p.needs) <= repl.MaxNeeds
}

// lastSent returns the last tick of which anything of a group was sent that is not
// acknowledged.
func (p *Peer) lastSent(sp *space, i int) entangle.Tick {
	sent := sp.sent[i]
	if sp == &p.public {
		if ran, ok := p.flights.lastRun(sent, repl.Handle(i), repl.Handle(i)); ok {
			return ran // the group was not predicted then
		}
	}
	return sent
}
