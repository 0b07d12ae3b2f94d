package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/core/rewind"
	"github.com/entangle-ecs/entangle/internal/set"
)

// RecordReceived makes every peer that is added from now on record what it has received of each group, for
// lag compensation. targetOf returns the entity of a slot, as the caller knows it, and those of its components that no peer
// is sent, also while the entity is removed.
func (w *World) RecordReceived(targetOf func(repl.Slot) (rewind.Target, set.Mask)) {
	w.targetOf = targetOf
}

// Received returns what the peer has received, nil without RecordReceived.
func (p *Peer) Received() *rewind.Received { return p.received }

func rewindGroup(sp *group.Space, i int) rewind.Group {
	return rewind.Group{Private: sp.First == repl.Private, Index: i}
}

// GroupOf returns the group that an entity is in, which has no index if it is private: each peer has another one. joined
// is the tick since which it is in it. ok is false for an unused slot.
func (w *World) GroupOf(s repl.Slot) (g rewind.Group, joined entangle.Tick, ok bool) {
	if !w.state.Slots.Used.Has(int(s)) {
		return rewind.Group{}, 0, false
	}
	gr, m := w.state.Member(s)
	if gr.Private {
		return rewind.Group{Private: true}, m.Joined, true
	}
	return rewind.Group{Index: int(gr.Handle)}, m.Joined, true
}

// HasWhole returns how many of n consecutive public groups, from the first on, the peer has and may see all of.
func (p *Peer) HasWhole(first, n int) int {
	return p.groups.Public.CountSteady(first, n)
}

// Shown is an entity that a peer was sent.
type Shown struct {
	Group  rewind.Group
	Hidden set.Mask // its components that are hidden from the peer
	Ended  bool     // the peer may not see the entity any more, and is not sent that yet
}

// ShownNow returns the place of an entity at the peer. ok is false if the peer does not have the entity, or is sent that it
// does not, or keeps it as it was last sent.
func (p *Peer) ShownNow(s repl.Slot) (at Shown, ok bool) {
	if !p.state.Slots.Used.Has(int(s)) {
		return Shown{}, false
	}
	return shownAt(&p.groups, s)
}

func shownAt(p *group.Peer, s repl.Slot) (at Shown, ok bool) {
	sp, i := p.Locate(p.State.Slots.Group[s])
	if i < 0 || !sp.Present.Has(i) || sp.WasRetained.Has(i) {
		return Shown{}, false
	}
	_, m := p.State.Member(s)
	if sp.StructureAsOf[i].Before(m.Joined) {
		return Shown{}, false
	}
	h, was := hiddenPart(p, sp, i, m.Number)
	return Shown{Group: rewindGroup(sp, i), Hidden: h.Comps.Or(was.Comps), Ended: h.Whole || sp.Hidden.Has(i)}, !was.Whole
}

// hiddenPart returns the part of a member that is hidden from a peer, and that which was when the peer was last sent the
// group.
func hiddenPart(p *group.Peer, sp *group.Space, i int, n repl.Member) (h, was view.HiddenMember) {
	now, sent := sp.ViewOf(i), p.SentView(sp, i)
	if now == 0 && sent == 0 { // the case rewind/volleys takes 5 % longer without
		return h, was
	}
	h, _ = p.State.Views.Hidden(now, n)
	was, _ = p.State.Views.Hidden(sent, n)
	return h, was
}

// isShownInPast reports whether a peer that has an entity is to interpolate it. hidden are the components that are hidden
// from it.
func (pr *prediction) isShownInPast(s repl.Slot, hidden set.Mask) bool {
	comp, ok := pr.state.Rates.IntervalComp()
	return ok && pr.state.Slots.Mask[s].Has(comp) && !hidden.Has(comp) && !pr.predictions.predicts(s, pr.groups.Index)
}

// recordDeparture records at each peer that has an entity that it is about to lose it in its group. One that the peer
// does not interpolate is not on its screen in the past.
func (w *World) recordDeparture(s repl.Slot, moved bool) {
	if w.targetOf == nil {
		return
	}
	_, m := w.state.Member(s)
	for _, p := range w.peers {
		if at, ok := shownAt(&p.groups, s); ok && p.received != nil && p.isShownInPast(s, at.Hidden) {
			t, withheld := w.targetOf(s)
			p.received.Depart(at.Group, t, w.state.Interval(s), m.Joined, w.state.Tick, at.Hidden.Or(withheld), moved)
		}
	}
}

// recordSent records what actions say of groups that are sent: n of them, from an index on.
func (a *actions) recordSent(sp *group.Space, i, n int, rec *repl.Record) {
	for k := i; k < i+n; k++ {
		switch at := rewindGroup(sp, k); {
		case rec.Kind == repl.Full && sp.IsAbsent(k):
			a.received.Begin(at, rec.Tick)
		case rec.Kind == repl.Full:
			a.recordMembers(sp, k, sp.Group(k), rec.Tick, true)
			a.received.BeginAgain(at, rec.Tick)
		case rec.Kind == repl.Change:
			a.received.Change(at, rec.Tick)
		case rec.Kind == repl.Gone && sp.Group(k) != ident.NoGroup:
			a.recordMembers(sp, k, sp.Group(k), rec.Tick, false)
		}
	}
}

// recordMembers records that a peer loses the members of a group, or is sent them again.
func (a *actions) recordMembers(sp *group.Space, i int, id ident.GroupIndex, tick entangle.Tick, again bool) {
	if sp.WasRetained.Has(i) {
		return // recorded when that began
	}
	gr := &a.state.Groups[id]
	for k := range gr.Members {
		m := &gr.Members[k]
		h, was := hiddenPart(a.groups, sp, i, m.Number)
		if was.Whole || sp.StructureAsOf[i].Before(m.Joined) || !a.prediction.isShownInPast(m.Slot, was.Comps) {
			continue
		}
		t, withheld := a.targetOf(m.Slot)
		a.received.Depart(rewindGroup(sp, i), t, a.state.Interval(m.Slot), m.Joined, tick, was.Comps.Or(withheld), again && !h.Whole)
	}
}

// recordSeen records that what a peer may see of a group changes now.
func (vis *visibility) recordSeen(sp *group.Space, i int) {
	if r := vis.actions.received; r != nil {
		r.See(rewindGroup(sp, i), vis.state.Tick)
	}
}

// recordRetained records that a peer keeps a group as it was last sent: on its screen the members stand still.
func (vis *visibility) recordRetained(i int, id ident.GroupIndex) {
	if a := vis.actions; a.received != nil {
		a.recordMembers(&vis.groups.Private, i, id, vis.state.Tick, false)
		a.received.Wait(rewindGroup(&vis.groups.Private, i), vis.state.Tick) // no message ends them
	}
}
