package encode

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// encode writes the current body.
func (w *Encoder) encode(id ident.Group) {
	switch w.Bodies.current.key.Kind {
	case repl.Gone:
		w.encodeLeavers(id)
	default:
		w.encodeLeavers(id)
		if w.Bodies.current.key.Retained {
			w.encodeTakenAway(id)
			return
		}
		w.encodeMembers(id)
	}
}

// encodeUpdate writes the members with changed values. A group of one, the common case, needs one
// bit for that list. Of such a group it returns the components that changed.
func (w *Encoder) encodeUpdate(id ident.Group) (comps set.Mask) {
	out, gr := &w.Bodies.w, &w.state.Groups[id]
	if m := w.sole(gr); m != nil && !w.state.IsPaused(m.Slot) {
		out.Bool(true)
		comps = w.changes(m.Slot)
		w.encodeValues(m.Slot, comps)
		return comps
	}
	out.Bool(false)
	w.encodeChanged(gr)
	return comps
}

// sole returns the member with number 0 if the view of the current body shows no other member, and
// otherwise nil.
func (w *Encoder) sole(gr *group.Group) *group.Member {
	if w.Bodies.current.key.View == 0 || len(gr.Members) == 0 || gr.Members[0].Number != 0 {
		if gr.Alone() {
			return &gr.Members[0]
		}
		return nil
	}
	for i := range gr.Members {
		if w.hidden(&gr.Members[i]) != (i > 0) {
			return nil
		}
	}
	return &gr.Members[0]
}

// encodeChanged writes the changed members, except those that are written in full.
func (w *Encoder) encodeChanged(gr *group.Group) {
	var changes repl.Changes
	out, b := &w.Bodies.w, &w.Bodies.current
	for i := range gr.Members {
		m := &gr.Members[i]
		if w.state.IsPaused(m.Slot) || !b.bases.Narrow(b.key.Base, w.state.Slots.Touched[m.Slot]) || w.joins(m) || w.hidden(m) || w.unseen(m.Slot) {
			continue
		}
		comps := w.changes(m.Slot)
		same := changes.Append(out, m.Number, &comps)
		w.encodeRemoved(m.Slot)
		if !same {
			w.sets.Append(out, &comps)
		}
		w.encodeSet(m.Slot, comps)
	}
	changes.End(out)
}

// joins reports whether the current body writes a member in full.
func (w *Encoder) joins(m *group.Member) bool {
	b := &w.Bodies.current
	return b.key.Kind == repl.Full || b.key.Kind == repl.Change && b.shapes.Narrow(b.key.Structure, m.WholeSince)
}

// hidden reports whether the view of the current body hides a member.
func (w *Encoder) hidden(m *group.Member) bool {
	if w.Bodies.current.key.View == 0 {
		return false
	}
	h, _ := w.state.Views.Hidden(w.Bodies.current.key.View, m.Number)
	return h.Whole
}

// seen returns the components of a set that the view of the current body shows of a slot.
func (w *Encoder) seen(s repl.Slot, mask set.Mask) set.Mask {
	if w.Bodies.current.key.View == 0 {
		return mask
	}
	h, _ := w.state.Views.Hidden(w.Bodies.current.key.View, w.state.Slots.NumberHere[s])
	return mask.Without(h.Comps)
}

// unseen reports whether the view of the current body hides all changes of a visible slot.
func (w *Encoder) unseen(s repl.Slot) bool {
	b := &w.Bodies.current
	if b.key.View == 0 {
		return false
	}
	if h, _ := w.state.Views.Hidden(b.key.View, w.state.Slots.NumberHere[s]); h.Comps.IsZero() {
		return false
	}
	changed := w.state.Slots.ChangedSince(s, b.key.Base, &b.bases)
	if b.key.Kind == repl.Change {
		changed = changed.Or(w.state.Slots.RemovedSince(s, b.key.Structure, &b.shapes))
	}
	changed = w.seen(s, changed)
	return changed.IsZero()
}

// encodeChanges writes the removed components of a member, and its changed values.
func (w *Encoder) encodeChanges(s repl.Slot) {
	w.encodeRemoved(s)
	w.encodeValues(s, w.changes(s))
}

// encodeRemoved writes the removed components of a member, if the current body contains structure.
func (w *Encoder) encodeRemoved(s repl.Slot) {
	out, b := &w.Bodies.w, &w.Bodies.current
	if b.key.Kind != repl.Change {
		return
	}
	removed := w.seen(s, w.state.Slots.RemovedSince(s, b.key.Structure, &b.shapes))
	out.Bool(!removed.IsZero())
	if !removed.IsZero() {
		b.ChangesStructure = true
		w.sets.Append(out, &removed)
	}
}

// changes returns the components of a member that have values in the current body.
func (w *Encoder) changes(s repl.Slot) set.Mask {
	b := &w.Bodies.current
	changed := w.seen(s, w.state.Slots.ChangedSince(s, b.key.Base, &b.bases))
	if b.key.Kind == repl.Change && w.state.Slots.InsertedSince(s, &changed, b.key.Structure, &b.shapes) {
		b.ChangesStructure = true
	}
	return changed
}

// encodeValue writes one value: as the difference from the peer's baseline, if the component is
// sent so.
func (w *Encoder) encodeValue(s repl.Slot, c int) {
	b := &w.Bodies
	if b.current.key.Kind != repl.Update || !w.deltas.Has(c) {
		w.src.Encode(&b.w, s, c, &b.refs)
		return
	}
	oldest := w.state.Tick - repl.MaxPrev // oldest baseline of any difference
	if from := b.current.key.from(); from.Differs(w.state.Tick) {
		lo, hi := w.differ.EncodeFrom(&b.w, s, c, w.state.Tick, from, &b.refs)
		b.current.bases.Intersect(group.Span{Lo: lo, Hi: hi})
		b.current.bases.Intersect(group.Span{Lo: oldest, Hi: hi})
		b.current.bases.Intersect(w.remembered(from))
		return
	}
	w.src.Encode(&b.w, s, c, &b.refs)
	b.current.bases.Intersect(group.Span{Lo: b.current.bases.Lo, Hi: oldest})
}

// remembered returns the baselines for which, as for this one, the previous baseline is used, or is
// not. It is used as long as both sides remember it. All of these baselines have the same distance
// from the previous one.
func (w *Encoder) remembered(from repl.From) group.Span {
	s, first := group.AllTime(w.state.Tick), w.state.Tick-repl.MaxPrev+entangle.Tick(from.Prev)
	switch _, moves := from.Older(w.state.Tick); {
	case moves:
		s.Lo = first
	case from.Prev > 0:
		s.Hi = first
	}
	return s
}

func (w *Encoder) encodeValues(s repl.Slot, comps set.Mask) {
	w.Bodies.sets.Append(&w.Bodies.w, w.sets, &comps)
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

// encodeLeavers writes the entities that left the group. A full and the end of a group name only
// those that still exist: an entity that they do not name is despawned.
func (w *Encoder) encodeLeavers(id ident.Group) {
	out, gr := &w.Bodies.w, &w.state.Groups[id]
	w.sorted = w.sorted[:0]
	for i := range gr.Left {
		if w.tells(&gr.Left[i]) {
			w.sorted = append(w.sorted, gr.Left[i])
		}
	}
	if w.Bodies.current.key.Retained {
		w.hideMembers(gr)
	}
	out.Bool(len(w.sorted) > 0)
	if len(w.sorted) == 0 {
		return
	}
	w.Bodies.current.ChangesStructure = true
	var numbers repl.Numbers
	slices.SortFunc(w.sorted, func(a, b group.Leaver) int { return int(a.Number) - int(b.Number) })
	for i := range w.sorted {
		numbers.Append(out, w.sorted[i].Number)
		repl.AppendFate(out, w.fate(&w.sorted[i]))
	}
	numbers.End(out)
}

// hideMembers adds the members that its reader can no longer see to the leavers of a retained
// group.
func (w *Encoder) hideMembers(gr *group.Group) {
	for i := range gr.Members {
		if h := w.takenAway(&gr.Members[i]); h.Whole {
			w.sorted = append(w.sorted, group.Leaver{Slot: repl.NoSlot, Number: h.Number, Fate: repl.Despawned})
		}
	}
}

// tells reports whether the current body names a leaver. It omits a leaver that the reader does not
// have.
func (w *Encoder) tells(l *group.Leaver) bool {
	b := &w.Bodies.current
	if b.key.Reader != nil && l.Slot != repl.NoSlot && b.key.Kind == repl.Change && !b.key.Reader.Gets(l.Slot) && b.key.Reader.KeepsMoved(l.Slot) {
		return false
	}
	if h, _ := w.state.Views.Hidden(b.key.View, l.Number); h.Whole && w.fate(l) != repl.Moved {
		return false
	}
	if b.key.Kind != repl.Change && w.fate(l) == repl.Despawned {
		return false
	}
	if b.key.AllMoved {
		return true
	}
	if b.key.Retained {
		return !b.key.AsOf.Before(l.Joined) && b.shapes.Narrow(b.key.Structure, l.Left)
	}
	return !b.shapes.Narrow(b.key.Structure, l.Joined) && b.shapes.Narrow(b.key.Structure, l.Left)
}

// fate returns the fate of a leaver for the peer that the current body is for. An entity that was orphaned after it
// was hidden from the peer is despawned there, although the end of its group still waits to be sent.
func (w *Encoder) fate(l *group.Leaver) repl.Fate {
	b := &w.Bodies.current
	if l.Fate == repl.Orphaned && b.hidden.Narrow(b.key.HiddenSince, l.Left) || l.Fate == repl.Moved && b.key.Reader != nil && !b.key.Reader.Gets(l.Slot) {
		return repl.Despawned
	}
	return l.Fate
}

// encodeMembers writes the members of a full or a change. Joining members come first: all of them
// exist when the values, which may refer to them, are read.
func (w *Encoder) encodeMembers(id ident.Group) {
	out, gr, full := &w.Bodies.w, &w.state.Groups[id], w.Bodies.current.key.Kind == repl.Full
	m := w.sole(gr)
	alone := m != nil && !w.state.IsPaused(m.Slot)
	if full {
		alone = alone && w.state.IsNative(id, m)
	} else {
		alone = alone && !w.joins(m)
	}
	out.Bool(alone)
	switch {
	case alone && full:
		w.encodeWhole(m.Slot)
	case alone:
		w.encodeChanges(m.Slot)
	default:
		w.encodeJoins(id)
		if !full {
			w.encodeChanged(gr)
		}
	}
}

func (w *Encoder) encodeJoins(id ident.Group) {
	var numbers repl.Numbers
	out, gr, full := &w.Bodies.w, &w.state.Groups[id], w.Bodies.current.key.Kind == repl.Full
	for i := range gr.Members {
		m := &gr.Members[i]
		rests := w.keeps(m)
		if !w.joins(m) || w.hidden(m) || rests && !full {
			continue
		}
		numbers.Append(out, m.Number)
		w.Bodies.current.ChangesStructure = true
		if full {
			out.Bool(rests)
		}
		if !rests {
			w.encodeName(id, m)
		}
	}
	numbers.End(out)
	w.Bodies.sets.Begin()
	for i := range gr.Members {
		if m := &gr.Members[i]; w.joins(m) && !w.hidden(m) && !w.keeps(m) {
			w.encodeWhole(m.Slot)
		}
	}
}

// keeps reports whether the reader of the current body keeps a member unchanged.
func (w *Encoder) keeps(m *group.Member) bool {
	key := &w.Bodies.current.key
	return w.state.IsFrozen(m) && !(key.Resync && !key.AsOf.Before(m.Joined))
}

// encodeName writes the name of an entity that joins: its number in this group, or a reference.
func (w *Encoder) encodeName(id ident.Group, m *group.Member) {
	index := uint32(0)
	if !w.state.IsNative(id, m) {
		index = w.Bodies.refs.Index(m.Slot)
	}
	repl.AppendJoiner(&w.Bodies.w, index)
}

func (w *Encoder) encodeWhole(s repl.Slot) { w.encodeValues(s, w.seen(s, w.state.Slots.Mask[s])) }
