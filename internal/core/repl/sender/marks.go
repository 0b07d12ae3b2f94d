package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/schedule"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// A mark says to which tick the packets of a tick bring the predicted groups, so that the client's confirmed tick can
// advance. It has one part per packet. The last part lists the needs: predicted groups whose earlier data the peer has
// not acknowledged, and which it must have received as well.

// appendMark writes one part of this tick's mark, and reports whether there was room. No last part is written while a
// change of a predicted group is unsent, or if there are more than repl.MaxNeeds needs.
func (p *Peer) appendMark(w *bits.Writer, last bool, room int) bool {
	if p.plan.MarkDone || p.plan.MarkPart == repl.MaxParts {
		return true
	}
	p.needs = p.needs[:0]
	if last {
		if !p.findMarkNeeds() {
			return true
		}
		if w.LenBits()+schedule.MarkBits+repl.NeedsBits(len(p.needs)) > room {
			return false
		}
		p.plan.MarkDone = true
	}
	w.Bool(true)
	w.Uvarint(uint64(p.plan.MarkPart))
	w.Bool(last)
	if last {
		repl.AppendNeeds(w, p.state.Tick, p.needs)
	}
	w.Align()
	p.plan.MarkPart++
	return true
}

// findMarkNeeds collects in needs the predicted groups of which the peer may lack something that it was sent. ok is
// false when a change is unsent, or when there are too many needs.
func (p *Peer) findMarkNeeds() (ok bool) {
	for k := range p.plan.Predicted {
		f := &p.plan.Predicted[k]
		sp, i := p.groups.LocateHandle(f.Group)
		id := sp.Group(i)
		switch {
		case id == ident.NoGroup || p.state.Groups[id].TooLarge, sp.Phase[i] == group.Absent && !sp.StructureDue.Has(i):
			// The peer never had it, or will receive no more of it: nothing to wait for.
		case sp.Phase[i] == group.Ending && !sp.StructureDue.Has(i):
			p.needs = append(p.needs, repl.Need{Group: f.Group, Tick: sp.StructureSent[i]})
		case sp.StructureDue.Has(i) || sp.Due.Has(i) || sp.Fragmented.Has(i) || sp.NeedsFull.Has(i):
			return false
		case p.plan.MayLack(f, sp, i):
			p.needs = append(p.needs, repl.Need{Group: f.Group, Tick: f.NeededTick(sp, i)})
		}
	}
	return len(p.needs) <= repl.MaxNeeds
}
