package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// A move has two halves: the action of the old group removes the entity, and that of the new group adds it. Groups that
// are connected by moves that the peer was not sent form a unit. All actions of a unit are sent in one tick, and the peer
// applies them in one step, so that it has the entity in one group at any time. An entity may also come from a group of
// which the peer was sent already that the entity left, or may have been hidden on the way. If the peer has not
// acknowledged that, the unit needs it. So a unit may consist of one group.

// units is the decisions on units in one tick, and the unit that is being sent.
type units struct {
	tick  entangle.Tick
	found map[ident.GroupIndex]bool // groups of units that are not sent in this tick; while findUnit searches, true for those of its unit
	stack []ident.GroupIndex        // scratch of findUnit

	rest   []ident.GroupIndex // of the unit, the groups that are not sent yet, by rising handle
	groups []ident.GroupIndex // memory of rest
	head   repl.UnitHead      // of the next part
}

func (u *units) beginTick(tick entangle.Tick) {
	if u.tick != tick {
		u.tick, u.head.Number = tick, 0
		clear(u.found)
	}
}

// findUnit finds the unit of a group with a prepared action. ok reports whether all its actions can be sent by appendUnit, in
// this tick and this message.
func (a *actions) findUnit(sp *group.Space, i int, rec *repl.Record) (inUnit, ok bool) {
	u, id := &a.units, sp.Group(i)
	if _, waits := u.found[id]; waits {
		return true, false
	}
	u.stack, u.head.Needs, u.head.Part = a.appendPartners(u.stack[:0], id, sp, i), u.head.Needs[:0], 0
	if len(u.stack) == 0 {
		if a.addNeeds(sp, i, rec.Kind); len(u.head.Needs) == 0 && a.head != ofUnits {
			return false, true
		}
		u.head.Needs = u.head.Needs[:0]
	}
	if a.head == ofSingles { // the next message begins here: no search now, which each group of the unit would repeat
		a.next = min(a.next, rec.Group)
		return true, false
	}
	u.groups, ok = u.groups[:0], true
	for u.stack = append(u.stack, id); len(u.stack) > 0; {
		id := u.stack[len(u.stack)-1]
		u.stack = u.stack[:len(u.stack)-1]
		if u.found[id] {
			continue
		}
		u.found[id] = true
		u.groups = append(u.groups, id)
		sp, i := a.groups.Locate(id)
		_, _, can := a.prepareAction(sp, i)
		if ok = ok && can; can {
			u.stack = a.appendPartners(u.stack, id, sp, i)
		}
	}
	for k := 0; ok && k < len(u.groups); k++ {
		sp, i := a.groups.Locate(u.groups[k])
		kind, _ := a.actionKind(sp, i, u.groups[k])
		a.addNeeds(sp, i, kind)
	}
	slices.SortFunc(u.head.Needs, func(x, y repl.Need) int { return int(x.Group) - int(y.Group) })
	u.head.Needs = slices.Compact(u.head.Needs)
	ok = ok && len(u.head.Needs) <= repl.MaxNeeds
	for _, id := range u.groups {
		if u.found[id] = false; ok {
			delete(u.found, id)
		}
	}
	slices.SortFunc(u.groups, func(x, y ident.GroupIndex) int { return int(a.handleOf(x)) - int(a.handleOf(y)) })
	return true, ok
}

// handleOf returns the handle of a group that has one at the peer.
func (a *actions) handleOf(id ident.GroupIndex) repl.Handle {
	sp, i := a.groups.Locate(id)
	return sp.First + repl.Handle(i)
}

// appendUnit writes the unit that findUnit found, or what is left of it. done is false if there is no room for all of it:
// then it is continued in the next message, or begins there.
func (a *actions) appendUnit(room int) (done bool) {
	u := &a.units
	if len(u.rest) == 0 {
		if a.head != headUnwritten && a.w.LenBits()+a.unitBits() > room {
			return false
		}
		u.rest = u.groups
	}
	a.beginMessage(ofUnits)
	a.w.Bool(true) // a part follows
	u.head.Append(&a.w, a.state.Tick)
	heads := repl.Heads{Tick: a.state.Tick}
	for filled := u.head.Part == 0 && len(u.head.Needs) > 0; len(u.rest) > 0; filled = true {
		sp, i := a.groups.Locate(u.rest[0])
		rec, b, _ := a.prepareAction(sp, i) // as in findUnit
		if filled && !a.hasRoom(b, room) {
			break
		}
		a.appendAction(&heads, &rec, b)
		a.noteSent(sp, i, 1, &rec)
		u.rest = u.rest[1:]
	}
	heads.End(&a.w)
	done = len(u.rest) == 0
	a.w.Bool(done)
	if u.head.Part++; done {
		u.head.Number++
	}
	return done
}

// unitBits returns an upper bound of the size in bits of the unit that findUnit found.
func (a *actions) unitBits() (bits int) {
	bits = 1 + repl.UnitHeadBits(len(a.units.head.Needs))
	for _, id := range a.units.groups {
		_, b, _ := a.prepareAction(a.groups.Locate(id))
		bits += a.actionBits(b)
	}
	return bits
}

// appendPartners appends the groups to or from which entities moved without the peer having been sent that, but those that
// findUnit found already. It may append a group several times.
func (a *actions) appendPartners(out []ident.GroupIndex, id ident.GroupIndex, sp *group.Space, i int) []ident.GroupIndex {
	gr := &a.state.Groups[id]
	for k := range gr.Left {
		l := &gr.Left[k]
		if l.Fate != repl.Moved || !sp.HasLeaver(i, l) {
			continue
		}
		if to := a.state.Slots.Group[l.Slot]; to != id && !a.units.found[to] && a.groups.CanReceive(l.Slot) {
			out = append(out, to)
		}
	}
	if len(a.state.Trails.Of) == 0 {
		return out
	}
	for k := range gr.Members {
		out = a.groups.AppendFormerGroups(out, gr.Members[k].Slot, id, a.units.found)
	}
	return out
}

// addNeeds adds to the needs of the unit the former groups of the entities that join a group, if the peer may not have
// applied all that it was sent of them, once for each entity. Groups of the unit are no needs: their actions have
// baselines.
func (a *actions) addNeeds(sp *group.Space, i int, kind repl.Kind) {
	if len(a.state.Trails.Of) == 0 {
		return
	}
	id := sp.Group(i)
	members := a.state.Groups[id].Members
	for k := range members {
		m := &members[k]
		if joins := kind == repl.Full || sp.StructureAsOf[i].Before(m.WholeSince); !joins {
			continue
		}
		trail := a.state.Trails.Of[m.Slot]
		if len(trail) == 0 || !a.groups.SeesEntity(m.Slot) {
			continue
		}
		for _, from := range trail {
			of, at := a.groups.Locate(from)
			if at < 0 || of.Unacked[at] == 0 || from == id || a.units.found[from] {
				continue
			}
			n := repl.Need{Group: of.First + repl.Handle(at), Tick: of.ActionSent[at]}
			if a.mayStillHave(of, at, m.Slot) {
				a.units.head.Needs = append(a.units.head.Needs, n)
			}
		}
	}
}

// mayStillHave reports whether the peer may not have applied yet that an entity left a group. That follows from its own
// acknowledgements, and not from whether the leaver still exists, which depends on other peers (V13).
func (a *actions) mayStillHave(sp *group.Space, i int, s repl.Slot) bool {
	applied := a.messages.AppliedUpTo(sp.First+repl.Handle(i), a.state.Tick)
	left := a.state.Groups[sp.Group(i)].Left
	for k := len(left) - 1; k >= 0 && applied.Before(left[k].Left); k-- {
		if left[k].Slot == s && !sp.MembersAsOf(i).Before(left[k].Joined) {
			return true
		}
	}
	return false
}
