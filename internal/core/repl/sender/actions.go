package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/core/repl/flight"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// ActionsDue reports whether structure waits to be sent.
func (p *Peer) ActionsDue() bool {
	return !p.groups.Public.StructureDue.Empty() || !p.groups.Private.StructureDue.Empty() || !p.groups.Public.NeedsFull.Empty() || !p.groups.Private.NeedsFull.Empty()
}

// ActionsOwed reports whether actions of this tick were promised to the peer by
// others that were sent. AppendActions is then to be called on until it appends
// nothing, whatever waits in the channel already.
func (p *Peer) ActionsOwed() bool { return p.units.owed > 0 }

// AppendActions writes one message for a reliable unordered channel: the tick, then records of the
// groups with due structure, as many as fit into room bytes; a record larger than that goes alone.
// It returns dst unchanged when nothing can be sent now. The caller sends the message and calls
// ActionsSent with the name by which it will be acknowledged.
func (p *Peer) AppendActions(dst []byte, room int) []byte {
	w := p.world
	if w.held {
		return dst
	}
	p.makeFullsDue()
	p.units.beginTick(w.state.Tick)
	heads := repl.Heads{Tick: w.state.Tick}
	p.w.Reset(dst)
	p.w.Bits(uint64(w.state.Tick), tickBits)
	p.actions.Begin(w.state.Tick, w.state.Ended)
	p.begins = 0
	p.takeTurns(&heads, room*8)
	if p.actions.LastIsEmpty() {
		p.actions.Cancel()
		return dst
	}
	heads.End(&p.w)
	b := p.w.Finish()
	p.actions.ScheduleRepeats(len(b)-len(dst), w.state.Tick)
	return b
}

// takeTurns writes the actions of one message. It goes on where the last one had no more room,
// or what changes all the time under low handles would keep all others waiting for ever. What
// was promised by others may be due under any handle, and does not wait for its turn.
func (p *Peer) takeTurns(heads *repl.Heads, room int) {
	if p.units.owed > 0 {
		p.appendActionsFrom(heads, 0, room)
		return
	}
	begun := p.turn
	p.turn = p.appendActionsFrom(heads, begun, room)
	if begun > 0 && p.actions.LastIsEmpty() {
		p.turn = p.appendActionsFrom(heads, 0, room)
	}
}

// appendActionsFrom writes the actions of groups from a handle on, and returns the first for
// which there was no room, or 0.
func (p *Peer) appendActionsFrom(heads *repl.Heads, from repl.Handle, room int) (next repl.Handle) {
	if !from.Private() {
		if i := p.appendActions(heads, &p.groups.Public, int(from), room); i >= 0 {
			return repl.Handle(i)
		}
		from = repl.Private
	}
	if i := p.appendActions(heads, &p.groups.Private, int(from-repl.Private), room); i >= 0 {
		return repl.Private + repl.Handle(i)
	}
	return 0
}

// appendActions writes the actions of one space from an index on, and returns the first for
// which there was no room, or -1.
func (p *Peer) appendActions(heads *repl.Heads, sp *group.Space, from, room int) (next int) {
	for i := sp.StructureDue.Next(from); i >= 0; i = sp.StructureDue.Next(i + 1) {
		if sp == &p.groups.Public {
			n := p.appendSpawns(heads, i, room)
			if n == 0 {
				n = p.appendEnds(heads, i, room)
			}
			if n > 0 {
				i += n - 1
				continue
			}
		}
		rec, b, ok := p.action(sp, i)
		if !ok || !p.together(sp, i) {
			continue
		}
		p.findNeeds(sp, i, &rec)
		p.findPredicted(sp, i, rec.Kind)
		if p.w.LenBits()+p.actionBits(b, len(p.needs))+p.stated.set.Bits() > room && !p.actions.LastIsEmpty() {
			return i
		}
		p.appendAction(heads, &rec, b)
		p.sentAction(sp, i, &rec)
	}
	return -1
}

// windowFull is the bit of the oldest action that may be under way. While it is,
// no further one is sent: the receiver could not tell their sequences apart.
const windowFull = 1 << (repl.MaxActionsInFlight - 1)

// action decides what a group's structure needs at this peer. It is not ok when
// nothing can be said: the bit then stays only if there will be something.
func (p *Peer) action(sp *group.Space, i int) (rec repl.Record, b *encode.Body, ok bool) {
	w, id, full := p.world, sp.Group(i), sp.Unacked[i]&windowFull != 0
	if full && sp.ViewOf(i) == 0 && !sp.Retained.Has(i) || sp.Fragmented.Has(i) && sp.Unacked[i] != 0 {
		return rec, nil, false
	}
	rec = repl.Record{Group: sp.First + repl.Handle(i), Seq: sp.Seq[i].Next(), Tick: w.state.Tick, From: repl.From{Base: sp.Base[i]}}
	if rec.Kind, ok = p.actionKind(sp, i, id); !ok {
		return rec, nil, false
	}
	if rec.Kind == repl.Full {
		rec.Generation = sp.IDs.Generation(i)
	}
	if sp.Phase[i] == group.Absent {
		rec.Seq = 0
	}
	b = w.enc.Body(id, p.actionKey(sp, i, rec.Kind))
	if rec.Kind == repl.Change && !b.ChangesStructure && !sp.Fragmented.Has(i) && !p.predictedStale(sp, i) {
		p.upToDate(sp, i) // also in a full window, or structure that the view hides would hold values back
		return rec, nil, false
	}
	if full {
		return rec, nil, false
	}
	p.findPredicted(sp, i, rec.Kind)
	if tickBits+p.actionBits(b, maxPartners)+p.stated.set.Bits() > repl.MaxGroupBytes*8 {
		w.state.MarkTooLarge(id)
		p.unsent(sp, i)
		return rec, nil, false
	}
	if rec.Kind != repl.Gone && !sp.Retained.Has(i) {
		w.state.Groups[id].Withheld = false
	}
	return rec, b, true
}

// actionKind decides of which kind it is. It is not ok when there is nothing to be said, or
// not now.
func (p *Peer) actionKind(sp *group.Space, i int, id ident.Group) (kind repl.Kind, ok bool) {
	w := p.world
	v, vacant := p.vacant[id]
	if vacant && v.lose.IsZero() {
		sp.StructureDue.Clear(i)
		return 0, false
	}
	switch gone := id == ident.NoGroup || !w.state.Groups[id].Open && !vacant || sp.Hidden.Has(i); {
	case gone && sp.Phase[i] != group.Present:
		sp.StructureDue.Clear(i)
		sp.NeedsFull.Clear(i)
		p.unsent(sp, i)
		if sp == &p.groups.Private && sp.Phase[i] == group.Absent {
			p.retire(i)
		}
		return 0, false
	case sp.Phase[i] == group.Present && (sp.Sent[i] == w.state.Tick || sp.StructureSent[i] == w.state.Tick):
		// The peer may hold this tick by now, and would drop another record of it.
		return 0, false
	case sp.Phase[i] == group.Ending, !gone && sp.NeedsFull.Has(i) && sp.Unacked[i] != 0:
		// A full overtakes the actions in flight. Entities that come and go in those would be
		// missed, so it waits.
		return 0, false
	case gone:
		return repl.Gone, true
	case sp.Retained.Has(i):
		return repl.Change, true
	case w.state.Groups[id].TooLarge, sp.Phase[i] != group.Present && !w.state.HasVisibleActive(id, sp.ViewOf(i)):
		if p.unsent(sp, i); sp.Phase[i] != group.Present {
			sp.StructureDue.Clear(i) // a change of its structure or of the view makes it due again
		}
		return 0, false
	case sp.Phase[i] == group.Absent, sp.NeedsFull.Has(i):
		return repl.Full, true
	default:
		return repl.Change, true
	}
}

// upToDate notes that the peer has all of a group's structure that it may see. What
// there is of values goes as an update.
func (p *Peer) upToDate(sp *group.Space, i int) {
	sp.StructureAsOf[i] = p.state.Tick
	sp.StructureDue.Clear(i)
	if !sp.Retained.Has(i) && !p.state.WaitsForTurn(sp.Group(i)) {
		sp.Due.Set(i)
	}
	sp.UpdateSteady(i)
}

// actionKey leaves out what a kind of body does not depend on, so that it is shared
// as widely as it can be.
func (p *Peer) actionKey(sp *group.Space, i int, kind repl.Kind) encode.Key {
	w := p.world
	key := encode.Key{Kind: kind, View: sp.ViewOf(i), Base: w.state.Tick, Structure: w.state.Tick, HiddenSince: w.state.Tick}
	if kind == repl.Change {
		key.Base = sp.Base[i]
	}
	if kind == repl.Gone && sp.Hidden.Has(i) {
		key.HiddenSince = p.hiddenSince(i)
	}
	switch {
	case sp.Phase[i] != group.Present:
	case kind == repl.Full && sp == &p.groups.Public:
		key.AllMoved = true
	default:
		key.Structure = sp.StructureAsOf[i]
	}
	if kind == repl.Full && sp.AwaitsResync.Has(i) {
		key.Resync, key.AsOf = true, sp.AsOf(i)
	}
	if sp.Retained.Has(i) {
		p.retain(&key, sp, i)
	}
	if p.losesSight(sp.Group(i)) {
		key.Reader = (*reader)(p)
	}
	return key
}

// losesSight reports whether an entity left a group for one in which the peer may not
// see it, or can't be told of it.
func (p *Peer) losesSight(id ident.Group) bool {
	w := p.world
	for i := range w.state.Groups[id].Left {
		if l := &w.state.Groups[id].Left[i]; l.Fate == repl.Moved && !l.Progress.Acked && !p.groups.CanReceive(l.Slot) {
			return true
		}
	}
	return false
}

// tickBits is the width of the tick that an action message begins with.
const tickBits = 32

// actionBits bounds what an action takes with all that stands before its body, and
// the end of a message after it.
func (p *Peer) actionBits(b *encode.Body, needs int) int {
	return repl.MaxHeadBits + repl.NeedsBits(needs) + 1 + p.tableBits(b) + b.Width + 2 + 7
}

// tableBits bounds the size of a body's table of references. An entity that has no id at the peer yet gets
// one when the table is written. A table that was full may lack references: it is too large.
func (p *Peer) tableBits(b *encode.Body) (bits int) {
	if bits = repl.MaxRefBits; b.RefCount == repl.MaxGroupRefs {
		return repl.MaxGroupBytes * 8
	}
	for _, s := range p.enc.Bodies.SlotsOf(b) {
		if id, ok := p.Named(s); ok {
			bits += repl.RefBits(id)
		} else {
			bits += repl.MaxRefBits
		}
	}
	return bits
}

func (p *Peer) appendAction(heads *repl.Heads, rec *repl.Record, b *encode.Body) {
	w := p.world
	begins := p.plainFull(rec, b)
	if begins != 0 && begins == p.begins && heads.Follows(rec) {
		if heads.AppendUsual(&p.w); rec.Kind != repl.Gone {
			encode.AppendBits(&p.w, w.enc.Bodies.Bytes(b), b.Prefix, b.Width)
		}
		return
	}
	p.begins = begins
	heads.Append(&p.w, rec)
	if rec.Kind != repl.Gone {
		repl.AppendNeeds(&p.w, rec.Tick, p.needs)
		p.stated.set.Append(&p.w)
		slots := w.enc.Bodies.SlotsOf(b)
		for _, s := range slots {
			p.reserveName(w.state.Slots.Home[s])
			p.groups.MarkReferred(w.state.Slots.Home[s])
		}
		w.enc.AppendRefs(&p.w, slots, (*reader)(p))
	}
	p.w.Copy(w.enc.Bodies.Bytes(b), b.Width)
}

// sentAction notes that an action was sent. It moves the base at once: nothing that
// is sent later applies before it.
func (p *Peer) sentAction(sp *group.Space, i int, rec *repl.Record) {
	tick, after := rec.Tick, sp.StructureSent[i]
	if sp.Phase[i] == group.Absent {
		after = tick - 1 // what the peer had before, it has acknowledged the end of
		p.state.Groups[sp.Group(i)].Holders++
	}
	sp.Phase[i] = group.Present
	sp.WasSent.Set(i)
	if rec.Kind == repl.Gone {
		sp.Phase[i] = group.Ending
		sp.Hidden.Clear(i)
		sp.Retained.Clear(i)
	}
	if rec.Kind != repl.Change {
		sp.AwaitsResync.Clear(i)
		sp.ShownAgain.Clear(i)
	}
	if rec.Kind != repl.Change || sp.Retained.Has(i) {
		p.dropView(sp, i)
	}
	sp.Seq[i] = rec.Seq
	sp.MoveBase(i, tick, tick)
	sp.StructureSent[i], sp.LastAction = tick, tick
	if !p.lostComponents(sp.Group(i)) {
		sp.StructureAsOf[i] = tick
	}
	if !sp.Retained.Has(i) {
		sp.Sent[i] = tick
	}
	sp.Unacked[i] = sp.Unacked[i]<<1 | 1
	sp.ActionInFlight.Set(i)
	sp.StructureDue.Clear(i)
	sp.Due.Clear(i)
	sp.NeedsFull.Clear(i)
	if sp.Predicted.Has(i) {
		p.actions.MarkPredicted()
		p.noteSentPredicted(sp, i)
	}
	sp.UpdateSteady(i)
	p.actions.Add(flight.Action{Group: rec.Group, Groups: 1, Seq: rec.Seq, HasNeeds: rec.Kind != repl.Gone && len(p.needs) > 0, After: after})
	p.units.sent(sp.Group(i))
	p.stats.Actions++
}

// ActionsSent names the message that AppendActions wrote last, and returns of how many
// groups it is.
func (p *Peer) ActionsSent(message uint16) (groups int) {
	m := p.actions.Last()
	m.Number = message
	return m.Groups()
}

// HandleDelivered takes the news that an action message was acknowledged.
func (p *Peer) HandleDelivered(message uint16) { p.actions.HandleDelivered(message, p.onDelivered) }

// delivered lets go of a group once nothing of its life at the peer is under way:
// an end that the peer received may still wait there for an action before it.
func (p *Peer) delivered(a flight.Action) {
	sp, i := p.groups.LocateHandle(a.Group)
	for end := i + int(a.Groups); i < end; i++ {
		if !p.settles(sp, i) {
			p.deliveredOne(sp, i, a.Seq)
			continue
		}
		sp.Unacked[i] = 0
		sp.ActionInFlight.Clear(i)
		if a.Seq == 0 && p.joining.left > 0 {
			p.joined(sp, i)
		}
	}
}

// settles reports whether the action in flight of a group is its only one, and nothing else has to be done
// when it is delivered.
func (p *Peer) settles(sp *group.Space, i int) bool {
	return sp.Unacked[i] == 1 && sp.Phase[i] == group.Present && sp.Base[i] == sp.Sent[i] && !sp.Fragmented.Has(i) && !sp.Predicted.Has(i)
}

func (p *Peer) deliveredOne(sp *group.Space, i int, seq repl.Seq) {
	sp.Unacked[i] &^= 1 << ((sp.Seq[i] - seq) % repl.SeqCycle)
	if seq == 0 {
		p.joined(sp, i) // its full, which comes before all else
	}
	if sp.Unacked[i] != 0 {
		return
	}
	sp.ActionInFlight.Clear(i)
	if updated := sp.Base[i].Before(sp.Sent[i]); updated || sp.Fragmented.Has(i) {
		// Updates that went out meanwhile prove nothing, so what changed is sent once more.
		if updated {
			p.stats.Resent++
		}
		sp.Fragmented.Clear(i)
		sp.NoteDue(i, p.state.Tick)
		sp.Resend(i)
		sp.UpdateSteady(i)
	}
	p.tidyPredicted(sp, i)
	if sp.Phase[i] == group.Ending {
		id := sp.Group(i)
		sp.Phase[i] = group.Absent
		p.state.RemoveHolder(id)
		if sp == &p.groups.Private && !sp.StructureDue.Has(i) {
			p.retire(i)
		}
	}
}
