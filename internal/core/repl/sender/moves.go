package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// A move has two halves: the action of the old group removes the entity, that of the new group
// takes it in. A peer is sent both in the same tick or neither, so that it has the entity in one
// group at any time. Groups connected by moves that a peer has not received form a unit.

// units is the decisions on units in one tick.
type units struct {
	tick   entangle.Tick
	judged map[ident.Group]bool // whether the group's unit can be sent
	owed   int                  // groups of units that were begun, and are not sent yet
	stack  []ident.Group
	unit   []ident.Group
}

func (u *units) beginTick(tick entangle.Tick) {
	if u.tick != tick {
		u.tick, u.owed = tick, 0
		clear(u.judged)
	}
}

// sent removes a group from the count of owed ones.
func (u *units) sent(id ident.Group) {
	if u.judged[id] {
		delete(u.judged, id)
		u.owed--
	}
}

// together reports whether a group may be sent now: it has no part in a move, or all groups of its
// unit can go in this tick.
func (p *Peer) together(sp *group.Space, i int) bool {
	id := sp.Group(i)
	if ok, judged := p.units.judged[id]; judged {
		return ok
	}
	if !p.partners(id, sp, i, nil) {
		return true
	}
	u := &p.units
	u.unit, u.stack = u.unit[:0], append(u.stack[:0], id)
	ok := true
	for len(u.stack) > 0 {
		id := u.stack[len(u.stack)-1]
		u.stack = u.stack[:len(u.stack)-1]
		if slices.Contains(u.unit, id) {
			continue
		}
		u.unit = append(u.unit, id)
		sp, i := p.groups.Locate(id)
		if i < 0 || !p.sendable(sp, i) {
			ok = false
			continue
		}
		p.partners(id, sp, i, &u.stack)
	}
	for _, id := range u.unit {
		u.judged[id] = ok
	}
	if ok {
		u.owed += len(u.unit)
	}
	return ok
}

// sendable reports whether a group's action can go in this tick.
func (p *Peer) sendable(sp *group.Space, i int) bool {
	if !sp.StructureDue.Has(i) {
		return false
	}
	_, _, ok := p.action(sp, i)
	return ok
}

// maxPartners is the number of groups to wait for that a group's action keeps room for.
const maxPartners = 64

// partners finds the groups connected with a group by moves that the peer has not received, and
// reports whether there are any.
func (p *Peer) partners(id ident.Group, sp *group.Space, i int, out *[]ident.Group) (some bool) {
	w, gr := p.world, &p.state.Groups[id]
	note := func(other ident.Group) {
		some = true
		if out != nil {
			*out = append(*out, other)
		}
	}
	for k := range gr.Left {
		l := &gr.Left[k]
		if l.Fate != repl.Moved || !sp.HasLeaver(i, l) {
			continue
		}
		if to := w.state.Slots.Group[l.Slot]; to != id && p.groups.CanReceive(l.Slot) {
			note(to)
		}
	}
	if len(w.state.Trails) == 0 || !p.groups.SeesGroup(id) {
		return some
	}
	for k := range gr.Members {
		p.groups.EachFormerGroup(gr.Members[k].Slot, id, note)
	}
	return some
}

// findNeeds collects the groups that an action has to wait for at the peer: those that members came
// from, even by way of other groups or while invisible. A group that has reached the tick at which
// the member left no longer holds it.
func (p *Peer) findNeeds(sp *group.Space, i int, rec *repl.Record) {
	w, id := p.world, sp.Group(i)
	p.needs = p.needs[:0]
	if rec.Kind == repl.Gone || len(w.state.Trails) == 0 {
		return
	}
	gr := &w.state.Groups[id]
	for k := range gr.Members {
		m := &gr.Members[k]
		if (rec.Kind == repl.Full || sp.StructureAsOf[i].Before(m.WholeSince)) && len(w.state.Trails[m.Slot]) > 0 && p.groups.SeesEntity(m.Slot) {
			p.needTrail(m.Slot, id)
		}
	}
}

// needTrail adds the needs of one entity.
func (p *Peer) needTrail(s repl.Slot, into ident.Group) {
	w := p.world
	for _, from := range w.state.Trails[s] {
		sp, i := p.groups.Locate(from)
		if i < 0 || from == into {
			continue
		}
		h := sp.First + repl.Handle(i)
		for k := range w.state.Groups[from].Left {
			switch l := &w.state.Groups[from].Left[k]; {
			case l.Slot != s:
			case sp.HasLeaver(i, l):
				p.need(repl.Need{Group: h, Tick: w.state.Tick}) // it is sent in this tick, too
			case sp.AsOf(i).Before(l.Joined): // the peer never had it there
			case sp.StructureSent[i].Before(l.Left): // the group ended before, or it left while it was hidden
				p.needSent(h, sp.StructureSent[i])
			default:
				p.needSent(h, l.Left)
			}
		}
	}
}

// needSent adds the need of a tick at which the peer was sent structure of a group, unless the peer
// has acknowledged it. When leavers are forgotten depends on other peers, and must not change needs.
func (p *Peer) needSent(group repl.Handle, tick entangle.Tick) {
	if p.actions.IsPending(group, tick) {
		p.need(repl.Need{Group: group, Tick: tick})
	}
}

func (p *Peer) need(n repl.Need) {
	for i := range p.needs {
		if p.needs[i].Group == n.Group {
			if p.needs[i].Tick.Before(n.Tick) {
				p.needs[i].Tick = n.Tick
			}
			return
		}
	}
	p.needs = append(p.needs, n)
}
