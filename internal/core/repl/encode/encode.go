package encode

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// encodeBody writes the body that Bodies.current.key asks for.
func (w *Encoder) encodeBody(id ident.GroupIndex) {
	w.encodeLeavers(id)
	switch key := &w.Bodies.current.key; {
	case key.Kind == repl.Gone:
	case key.Retained:
		w.encodeRemovedParts(id)
	default:
		w.encodeMembers(id)
	}
}

// encodeUpdate writes the changed values. Of a group of one, the common case, it writes nothing else, and returns the
// components that changed; otherwise it writes which members have them.
func (w *Encoder) encodeUpdate(id ident.GroupIndex) (comps set.Mask) {
	gr := &w.state.Groups[id]
	if m := w.aloneMember(gr); m != nil && !w.state.IsPaused(m.Slot) {
		comps = w.changedComponents(m.Slot)
		w.encodeSet(m.Slot, comps)
		return comps
	}
	w.encodeChangedMembers(gr)
	return comps
}

// aloneMember returns the member with number 0 if the view of the current body shows it and no other, and otherwise
// nil.
func (w *Encoder) aloneMember(gr *group.Group) *group.Member {
	if w.Bodies.current.key.View == 0 || len(gr.Members) == 0 || gr.Members[0].Number != 0 {
		if gr.Alone() {
			return &gr.Members[0]
		}
		return nil
	}
	for i := range gr.Members {
		if w.hidesMember(&gr.Members[i]) != (i > 0) {
			return nil
		}
	}
	return &gr.Members[0]
}

// encodeChangedMembers writes the members with changes, except those that encodeJoining writes whole.
func (w *Encoder) encodeChangedMembers(gr *group.Group) {
	var changes repl.Changes
	out, b := &w.Bodies.w, &w.Bodies.current
	for i := range gr.Members {
		m := &gr.Members[i]
		if w.state.IsPaused(m.Slot) || !b.bases.Narrow(b.key.Base, w.state.Slots.Touched[m.Slot]) || w.encodesWhole(m) || w.hidesMember(m) {
			continue
		}
		comps, removed := w.changedComponents(m.Slot), w.removedComponents(m.Slot)
		if comps.IsZero() && removed.IsZero() { // the view hides all that changed
			continue
		}
		same := changes.Append(out, m.Number, &comps)
		w.encodeRemoved(removed)
		if !same {
			w.sets.Append(out, &comps)
		}
		w.encodeSet(m.Slot, comps)
	}
	changes.End(out)
}

// encodesWhole reports whether the current body has all components of a member, because it is a full, or because the
// member joined or resumed after the structure that the peer has.
func (w *Encoder) encodesWhole(m *group.Member) bool {
	b := &w.Bodies.current
	return b.key.Kind == repl.Full || b.key.Kind == repl.Change && b.structures.Narrow(b.key.Structure, m.WholeSince)
}

// hidesMember reports whether the view of the current body hides a member.
func (w *Encoder) hidesMember(m *group.Member) bool {
	return w.state.Views.HidesMember(w.Bodies.current.key.View, m.Number)
}

// visibleComponents returns the components of a set that the view of the current body shows.
func (w *Encoder) visibleComponents(s repl.Slot, mask set.Mask) set.Mask {
	if w.Bodies.current.key.View == 0 {
		return mask
	}
	h, _ := w.state.Views.Hidden(w.Bodies.current.key.View, w.state.Slots.NumberHere[s])
	return mask.Without(h.Comps)
}

// removedComponents returns the components that were removed of a member, if the current body is a change.
func (w *Encoder) removedComponents(s repl.Slot) (removed set.Mask) {
	b := &w.Bodies.current
	if b.key.Kind != repl.Change {
		return removed
	}
	return w.visibleComponents(s, w.state.Slots.RemovedSince(s, b.key.Structure, &b.structures))
}

// encodeRemoved writes the removed components of a member, if the current body is a change.
func (w *Encoder) encodeRemoved(removed set.Mask) {
	out, b := &w.Bodies.w, &w.Bodies.current
	if b.key.Kind != repl.Change {
		return
	}
	out.Bool(!removed.IsZero())
	if !removed.IsZero() {
		b.ChangesStructure = true
		w.sets.Append(out, &removed)
	}
}

// changedComponents returns the components of a member with values that the current body has to contain.
func (w *Encoder) changedComponents(s repl.Slot) set.Mask {
	b := &w.Bodies.current
	changed := w.visibleComponents(s, w.state.Slots.ChangedSince(s, b.key.Base, &b.bases))
	if b.key.Kind == repl.Change && w.state.Slots.InsertedSince(s, &changed, b.key.Structure, &b.structures) {
		b.ChangesStructure = true
	}
	return changed
}

// encodeValue writes one value, in an update as the difference from the value at the baseline if the component is sent
// so. It narrows the baselines that the body serves.
func (w *Encoder) encodeValue(s repl.Slot, c int) {
	b := &w.Bodies
	if b.current.key.Kind != repl.Update || !w.deltas.Has(c) {
		w.src.Encode(&b.w, s, c, &b.refs)
		return
	}
	oldest := w.state.Tick - repl.MaxPrev // the oldest baseline from which differences are written
	if from := b.current.key.from(); from.Differs(w.state.Tick) {
		lo, hi := w.differ.EncodeFrom(&b.w, s, c, w.state.Tick, from, &b.refs)
		b.current.bases.Intersect(group.Span{Lo: lo, Hi: hi})
		b.current.bases.Intersect(group.Span{Lo: oldest, Hi: hi})
		b.current.bases.Intersect(w.samePrevSpan(from))
		return
	}
	w.src.Encode(&b.w, s, c, &b.refs)
	b.current.bases.Intersect(group.Span{Lo: b.current.bases.Lo, Hi: oldest})
}

// samePrevSpan returns the baselines that agree with from on whether the previous baseline is used. It is used while
// both sides still have the values as of it. From.Prev is the same for all of these baselines.
func (w *Encoder) samePrevSpan(from repl.From) group.Span {
	s, first := group.AllTime(w.state.Tick), w.state.Tick-repl.MaxPrev+entangle.Tick(from.Prev)
	switch _, moves := from.Previous(w.state.Tick); {
	case moves:
		s.Lo = first
	case from.Prev > 0:
		s.Hi = first
	}
	return s
}

// encodeAlone writes a set of components and their values, of a member that is alone in its record.
func (w *Encoder) encodeAlone(s repl.Slot, comps set.Mask) {
	w.sets.Append(&w.Bodies.w, &comps)
	w.encodeSet(s, comps)
}

// encodeSet writes the values of a set of components.
func (w *Encoder) encodeSet(s repl.Slot, comps set.Mask) {
	out := &w.Bodies.w
	w.Bodies.current.hasValue = w.Bodies.current.hasValue || !comps.IsZero()
	w.Bodies.current.Prefix = out.LenBits()
	for c := comps.Next(0); c >= 0; c = comps.Next(c + 1) {
		w.encodeValue(s, c)
	}
}

// encodeLeavers writes the entities that left the group and their fates. A full and a gone list only those that still
// exist at the peer: the peer despawns its other entities of the group.
func (w *Encoder) encodeLeavers(id ident.GroupIndex) {
	out, gr := &w.Bodies.w, &w.state.Groups[id]
	w.sortedLeavers = w.sortedLeavers[:0]
	for i := range gr.Left {
		if w.includesLeaver(id, &gr.Left[i]) {
			w.sortedLeavers = append(w.sortedLeavers, gr.Left[i])
		}
	}
	if w.Bodies.current.key.Retained {
		w.addHiddenMembers(gr)
	}
	out.Bool(len(w.sortedLeavers) > 0)
	if len(w.sortedLeavers) == 0 {
		return
	}
	w.Bodies.current.ChangesStructure = true
	var numbers repl.Numbers
	slices.SortFunc(w.sortedLeavers, func(a, b group.Leaver) int { return int(a.Number) - int(b.Number) })
	for i := range w.sortedLeavers {
		numbers.Append(out, w.sortedLeavers[i].Number)
		repl.AppendFate(out, w.fateOf(id, &w.sortedLeavers[i]))
	}
	numbers.End(out)
}

// addHiddenMembers adds the members that the new view of a retained group hides to the list of leavers, as despawned.
func (w *Encoder) addHiddenMembers(gr *group.Group) {
	for i := range gr.Members {
		if h := w.removedPart(&gr.Members[i]); h.Whole {
			w.sortedLeavers = append(w.sortedLeavers, group.Leaver{Slot: repl.NoSlot, Number: h.Number, Fate: repl.Despawned})
		}
	}
}

// includesLeaver reports whether the current body lists a leaver. It does not list one that the peer does not have.
func (w *Encoder) includesLeaver(id ident.GroupIndex, l *group.Leaver) bool {
	b := &w.Bodies.current
	if w.state.Views.HidesMember(b.key.View, l.Number) && w.fateOf(id, l) != repl.Moved {
		return false
	}
	if b.key.Kind != repl.Change && w.fateOf(id, l) == repl.Despawned {
		return false
	}
	if b.key.Retained {
		return !b.key.MembersAsOf.Before(l.Joined) && b.structures.Narrow(b.key.Structure, l.Left)
	}
	return !b.structures.Narrow(b.key.Structure, l.Joined) && b.structures.Narrow(b.key.Structure, l.Left)
}

// fateOf returns the fate of a leaver that the current body states.
func (w *Encoder) fateOf(id ident.GroupIndex, l *group.Leaver) repl.Fate {
	if p := w.Bodies.current.key.Peer; p != nil && p.Loses(id, l) {
		return repl.Despawned
	}
	return l.Fate
}

// encodeMembers writes the members of a full or a change. Joining members come first, so that all of them exist when
// the receiver reads values that refer to them.
func (w *Encoder) encodeMembers(id ident.GroupIndex) {
	out, gr, full := &w.Bodies.w, &w.state.Groups[id], w.Bodies.current.key.Kind == repl.Full
	m := w.aloneMember(gr)
	alone := m != nil && !w.state.IsPaused(m.Slot)
	if full {
		alone = alone && w.state.IsNative(m.Slot, id, m.Number)
	} else {
		alone = alone && !w.encodesWhole(m)
	}
	out.Bool(alone)
	switch {
	case alone && full:
		b := &w.Bodies.current
		b.Comps = w.visibleComponents(m.Slot, w.state.Slots.Mask[m.Slot])
		w.encodeAlone(m.Slot, b.Comps)
		b.Usual = len(w.sortedLeavers)+len(w.Bodies.refs.Slots()) == 0
	case alone:
		w.encodeRemoved(w.removedComponents(m.Slot))
		w.encodeAlone(m.Slot, w.changedComponents(m.Slot))
	default:
		w.encodeJoining(id)
		if !full {
			w.encodeChangedMembers(gr)
		}
	}
}

// encodeJoining writes the members of which the current body has all components: first a list of them, then their
// values. A full also lists the frozen members, which the peer keeps unchanged.
func (w *Encoder) encodeJoining(id ident.GroupIndex) {
	var numbers repl.Numbers
	out, gr, full := &w.Bodies.w, &w.state.Groups[id], w.Bodies.current.key.Kind == repl.Full
	for i := range gr.Members {
		m := &gr.Members[i]
		frozen := w.state.IsFrozen(m)
		if !w.encodesWhole(m) || w.hidesMember(m) || frozen && !full {
			continue
		}
		numbers.Append(out, m.Number)
		w.Bodies.current.ChangesStructure = true
		if full {
			out.Bool(frozen)
		}
		if !frozen {
			w.encodeJoiner(id, m)
		}
	}
	numbers.End(out)
	var sets repl.Changes
	for i := range gr.Members {
		if m := &gr.Members[i]; w.encodesWhole(m) && !w.hidesMember(m) && !w.state.IsFrozen(m) {
			comps := w.visibleComponents(m.Slot, w.state.Slots.Mask[m.Slot])
			sets.AppendSet(out, w.sets, &comps)
			w.encodeSet(m.Slot, comps)
		}
	}
}

// encodeJoiner writes which entity joins: a native, with an id that follows from the group and the number, or a reference.
func (w *Encoder) encodeJoiner(id ident.GroupIndex, m *group.Member) {
	index := uint32(0)
	if !w.state.IsNative(m.Slot, id, m.Number) {
		index = w.Bodies.refs.Index(m.Slot)
	}
	repl.AppendJoiner(&w.Bodies.w, index)
}
