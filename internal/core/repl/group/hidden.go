package group

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// HasVisibleChange reports whether values that a view shows of a group changed after a tick. A hidden change
// does not cause data in flight to be resent.
func (st *State) HasVisibleChange(id ident.GroupIndex, v view.ID, after entangle.Tick) bool {
	t, any := &st.Slots, AllTime(st.Tick)
	for i := range st.Groups[id].Members {
		m := &st.Groups[id].Members[i]
		if st.IsPaused(m.Slot) || !after.Before(t.Touched[m.Slot]) {
			continue
		}
		h, _ := st.Views.Hidden(v, m.Number)
		if changed := t.ChangedSince(m.Slot, after, &any).Without(h.Comps); !h.Whole && !changed.IsZero() {
			return true
		}
	}
	return false
}

// HasVisibleActive reports whether a view shows a member of a group that does not rest.
func (st *State) HasVisibleActive(id ident.GroupIndex, v view.ID) bool {
	return slices.ContainsFunc(st.Groups[id].Members, func(m Member) bool {
		return !st.Views.HidesMember(v, m.Number) && !st.IsFrozen(&m)
	})
}

// HiddenMembers returns the hidden parts of a group, by number. Hidden parts of entities that left the
// group stay hidden, or the peer would learn that they left.
func (st *State) HiddenMembers(id ident.GroupIndex, was view.ID, hidden []view.Hidden) []view.HiddenMember {
	parts := st.Views.Scratch[:0]
	for i := range hidden {
		h := &hidden[i]
		if st.Slots.Used.Has(int(h.Slot)) && st.Slots.Group[h.Slot] == id && (h.Whole || !h.Comps.IsZero()) {
			part := view.HiddenMember{Number: st.Slots.NumberHere[h.Slot], Whole: h.Whole}
			if !h.Whole {
				part.Comps = h.Comps
			}
			parts = append(parts, part)
		}
	}
	parts = st.AppendHiddenLeavers(parts, id, was)
	st.Views.Scratch = parts
	return parts
}

// ViewsDiffer reports whether two views differ in the parts of a group that they show to a peer to
// which its structure was last sent at a tick: for entities that came since, only the new view
// counts.
func (st *State) ViewsDiffer(id ident.GroupIndex, a, b view.ID, sent entangle.Tick) bool {
	for i := range st.Groups[id].Members {
		m := &st.Groups[id].Members[i]
		if sent.Before(m.Joined) {
			continue
		}
		was, _ := st.Views.Hidden(a, m.Number)
		if is, _ := st.Views.Hidden(b, m.Number); is != was {
			return true
		}
	}
	return false
}

// NarrowRetained hides more of a member of a retained group. It returns the parts that the new view
// hides, and those of them that the peer lacks already: the view hides only these until the peer
// was sent the removal of the others.
func (st *State) NarrowRetained(m *Member, has view.ID, h view.HiddenMember, asOf entangle.Tick) (to, lacks view.HiddenMember) {
	lacks, _ = st.Views.Hidden(has, m.Number)
	lacks.Number = m.Number
	if lacks.Whole {
		return lacks, lacks
	}
	if to = (view.HiddenMember{Number: m.Number, Whole: h.Whole}); !h.Whole {
		to.Comps = lacks.Comps.Or(h.Comps)
	}
	switch {
	case asOf.Before(m.Joined): // the peer does not have the member
		return to, to
	case !h.Whole:
		lacks.Comps = to.Comps.Without(st.MayHaveHad(m.Slot, h.Comps.Without(lacks.Comps), asOf))
	}
	return to, lacks
}

// MayHaveHad returns those of the given components that an entity may have had at a tick.
func (st *State) MayHaveHad(s repl.Slot, comps set.Mask, tick entangle.Tick) set.Mask {
	for c := comps.Next(0); c >= 0; c = comps.Next(c + 1) {
		if !st.Slots.Mask[s].Has(c) && !tick.Before(st.Slots.presenceChanged[c][s]) {
			comps.Clear(c)
		}
	}
	return comps
}

// AppendHiddenLeavers adds the parts of a view that hide whole members which have left the group since. It sorts all
// parts.
func (st *State) AppendHiddenLeavers(parts []view.HiddenMember, id ident.GroupIndex, v view.ID) []view.HiddenMember {
	for k := 0; v != 0 && k < len(st.Groups[id].Left); k++ {
		if h, some := st.Views.Hidden(v, st.Groups[id].Left[k].Number); some && h.Whole {
			parts = append(parts, h)
		}
	}
	slices.SortFunc(parts, view.CompareNumbers)
	return parts
}

// InsertedNow returns the components that came to an entity in the present tick, and that it
// lacked at an earlier one.
func (st *State) InsertedNow(s repl.Slot, tick entangle.Tick) (lacks set.Mask) {
	for n := st.Slots.lastInsert[s]; n != 0; n = st.Slots.inserts[n-1].next {
		if in := &st.Slots.inserts[n-1]; !tick.Before(in.since) {
			lacks.Set(int(in.comp))
		}
	}
	return lacks
}

// WithHiddenComponents returns the parts that a view hides, and components of a member.
func (st *State) WithHiddenComponents(v view.ID, n repl.Member, comps set.Mask) []view.HiddenMember {
	parts := slices.Clone(st.Views.HiddenMembers(v))
	k, some := slices.BinarySearchFunc(parts, view.HiddenMember{Number: n}, view.CompareNumbers)
	switch {
	case comps.IsZero(), some && parts[k].Whole:
		return parts
	case !some:
		parts = slices.Insert(parts, k, view.HiddenMember{Number: n})
	}
	parts[k].Comps = parts[k].Comps.Or(comps)
	return parts
}
