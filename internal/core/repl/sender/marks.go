package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/schedule"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// A mark says to which tick the packets of a tick bring the predicted groups, so that the client's confirmed tick can
// advance. It has one part per packet. The last part, and as many before it as that takes, list the needs: predicted
// groups whose earlier data the peer has not acknowledged, and which it must have received as well.

// appendMark writes one part of this tick's mark, and reports whether there was room. It is the last part if that is
// wanted and the needs fit; another part follows otherwise. No last part is written while a change of a predicted group
// is unsent, or if there are more than repl.MaxNeeds needs.
func (pr *prediction) appendMark(w *bits.Writer, last bool, room int) bool {
	if pr.plan.MarkDone || pr.plan.MarkPart == repl.MaxParts {
		return true
	}
	pr.needs = pr.needs[:0]
	if last {
		if !pr.findMarkNeeds() {
			return true
		}
		pr.needs = pr.needs[min(pr.plan.MarkNeeds, len(pr.needs)):]
		fit := min(len(pr.needs), repl.FittingNeeds(room-w.LenBits()-schedule.MarkBits))
		if fit < 0 || fit == 0 && len(pr.needs) > 0 {
			return false
		}
		last, pr.needs = fit == len(pr.needs), pr.needs[:fit]
		pr.plan.MarkDone = last
		pr.plan.MarkNeeds += fit
	}
	w.Bool(true)
	w.Uvarint(uint64(pr.plan.MarkPart))
	w.Bool(last)
	repl.AppendNeeds(w, pr.state.Tick, pr.needs)
	w.Align()
	pr.plan.MarkPart++
	return true
}

// findMarkNeeds collects in needs the predicted groups of which the peer may lack something that it was sent. ok is
// false when a change is unsent, or when there are too many needs.
func (pr *prediction) findMarkNeeds() (ok bool) {
	for k := range pr.plan.Predicted {
		f := &pr.plan.Predicted[k]
		sp, i := pr.groups.LocateHandle(f.Group)
		id := sp.Group(i)
		switch {
		case id == ident.NoGroup || pr.state.Groups[id].TooLarge, sp.IsAbsent(i) && !sp.StructureDue.Has(i):
			// The peer never had it, or will receive no more of it: nothing to wait for.
		case sp.Ending.Has(i) && !sp.StructureDue.Has(i):
			pr.needs = append(pr.needs, repl.Need{Group: f.Group, Tick: sp.ActionSent[i]})
		case sp.StructureDue.Has(i) || sp.Due.Has(i) || sp.Fragmented.Has(i) || sp.NeedsFull.Has(i):
			return false
		case pr.plan.MayLack(f, sp, i):
			pr.needs = append(pr.needs, repl.Need{Group: f.Group, Tick: f.NeededTick(sp, i)})
		}
	}
	return len(pr.needs) <= repl.MaxNeeds
}
