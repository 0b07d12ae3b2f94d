package group

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/flight"
)

// MembersAsOf returns the tick of the members of a group that the peer has. Of a retained group the peer may have been
// sent the end of members since.
func (sp *Space) MembersAsOf(i int) entangle.Tick {
	if sp.WasRetained.Has(i) {
		return sp.retainedAsOf[i]
	}
	return sp.StructureAsOf[i]
}

// StopRetaining stops retaining a group: it is sent again in full.
func (sp *Space) StopRetaining(i int) {
	if sp.Retained.Has(i) {
		sp.Retained.Clear(i)
		sp.NeedsFull.Set(i)
	}
}

// StartRetaining begins to retain a group that was sent: updates of it are neither sent nor resent.
func (sp *Space) StartRetaining(i int) {
	sp.Due.Clear(i)
	sp.NeedsFull.Clear(i)
	sp.Fragmented.Clear(i)
	sp.retainedAsOf = extend(sp.retainedAsOf, sp.Len(), 0)
	sp.retainedAsOf[i] = sp.MembersAsOf(i)
	sp.Retained.Set(i)
	sp.WasRetained.Set(i)
}

// HasLeaver reports whether a peer still has a leaver of a group.
func (sp *Space) HasLeaver(i int, l *Leaver) bool {
	return sp.Present.Has(i) && !sp.MembersAsOf(i).Before(l.Joined) && sp.StructureAsOf[i].Before(l.Left)
}

// SendAsAction makes a group travel as an action, because its update is too large for any packet: in
// fragments that are resent until all have arrived. No newer update of the group begins meanwhile.
func (sp *Space) SendAsAction(i int) {
	sp.Fragmented.Set(i)
	sp.StructureDue.Set(i)
}

// MarkActionsSent records that n groups from an index on were sent actions that are equal to rec but for the group, and
// have a number. It moves the baselines at once, because a peer applies nothing that is sent later before the action.
func (sp *Space) MarkActionsSent(i, n int, rec *repl.Record, seq uint8) {
	end := i + n
	if rec.Kind != repl.Gone {
		sp.Present.SetRange(i, end)
	} else {
		sp.Present.ClearRange(i, end)
		sp.Ending.SetRange(i, end)
		sp.Hidden.ClearRange(i, end)
		sp.Retained.ClearRange(i, end)
	}
	if rec.Kind != repl.Change {
		sp.WasRetained.ClearRange(i, end)
	}
	Fill(sp.Base[i:end], rec.Tick)
	Fill(sp.Planned[i:end], rec.Tick)
	Fill(sp.ActionSent[i:end], rec.Tick)
	Fill(sp.StructureAsOf[i:end], rec.Tick)
	if sp.Prev != nil {
		clear(sp.Prev[i:end])
	}
	sp.WasSent.SetRange(i, end)
	sp.ActionInFlight.SetRange(i, end)
	sp.StructureDue.ClearRange(i, end)
	sp.Due.ClearRange(i, end)
	sp.NeedsFull.ClearRange(i, end)
	Fill(sp.Seq[i:end], seq)
	for k, unacked := range sp.Unacked[i:end] {
		sp.Unacked[i+k] = unacked<<1 | 1
	}
}

// MarkRunSent notes that all groups of a run were sent.
func (sp *Space) MarkRunSent(r *flight.SharedRun) {
	if r.Dense {
		Fill(sp.Planned[r.Groups[0]:r.Last()+1], r.Tick)
		return
	}
	for _, h := range r.Groups {
		sp.Planned[h] = r.Tick
	}
}

// CommonPrev returns the distance of the previous baselines of a run's groups, if it is the same for
// all.
func (sp *Space) CommonPrev(r *flight.SharedRun) (prev uint8, ok bool) {
	prev = sp.Prev[r.Groups[0]]
	for _, h := range r.Groups {
		if sp.Prev[h] != prev {
			return 0, false
		}
	}
	return prev, true
}

// MarkDue makes the values of a group due.
func (sp *Space) MarkDue(i int, now entangle.Tick) {
	sp.NoteDue(i, now)
	sp.Due.Set(i)
}
