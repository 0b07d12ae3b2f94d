package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/core/repl/flight"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// ActionsDue reports whether an action of any group is due.
func (p *Peer) ActionsDue() bool {
	return !p.groups.Public.StructureDue.Empty() || !p.groups.Private.StructureDue.Empty() || !p.groups.Public.NeedsFull.Empty() || !p.groups.Private.NeedsFull.Empty()
}

// ActionsOwed reports whether a unit of moves (moves.go) is sent in part. Then AppendActions must be called until it
// appends nothing, even if the channel is congested: the actions that were sent wait at the peer for the others.
func (p *Peer) ActionsOwed() bool { return p.units.unsent > 0 }

// AppendActions writes one message for a reliable unordered channel: the tick, then records of the
// groups with due structure, as many as fit into room bytes; a record larger than that goes alone.
// It returns dst unchanged when nothing can be sent now. The caller sends the message and calls ActionsSent with the
// channel's number of it.
func (p *Peer) AppendActions(dst []byte, room int) []byte {
	if p.enc.Held {
		return dst
	}
	p.makeFullsDue()
	p.units.beginTick(p.state.Tick)
	heads := repl.Heads{Tick: p.state.Tick}
	p.w.Reset(dst)
	p.w.Bits(uint64(p.state.Tick), tickBits)
	p.actions.Begin(p.state.Tick, p.state.Ended)
	p.begins = 0
	p.appendMessageActions(&heads, room*8)
	if p.actions.LastIsEmpty() {
		p.actions.Cancel()
		return dst
	}
	heads.End(&p.w)
	b := p.w.Finish()
	p.actions.ScheduleRepeats(len(b)-len(dst), p.state.Tick)
	return b
}

// appendMessageActions writes the actions of one message. It continues where the last message was full: otherwise
// groups with low handles that change all the time would block all others. Groups of a unit that is sent in part may
// have any handle and come first.
func (p *Peer) appendMessageActions(heads *repl.Heads, room int) {
	if p.units.unsent > 0 {
		p.appendActionsFrom(heads, 0, room)
		return
	}
	begun := p.turn
	p.turn = p.appendActionsFrom(heads, begun, room)
	if begun > 0 && p.actions.LastIsEmpty() {
		p.turn = p.appendActionsFrom(heads, 0, room)
	}
}

// appendActionsFrom writes the due actions of groups from a handle on. It returns the handle of the first group for which
// there was no room, or 0.
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

// appendActions writes the due actions of one space from an index on. It returns the index of the first group for which
// there was no room, or -1.
func (p *Peer) appendActions(heads *repl.Heads, sp *group.Space, from, room int) (next int) {
	for i := sp.StructureDue.Next(from); i >= 0; i = sp.StructureDue.Next(i + 1) {
		p.needs = p.needs[:0]
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
		if !ok || !p.canSendUnit(sp, i) {
			continue
		}
		p.findNeeds(sp, i, &rec)
		p.prediction.findPredicted(sp, i, rec.Kind)
		if p.w.LenBits()+p.actionBits(b, len(p.needs))+p.prediction.stated.set.Bits() > room && !p.actions.LastIsEmpty() {
			return i
		}
		p.appendAction(heads, &rec, b)
		p.noteSent(sp, i, 1, &rec)
	}
	return -1
}

// windowFull is the bit in Space.Unacked of the oldest action that may be in flight. While it is set no further action of
// the group is sent, because sequence numbers would become ambiguous at the receiver.
const windowFull = 1 << (repl.MaxActionsInFlight - 1)

// action returns the due action of a group: its record and its body. ok is false when none can be sent now. StructureDue
// stays set if one will be sent later.
func (p *Peer) action(sp *group.Space, i int) (rec repl.Record, b *encode.Body, ok bool) {
	id, full := sp.Group(i), sp.Unacked[i]&windowFull != 0
	if full && sp.ViewOf(i) == 0 && !sp.Retained.Has(i) || sp.Fragmented.Has(i) && sp.Unacked[i] != 0 {
		return rec, nil, false
	}
	rec = repl.Record{Group: sp.First + repl.Handle(i), Seq: sp.Seq[i].Next(), Tick: p.state.Tick, From: repl.From{Base: sp.Base[i]}}
	if rec.Kind, ok = p.actionKind(sp, i, id); !ok {
		return rec, nil, false
	}
	if rec.Kind == repl.Full {
		rec.Generation = sp.IDs.Generation(i)
	}
	if sp.Phase[i] == group.Absent {
		rec.Seq = 0
	}
	b = p.enc.Body(id, p.actionKey(sp, i, rec.Kind))
	if rec.Kind == repl.Change && !b.ChangesStructure && !sp.Fragmented.Has(i) && !p.prediction.predictedStale(sp, i) {
		p.noteStructureSent(sp, i) // even in a full window, or hidden structure would delay values
		return rec, nil, false
	}
	if full {
		return rec, nil, false
	}
	p.prediction.findPredicted(sp, i, rec.Kind)
	if tickBits+p.actionBits(b, maxPartners)+p.prediction.stated.set.Bits() > repl.MaxGroupBytes*8 {
		p.state.MarkTooLarge(id)
		p.joining.markNotSent(sp, i)
		return rec, nil, false
	}
	if rec.Kind != repl.Gone && !sp.Retained.Has(i) {
		p.state.Groups[id].Withheld = false
	}
	return rec, b, true
}

// actionKind returns the kind of a group's due action. ok is false when there is none, or it has to wait.
func (p *Peer) actionKind(sp *group.Space, i int, id ident.Group) (kind repl.Kind, ok bool) {
	v, vacant := p.visibility.vacant[id]
	if vacant && v.remove.IsZero() {
		sp.StructureDue.Clear(i)
		return 0, false
	}
	switch gone := id == ident.NoGroup || !p.state.Groups[id].Open && !vacant || sp.Hidden.Has(i); {
	case gone && sp.Phase[i] != group.Present:
		sp.StructureDue.Clear(i)
		sp.NeedsFull.Clear(i)
		p.joining.markNotSent(sp, i)
		if sp == &p.groups.Private && sp.Phase[i] == group.Absent {
			p.visibility.retire(i)
		}
		return 0, false
	case sp.Phase[i] == group.Present && (sp.Sent[i] == p.state.Tick || sp.StructureSent[i] == p.state.Tick):
		// The peer may already have the group as of this tick, and would drop another record of the tick.
		return 0, false
	case sp.Phase[i] == group.Ending, !gone && sp.NeedsFull.Has(i) && sp.Unacked[i] != 0:
		// A full overtakes the actions in flight. Entities that come and go in those would be
		// missed, so it waits.
		return 0, false
	case gone:
		return repl.Gone, true
	case sp.Retained.Has(i):
		return repl.Change, true
	case p.state.Groups[id].TooLarge, sp.Phase[i] != group.Present && !p.state.HasVisibleActive(id, sp.ViewOf(i)):
		if p.joining.markNotSent(sp, i); sp.Phase[i] != group.Present {
			sp.StructureDue.Clear(i) // a change of its structure or of the view makes it due again
		}
		return 0, false
	case sp.Phase[i] == group.Absent, sp.NeedsFull.Has(i):
		return repl.Full, true
	default:
		return repl.Change, true
	}
}

// noteStructureSent records that no structure which the peer may see is unsent in a group. Values become due as an
// update.
func (p *Peer) noteStructureSent(sp *group.Space, i int) {
	sp.StructureAsOf[i] = p.state.Tick
	sp.StructureDue.Clear(i)
	if !sp.Retained.Has(i) && !p.state.WaitsForTurn(sp.Group(i)) {
		sp.Due.Set(i)
	}
	sp.UpdateSteady(i)
}

// actionKey returns the key of an action's body. Fields on which a body of the kind does not depend have a fixed value,
// so that as many peers as possible share it.
func (p *Peer) actionKey(sp *group.Space, i int, kind repl.Kind) encode.Key {
	key := encode.Key{Kind: kind, View: sp.ViewOf(i), Base: p.state.Tick, Structure: p.state.Tick, HiddenSince: p.state.Tick}
	if kind == repl.Change {
		key.Base = sp.Base[i]
	}
	if kind == repl.Gone && sp.Hidden.Has(i) {
		key.HiddenSince = p.visibility.hiddenSince(i)
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
		p.visibility.setRetainedKey(&key, sp, i)
	}
	if p.hasUnreceivableLeaver(sp.Group(i)) {
		key.Reader = (*reader)(&p.visibility)
	}
	return key
}

// hasUnreceivableLeaver reports whether an entity moved from a group to one in which the peer cannot receive it.
func (p *Peer) hasUnreceivableLeaver(id ident.Group) bool {
	for i := range p.state.Groups[id].Left {
		if l := &p.state.Groups[id].Left[i]; l.Fate == repl.Moved && !l.Progress.Acked && !p.groups.CanReceive(l.Slot) {
			return true
		}
	}
	return false
}

// tickBits is the width of the tick that an action message begins with.
const tickBits = 32

// actionBits returns an upper bound of the size of an action in bits: its head, needs, references and body, and the end
// of the message.
func (p *Peer) actionBits(b *encode.Body, needs int) int {
	return repl.MaxHeadBits + repl.NeedsBits(needs) + 1 + p.tableBits(b) + b.Width + 2 + 7
}

// tableBits returns an upper bound of the size of a body's table of references in bits. An entity without an id at the
// peer gets one when the table is written. A full table may lack references, so it counts as too large for any message.
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

// appendAction writes one action. A plain full that begins like the one before is shortened to its values (plain.go).
func (p *Peer) appendAction(heads *repl.Heads, rec *repl.Record, b *encode.Body) {
	begins := p.plainFull(rec, b)
	if begins != 0 && begins == p.begins && heads.Follows(rec) {
		if heads.AppendUsual(&p.w); rec.Kind != repl.Gone {
			encode.AppendBits(&p.w, p.enc.Bodies.Bytes(b), b.Prefix, b.Width)
		}
		return
	}
	p.begins = begins
	heads.Append(&p.w, rec)
	if rec.Kind != repl.Gone {
		repl.AppendNeeds(&p.w, rec.Tick, p.needs)
		p.prediction.stated.set.Append(&p.w)
		slots := p.enc.Bodies.SlotsOf(b)
		for _, s := range slots {
			p.visibility.reserveHome(p.state.Slots.Home[s])
			p.groups.MarkReferred(p.state.Slots.Home[s])
		}
		p.enc.AppendRefs(&p.w, slots, &p.groups)
	}
	p.w.Copy(p.enc.Bodies.Bytes(b), b.Width)
}

// noteSent records that n groups from an index on were sent actions that are equal to rec but for the group. Several
// groups at once are those of appendSpawns or appendEnds: none is predicted, vacated or has a view.
func (p *Peer) noteSent(sp *group.Space, i, n int, rec *repl.Record) {
	sent := flight.Action{Group: sp.First + repl.Handle(i), Groups: int32(n), Seq: rec.Seq, HasNeeds: len(p.needs) > 0, After: sp.StructureSent[i]}
	if sp.Phase[i] == group.Absent {
		sent.After = rec.Tick - 1 // the peer has acknowledged the end of the handle's last group
		for _, id := range sp.IDs.Groups[i : i+n] {
			gr := &p.state.Groups[id]
			gr.Holders++
			gr.Withheld = false
		}
	}
	if rec.Kind != repl.Change || sp.Retained.Has(i) {
		p.visibility.forgetSentView(sp, i)
	}
	asOf := rec.Tick
	if p.visibility.noteComponentsRemoved(sp.Group(i)) {
		asOf = sp.StructureAsOf[i]
	}
	sp.MarkActionsSent(i, n, rec, asOf)
	if sp.Predicted.Has(i) {
		p.actions.MarkPredicted()
		p.prediction.noteSentPredicted(sp, i)
	}
	p.actions.Add(sent)
	p.units.markSent(sp.IDs.Groups[i : i+n])
	p.stats.Actions += uint64(n)
}

// ActionsSent sets the channel's number of the message that AppendActions wrote last. It returns the number of groups
// for which the message has an action.
func (p *Peer) ActionsSent(message uint16) (groups int) {
	m := p.actions.Last()
	m.Number = message
	return m.Groups()
}

// HandleDelivered records that an action message was acknowledged.
func (p *Peer) HandleDelivered(message uint16) {
	p.actions.HandleDelivered(message, p.handleActionDelivered)
}

// handleActionDelivered clears an action that is no longer pending from its groups.
func (p *Peer) handleActionDelivered(a flight.Action) {
	sp, i := p.groups.LocateHandle(a.Group)
	for end := i + int(a.Groups); i < end; i++ {
		if !p.isPlainDelivery(sp, i) {
			p.handleGroupDelivered(sp, i, a.Seq)
			continue
		}
		sp.Unacked[i] = 0
		sp.ActionInFlight.Clear(i)
		if a.Seq == 0 && p.joining.left > 0 {
			p.joining.markJoined(sp, i)
		}
	}
}

// isPlainDelivery reports whether a group has one action in flight, and its delivery only has to clear that.
func (p *Peer) isPlainDelivery(sp *group.Space, i int) bool {
	return sp.Unacked[i] == 1 && sp.Phase[i] == group.Present && sp.Base[i] == sp.Sent[i] && !sp.Fragmented.Has(i) && !sp.Predicted.Has(i)
}

// handleGroupDelivered clears one delivered action of a group. When no other is in flight, it makes values due that may
// have been dropped, and releases the group if that was its end.
func (p *Peer) handleGroupDelivered(sp *group.Space, i int, seq repl.Seq) {
	sp.Unacked[i] &^= 1 << ((sp.Seq[i] - seq) % repl.SeqCycle)
	if seq == 0 {
		p.joining.markJoined(sp, i) // the first full of the group
	}
	if sp.Unacked[i] != 0 {
		return
	}
	sp.ActionInFlight.Clear(i)
	if updated := sp.Base[i].Before(sp.Sent[i]); updated || sp.Fragmented.Has(i) {
		// Updates that were sent in the meantime are unproven (flight.Sent), so their changes are sent again.
		if updated {
			p.stats.Resent++
		}
		sp.Fragmented.Clear(i)
		sp.NoteDue(i, p.state.Tick)
		sp.Resend(i)
		sp.UpdateSteady(i)
	}
	p.prediction.dropEmptyPredicted(sp, i)
	if sp.Phase[i] == group.Ending {
		id := sp.Group(i)
		sp.Phase[i] = group.Absent
		p.state.RemoveHolder(id)
		if sp == &p.groups.Private && !sp.StructureDue.Has(i) {
			p.visibility.retire(i)
		}
	}
}
