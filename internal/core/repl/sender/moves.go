package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// A move has two halves: the action of the old group removes the entity, and that of the new group adds it. A peer is
// sent both in the same tick or neither, so that it has the entity in one group at any time. Groups that are connected
// by moves that the peer was not sent form a unit. All actions of a unit are sent in one tick.

// units is the decisions on units in one tick.
type units struct {
	tick    entangle.Tick
	decided map[ident.GroupIndex]bool // by unsent group: whether its unit is sent in this tick
	unsent  int                       // number of groups that are not sent yet, of units that are sent in this tick
	stack   []ident.GroupIndex        // scratch of canSendUnit
	unit    []ident.GroupIndex        // scratch of canSendUnit
}

func (u *units) beginTick(tick entangle.Tick) {
	if u.tick != tick {
		u.tick, u.unsent = tick, 0
		clear(u.decided)
	}
}

// markSent removes groups from the count of owed ones.
func (u *units) markSent(groups []ident.GroupIndex) {
	for k := 0; u.unsent > 0 && k < len(groups); k++ {
		if u.decided[groups[k]] {
			delete(u.decided, groups[k])
			u.unsent--
		}
	}
}

// canSendUnit reports whether the action of a group may be sent now: it belongs to no unit, or all groups of its unit can
// be sent in this tick.
func (st *structure) canSendUnit(sp *group.Space, i int) bool {
	id := sp.Group(i)
	if ok, judged := st.units.decided[id]; judged {
		return ok
	}
	u := &st.units
	if u.stack = st.appendPartners(u.stack[:0], id, sp, i); len(u.stack) == 0 {
		return true
	}
	u.unit, u.stack = u.unit[:0], append(u.stack, id)
	ok := true
	for len(u.stack) > 0 {
		id := u.stack[len(u.stack)-1]
		u.stack = u.stack[:len(u.stack)-1]
		if slices.Contains(u.unit, id) {
			continue
		}
		u.unit = append(u.unit, id)
		sp, i := st.groups.Locate(id)
		if i < 0 || !st.canSendAction(sp, i) {
			ok = false
			continue
		}
		u.stack = st.appendPartners(u.stack, id, sp, i)
	}
	for _, id := range u.unit {
		u.decided[id] = ok
	}
	if ok {
		u.unsent += len(u.unit)
	}
	return ok
}

// canSendAction reports whether a group has a due action that can be sent in this tick.
func (st *structure) canSendAction(sp *group.Space, i int) bool {
	if !sp.StructureDue.Has(i) {
		return false
	}
	_, _, ok := st.prepareAction(sp, i)
	return ok
}

// maxPartners is the number of needs for which the size limit of an action keeps room.
const maxPartners = 64

// appendPartners appends the groups to or from which entities moved without the peer having been sent that, unless out has
// them already.
func (st *structure) appendPartners(out []ident.GroupIndex, id ident.GroupIndex, sp *group.Space, i int) []ident.GroupIndex {
	gr := &st.state.Groups[id]
	for k := range gr.Left {
		l := &gr.Left[k]
		if l.Fate != repl.Moved || !sp.HasLeaver(i, l) {
			continue
		}
		if to := st.state.Slots.Group[l.Slot]; to != id && !slices.Contains(out, to) && st.groups.CanReceive(l.Slot) {
			out = append(out, to)
		}
	}
	if len(st.state.Trails.Of) == 0 || !st.groups.SeesGroup(id) {
		return out
	}
	for k := range gr.Members {
		out = st.groups.AppendFormerGroups(out, gr.Members[k].Slot, id)
	}
	return out
}

// findNeeds collects in needs the groups for which an action has to wait at the peer: all former groups of its joining
// members, even if the peer did not see the member in between. A former group no longer has the member as of the tick
// at which it left.
func (st *structure) findNeeds(sp *group.Space, i int, rec *repl.Record) {
	id := sp.Group(i)
	if rec.Kind == repl.Gone || len(st.state.Trails.Of) == 0 {
		return
	}
	gr := &st.state.Groups[id]
	for k := range gr.Members {
		m := &gr.Members[k]
		if (rec.Kind == repl.Full || sp.StructureAsOf[i].Before(m.WholeSince)) && len(st.state.Trails.Of[m.Slot]) > 0 && st.groups.SeesEntity(m.Slot) {
			st.addTrailNeeds(m.Slot, id)
		}
	}
}

// addTrailNeeds adds the former groups of one entity to the needs. Whether the peer has applied all that it was sent of
// a former group follows from its own acknowledgements, and not from whether the leaver still exists, which depends on
// other peers.
func (st *structure) addTrailNeeds(s repl.Slot, into ident.GroupIndex) {
	for _, from := range st.state.Trails.Of[s] {
		sp, i := st.groups.Locate(from)
		if i < 0 || from == into {
			continue
		}
		h, left := sp.First+repl.Handle(i), st.state.Groups[from].Left
		if len(left) == 0 || st.needsLatest(sp, i, h, left[len(left)-1].Left) {
			continue // otherwise thousands of members that moved would each be looked up among as many leavers
		}
		pending := sp.Unacked[i] != 0
		for k := len(left) - 1; k >= 0 && (pending || sp.StructureAsOf[i].Before(left[k].Left)); k-- { // see StillHas
			switch l := &left[k]; {
			case l.Slot != s:
			case sp.HasLeaver(i, l):
				st.addNeed(repl.Need{Group: h, Tick: st.state.Tick}) // the removal is sent in this tick as well
			case !pending || sp.MembersAsOf(i).Before(l.Joined): // the peer has applied all that it was sent, or never had the entity there
			case sp.ActionSent[i].Before(l.Left): // the group ended at the peer before the entity left, or the leaving is hidden
				st.addNeed(repl.Need{Group: h, Tick: sp.ActionSent[i]})
			default:
				st.addNeed(repl.Need{Group: h, Tick: l.Left})
			}
		}
	}
}

// needsLatest reports whether the needs have the latest tick that addTrailNeeds could add for a group. left is the tick at
// which its last leaver left.
func (st *structure) needsLatest(sp *group.Space, i int, h repl.Handle, left entangle.Tick) bool {
	if sp.StructureAsOf[i].Before(left) {
		left = st.state.Tick
	}
	return slices.ContainsFunc(st.needs, func(n repl.Need) bool { return n.Group == h && !n.Tick.Before(left) })
}

// addNeed adds a need, or moves the need of the same group to a later tick.
func (st *structure) addNeed(n repl.Need) {
	for i := range st.needs {
		if st.needs[i].Group == n.Group {
			if st.needs[i].Tick.Before(n.Tick) {
				st.needs[i].Tick = n.Tick
			}
			return
		}
	}
	st.needs = append(st.needs, n)
}
