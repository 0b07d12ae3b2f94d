package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/core/repl/flight"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/rewind"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// actions writes the actions of one peer: everything but changed values of the groups that it has.
type actions struct {
	groups     *group.Peer
	state      *group.State
	enc        *encode.Encoder
	joining    *joining
	prediction *prediction
	visibility *visibility
	messages   *flight.Messages
	stats      *Stats
	received   *rewind.Received // nil: see World.RecordReceived
	targetOf   func(repl.Slot) (rewind.Target, set.Mask)

	w      bits.Writer
	head   messageHead
	units  units
	cursor repl.Handle // at which the next message continues
	next   repl.Handle // the first group of a unit for which the message is none, or repl.EndOfHandles
	last   usual       // the last action in the message that is being written
	bytes  int         // size of the newest message
}

// messageHead is what the message that is being written begins with: a message has either actions of single groups, or
// units (moves.go). In the latter, each other action is a unit, too.
type messageHead uint8

const (
	headUnwritten messageHead = iota
	ofSingles
	ofUnits
)

// ActionsDue reports whether an action of any group is due.
func (a *actions) ActionsDue() bool {
	return !a.groups.Public.StructureDue.Empty() || !a.groups.Private.StructureDue.Empty()
}

// ActionsOwed reports whether a unit of moves (moves.go) is sent in part. Then AppendActions must be called until it
// appends nothing, even if the channel is congested: the actions that were sent wait at the peer for the others.
func (a *actions) ActionsOwed() bool { return len(a.units.rest) > 0 }

// AppendActions writes one message for a reliable unordered channel: the tick, then records of the
// groups with due structure, as many as fit into room bytes; a record larger than that goes alone.
// It returns dst unchanged when nothing can be sent now. The caller sends the message and calls ActionsSent with the
// channel's number of it.
func (a *actions) AppendActions(dst []byte, room int) []byte {
	if a.enc.Held {
		return dst
	}
	a.units.beginTick(a.state.Tick)
	heads := repl.Heads{Tick: a.state.Tick}
	a.w.Reset(dst)
	a.w.Bits(uint64(a.state.Tick), tickBits)
	a.messages.Written, a.last, a.head = a.messages.Written[:0], usual{}, headUnwritten
	if len(a.units.rest) == 0 || a.appendUnit(room*8) {
		a.appendMessageActions(&heads, room*8)
	}
	switch a.head {
	case headUnwritten:
		return dst
	case ofUnits:
		a.w.Bool(false) // no unit follows
	default:
		heads.End(&a.w)
	}
	b := a.w.Finish()
	a.bytes = len(b) - len(dst)
	return b
}

// beginMessage writes what the message begins with, unless that is written.
func (a *actions) beginMessage(head messageHead) {
	if a.head == headUnwritten {
		a.head = head
		a.w.Bool(head == ofUnits)
	}
}

// appendMessageActions writes the actions of one message. It continues where the last message was full: otherwise
// groups with low handles that change all the time would block all others.
func (a *actions) appendMessageActions(heads *repl.Heads, room int) {
	begun := a.cursor
	a.next = repl.EndOfHandles
	a.cursor = a.appendActionsFrom(heads, begun, room)
	if begun > 0 && a.head == headUnwritten {
		a.cursor = a.appendActionsFrom(heads, 0, room)
	}
	if a.next < repl.EndOfHandles {
		a.cursor = a.next
	}
}

// appendActionsFrom writes the due actions of groups from a handle on. It returns the handle of the first group for which
// there was no room, or 0.
func (a *actions) appendActionsFrom(heads *repl.Heads, from repl.Handle, room int) (next repl.Handle) {
	if !from.Private() {
		if i := a.appendActions(heads, &a.groups.Public, int(from), room); i >= 0 {
			return repl.Handle(i)
		}
		from = repl.Private
	}
	if i := a.appendActions(heads, &a.groups.Private, int(from-repl.Private), room); i >= 0 {
		return repl.Private + repl.Handle(i)
	}
	return 0
}

// appendActions writes the due actions of one space from an index on. It returns the index of the first group for which there
// was no room, or -1. A message of single actions leaves units to a later one.
func (a *actions) appendActions(heads *repl.Heads, sp *group.Space, from, room int) (next int) {
	for i := sp.StructureDue.Next(from); i >= 0; i = sp.StructureDue.Next(i + 1) {
		if sp == &a.groups.Public && a.head != ofUnits {
			n := a.appendSpawns(heads, i, room)
			if n == 0 {
				n = a.appendEnds(heads, i, room)
			}
			if n > 0 {
				i += n - 1
				continue
			}
		}
		rec, b, ok := a.prepareAction(sp, i)
		if !ok {
			continue
		}
		if inUnit, ok := a.findUnit(sp, i, &rec); inUnit {
			if ok && !a.appendUnit(room) {
				return i
			}
			continue
		}
		if !a.hasRoom(b, room) && a.head != headUnwritten {
			return i
		}
		a.beginMessage(ofSingles)
		a.appendAction(heads, &rec, b)
		a.noteSent(sp, i, 1, &rec)
	}
	return -1
}

// hasRoom reports whether the message has room for the action that was prepared last.
func (a *actions) hasRoom(b *encode.Body, room int) bool {
	return a.w.LenBits()+a.actionBits(b) <= room
}

// windowEnd is the bit in Space.Unacked of the oldest action that may be in flight. While it is set no further action of
// the group is sent, because all of them may wait at the peer for that one.
const windowEnd = 1 << (repl.MaxActionsInFlight - 1)

// prepareAction returns the due action of a group: its record and its body. ok is false when none can be sent now.
// StructureDue stays set if one will be sent later. It may mark the structure as current instead, or the group as too large.
func (a *actions) prepareAction(sp *group.Space, i int) (rec repl.Record, b *encode.Body, ok bool) {
	id, blocked := sp.Group(i), sp.Unacked[i]&windowEnd != 0
	if blocked && sp.ViewOf(i) == 0 && !sp.Retained.Has(i) || sp.Fragmented.Has(i) && sp.Unacked[i] != 0 {
		return rec, nil, false
	}
	rec = repl.Record{Group: sp.First + repl.Handle(i), Tick: a.state.Tick}
	if rec.Kind, ok = a.actionKind(sp, i, id); !ok {
		return rec, nil, false
	}
	switch rec.Kind {
	case repl.Full:
		rec.Generation = sp.IDs.Generation(i)
	case repl.Gone:
		rec.Base = sp.ActionSent[i]
	default:
		rec.Base = sp.Base[i]
	}
	b = a.enc.Body(id, a.actionKey(sp, i, rec.Kind))
	if rec.Kind == repl.Change && !b.ChangesStructure && !sp.Fragmented.Has(i) && !a.prediction.predictedStale(sp, i) {
		a.markStructureCurrent(sp, i) // even in a full window, or hidden structure would delay values
		return rec, nil, false
	}
	if blocked {
		return rec, nil, false
	}
	a.prediction.findPredicted(sp, i, rec.Kind)
	if tickBits+2+repl.UnitHeadBits(0)+a.actionBits(b) > repl.MaxGroupBytes*8 {
		a.state.MarkTooLarge(id)
		a.joining.markNotSent(sp, i)
		return rec, nil, false
	}
	if rec.Kind != repl.Gone && !sp.Retained.Has(i) {
		a.state.Groups[id].Withheld = false
	}
	return rec, b, true
}

// actionKind returns the kind of a group's due action. ok is false when there is none, or it has to wait.
func (a *actions) actionKind(sp *group.Space, i int, id ident.GroupIndex) (kind repl.Kind, ok bool) {
	switch gone := id == ident.NoGroup || !a.state.Groups[id].Open || sp.Hidden.Has(i); {
	case gone && !sp.Present.Has(i):
		sp.StructureDue.Clear(i)
		sp.NeedsFull.Clear(i)
		a.joining.markNotSent(sp, i)
		if sp == &a.groups.Private && sp.IsAbsent(i) {
			a.visibility.retire(i)
		}
		return 0, false
	case sp.Present.Has(i) && (sp.Planned[i] == a.state.Tick || sp.ActionSent[i] == a.state.Tick):
		// The peer may already have the group as of this tick, and would drop another record of the tick.
		return 0, false
	case sp.Ending.Has(i), !gone && sp.NeedsFull.Has(i) && sp.Unacked[i] != 0:
		// A full overtakes the actions in flight. Entities that come and go in those would be
		// missed, so it waits.
		return 0, false
	case gone:
		return repl.Gone, true
	case sp.Retained.Has(i):
		return repl.Change, true
	case a.state.Groups[id].TooLarge, !sp.Present.Has(i) && !a.state.HasVisibleActive(id, sp.ViewOf(i)):
		if a.joining.markNotSent(sp, i); !sp.Present.Has(i) {
			sp.StructureDue.Clear(i) // a change of its structure or of the view makes it due again
		}
		return 0, false
	case sp.IsAbsent(i), sp.NeedsFull.Has(i):
		return repl.Full, true
	default:
		return repl.Change, true
	}
}

// markStructureCurrent records that no structure which the peer may see is unsent in a group. Values become due as an
// update.
func (a *actions) markStructureCurrent(sp *group.Space, i int) {
	sp.StructureAsOf[i] = a.state.Tick
	sp.StructureDue.Clear(i)
	if sp.Retained.Has(i) {
		return
	}
	id := sp.Group(i)
	a.state.Groups[id].Withheld = false // what made it too large has ended
	if !a.state.WaitsForTurn(id) {
		sp.MarkDue(i, a.state.Tick)
	}
}

// actionKey returns the key of an action's body. Fields on which a body of the kind does not depend have a fixed value,
// so that as many peers as possible share it.
func (a *actions) actionKey(sp *group.Space, i int, kind repl.Kind) encode.Key {
	key := encode.Key{Kind: kind, View: sp.ViewOf(i), Base: a.state.Tick, Structure: a.state.Tick}
	if kind == repl.Change {
		key.Base = sp.Base[i]
	}
	if sp.Present.Has(i) {
		key.Structure = sp.StructureAsOf[i]
	}
	if sp.Retained.Has(i) {
		a.visibility.setRetainedKey(&key, sp, i)
	}
	if a.losesLeaver(sp.Group(i)) {
		key.Peer = a.groups
	}
	return key
}

// losesLeaver reports whether a leaver of a group that moved or was orphaned despawns at the peer.
func (a *actions) losesLeaver(id ident.GroupIndex) bool {
	for i := range a.state.Groups[id].Left {
		if l := &a.state.Groups[id].Left[i]; !l.Progress.Acked && a.groups.Loses(id, l) {
			return true
		}
	}
	return false
}

// tickBits is the width of the tick that an action message begins with.
const tickBits = 32

// actionBits returns an upper bound of the size in bits of the action that was prepared last: its head, predicted set,
// references and body, and the end of the message.
func (a *actions) actionBits(b *encode.Body) int {
	return repl.MaxHeadBits + a.prediction.stated.set.Bits() + 1 + a.tableBits(b) + b.Width + repl.MaxMessageEndBits
}

// tableBits returns an upper bound of the size of a body's table of references in bits. An entity without an id at the
// peer gets one when the table is written. A full table may lack references, so it counts as too large for any message.
func (a *actions) tableBits(b *encode.Body) (bits int) {
	if bits = repl.MaxRefBits; b.RefCount == repl.MaxGroupRefs {
		return repl.MaxGroupBytes * 8
	}
	for _, s := range a.enc.Bodies.SlotsOf(b) {
		if id, ok := a.groups.Named(s); ok {
			bits += repl.RefBits(id)
		} else {
			bits += repl.MaxRefBits
		}
	}
	return bits
}

// appendAction writes one action. One that is like the one before is shortened to its values (usual.go).
func (a *actions) appendAction(heads *repl.Heads, rec *repl.Record, b *encode.Body) {
	like := a.usualOf(rec, b)
	if like.is && like == a.last && heads.Follows(rec) {
		if heads.AppendUsual(&a.w); rec.Kind != repl.Gone {
			encode.AppendBits(&a.w, a.enc.Bodies.Bytes(b), b.Prefix, b.Width)
		}
		return
	}
	a.last = like
	heads.Append(&a.w, rec)
	if rec.Kind != repl.Gone {
		a.prediction.stated.set.Append(&a.w)
		slots := a.enc.Bodies.SlotsOf(b)
		for _, s := range slots {
			a.visibility.reserveHome(a.state.Slots.Home[s])
			a.groups.MarkReferred(a.state.Slots.Home[s])
		}
		a.enc.AppendRefs(&a.w, slots, a.groups)
	}
	a.w.Copy(a.enc.Bodies.Bytes(b), b.Width)
}

// noteSent records that n groups from an index on were sent actions that are equal to rec but for the group. Several
// groups at once are those of appendSpawns or appendEnds: they are public, and none is predicted.
func (a *actions) noteSent(sp *group.Space, i, n int, rec *repl.Record) {
	sent := flight.Action{Group: sp.First + repl.Handle(i), Count: int32(n), Seq: sp.Seq[i] + 1, InUnit: a.head == ofUnits, After: sp.ActionSent[i]}
	if sp.IsAbsent(i) {
		sent.Seq, sent.After = 0, rec.Tick
		for _, id := range sp.IDs.Groups[i : i+n] {
			a.state.Groups[id].Holders++
		}
	}
	if a.received != nil {
		a.recordSent(sp, i, n, rec)
	}
	if rec.Kind != repl.Change || sp.Retained.Has(i) {
		a.visibility.forgetSentView(sp, i)
	}
	sp.MarkActionsSent(i, n, rec, sent.Seq)
	if sp.Predicted.Has(i) {
		a.prediction.noteSentPredicted(sp, i)
	}
	a.messages.Written = append(a.messages.Written, sent)
	a.stats.Actions += uint64(n)
}

// ActionsSent records that the message which AppendActions wrote last is sent, and the channel's number of it. It returns
// the number of groups for which the message has an action.
func (a *actions) ActionsSent(message uint16) (groups int) {
	for i := range a.messages.Written {
		groups += int(a.messages.Written[i].Count)
	}
	a.messages.Add(message, a.state.Tick, a.state.Ended, a.bytes)
	return groups
}

// HandleDelivered records that an action message was acknowledged.
func (a *actions) HandleDelivered(message uint16) {
	a.messages.HandleDelivered(message, a.handleActionDelivered, a.recordWaiting)
}

// recordWaiting records that an action may wait at the peer.
func (a *actions) recordWaiting(sent flight.Action, tick entangle.Tick) {
	if a.received == nil {
		return
	}
	sp, i := a.groups.LocateHandle(sent.Group)
	for k := range int(sent.Count) {
		a.received.Wait(rewindGroup(sp, i+k), tick)
	}
}

// handleActionDelivered clears an action that is no longer pending from its groups.
func (a *actions) handleActionDelivered(sent flight.Action, tick entangle.Tick) {
	sp, i := a.groups.LocateHandle(sent.Group)
	end := i + int(sent.Count)
	for k := i; a.received != nil && k < end; k++ {
		a.received.Deliver(rewindGroup(sp, k), tick)
	}
	for i < end {
		n := 0
		if sent.Count > 1 {
			n = countPlainDeliveries(sp, i, end)
		}
		if n == 0 {
			a.handleGroupDelivered(sp, i, sent.Seq)
			i++
			continue
		}
		clear(sp.Unacked[i : i+n])
		sp.ActionInFlight.ClearRange(i, i+n)
		if sent.Seq == 0 {
			a.joining.markJoined(sp, i, i+n)
		}
		i += n
	}
}

// countPlainDeliveries returns how many groups from an index on, and before another, have one action in flight, the delivery
// of which only has to clear that.
func countPlainDeliveries(sp *group.Space, i, end int) (n int) {
	steady := sp.CountSteady(i, end-i)
	for n < steady && sp.Unacked[i+n] == 1 && sp.Base[i+n] == sp.Planned[i+n] {
		n++
	}
	return n
}

// handleGroupDelivered clears one delivered action of a group. When no other is in flight, it makes values due that may
// have been dropped, and releases the group if that was its end.
func (a *actions) handleGroupDelivered(sp *group.Space, i int, seq uint8) {
	sp.Unacked[i] &^= 1 << (sp.Seq[i] - seq)
	if seq == 0 {
		a.joining.markJoined(sp, i, i+1) // the first full of the group
	}
	if sp.Unacked[i] != 0 {
		return
	}
	sp.ActionInFlight.Clear(i)
	if updated := sp.Base[i].Before(sp.Planned[i]); updated || sp.Fragmented.Has(i) {
		// Updates that were sent in the meantime are unproven (flight.Sent), so their changes are sent again.
		if updated {
			a.stats.Resent++
		}
		sp.Fragmented.Clear(i)
		sp.NoteDue(i, a.state.Tick)
		sp.Requeue(i)
	}
	a.prediction.dropEmptyPredicted(sp, i)
	if sp.Ending.Has(i) {
		id := sp.Group(i)
		sp.Ending.Clear(i)
		a.state.RemoveHolder(id)
		if sp == &a.groups.Private && !sp.StructureDue.Has(i) {
			a.visibility.retire(i)
		}
	}
}
