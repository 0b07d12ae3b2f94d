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

// structure writes the actions of one peer: everything but changed values of the groups that it has.
type structure struct {
	groups     *group.Peer
	state      *group.State
	enc        *encode.Encoder
	joining    *joining
	prediction *prediction
	visibility *visibility
	actions    *flight.Messages
	stats      *Stats
	received   *rewind.Received // nil: see World.RecordReceived
	targetOf   func(repl.Slot) (rewind.Target, set.Mask)

	w      bits.Writer
	head   messageHead
	units  units
	cursor repl.Handle // at which the next message continues
	next   repl.Handle // the first group of a unit for which the message is none, or repl.EndOfHandles
	begins uint64      // usualKind of the last action in the message that is being written
	bytes  int         // size of the newest message
}

// messageHead is what the message that is being written begins with: a message has either actions of single groups, or
// units (moves.go).
type messageHead uint8

const (
	headUnwritten messageHead = iota
	ofSingles
	ofUnits
)

// ActionsDue reports whether an action of any group is due.
func (st *structure) ActionsDue() bool {
	return !st.groups.Public.StructureDue.Empty() || !st.groups.Private.StructureDue.Empty()
}

// ActionsOwed reports whether a unit of moves (moves.go) is sent in part. Then AppendActions must be called until it
// appends nothing, even if the channel is congested: the actions that were sent wait at the peer for the others.
func (st *structure) ActionsOwed() bool { return len(st.units.rest) > 0 }

// AppendActions writes one message for a reliable unordered channel: the tick, then records of the
// groups with due structure, as many as fit into room bytes; a record larger than that goes alone.
// It returns dst unchanged when nothing can be sent now. The caller sends the message and calls ActionsSent with the
// channel's number of it.
func (st *structure) AppendActions(dst []byte, room int) []byte {
	if st.enc.Held {
		return dst
	}
	st.units.beginTick(st.state.Tick)
	heads := repl.Heads{Tick: st.state.Tick}
	st.w.Reset(dst)
	st.w.Bits(uint64(st.state.Tick), tickBits)
	st.actions.Written, st.begins, st.head = st.actions.Written[:0], 0, headUnwritten
	if len(st.units.rest) == 0 || st.appendUnit(room*8) {
		st.appendMessageActions(&heads, room*8)
	}
	switch st.head {
	case headUnwritten:
		return dst
	case ofUnits:
		st.w.Bool(false) // no unit follows
	default:
		heads.End(&st.w)
	}
	b := st.w.Finish()
	st.bytes = len(b) - len(dst)
	return b
}

// beginMessage writes what the message begins with, unless that is written.
func (st *structure) beginMessage(head messageHead) {
	if st.head == headUnwritten {
		st.head = head
		st.w.Bool(head == ofUnits)
	}
}

// appendMessageActions writes the actions of one message. It continues where the last message was full: otherwise
// groups with low handles that change all the time would block all others.
func (st *structure) appendMessageActions(heads *repl.Heads, room int) {
	begun := st.cursor
	st.next = repl.EndOfHandles
	st.cursor = st.appendActionsFrom(heads, begun, room)
	if begun > 0 && st.head == headUnwritten {
		st.cursor = st.appendActionsFrom(heads, 0, room)
	}
	if st.next < repl.EndOfHandles {
		st.cursor = st.next
	}
}

// appendActionsFrom writes the due actions of groups from a handle on. It returns the handle of the first group for which
// there was no room, or 0.
func (st *structure) appendActionsFrom(heads *repl.Heads, from repl.Handle, room int) (next repl.Handle) {
	if !from.Private() {
		if i := st.appendActions(heads, &st.groups.Public, int(from), room); i >= 0 {
			return repl.Handle(i)
		}
		from = repl.Private
	}
	if i := st.appendActions(heads, &st.groups.Private, int(from-repl.Private), room); i >= 0 {
		return repl.Private + repl.Handle(i)
	}
	return 0
}

// appendActions writes the due actions of one space from an index on. It returns the index of the first group that belongs
// in another message or for which there was no room, or -1. A message of single actions leaves units to a later one.
func (st *structure) appendActions(heads *repl.Heads, sp *group.Space, from, room int) (next int) {
	for i := sp.StructureDue.Next(from); i >= 0; i = sp.StructureDue.Next(i + 1) {
		if sp == &st.groups.Public && st.head != ofUnits {
			n := st.appendSpawns(heads, i, room)
			if n == 0 {
				n = st.appendEnds(heads, i, room)
			}
			if n > 0 {
				i += n - 1
				continue
			}
		}
		rec, b, ok := st.prepareAction(sp, i)
		if !ok {
			continue
		}
		if inUnit, ok := st.findUnit(sp, i, &rec); inUnit {
			if ok && !st.appendUnit(room) {
				return i
			}
			continue
		}
		if st.head == ofUnits || !st.hasRoom(b, room) && st.head != headUnwritten {
			return i
		}
		st.beginMessage(ofSingles)
		st.appendAction(heads, &rec, b)
		st.noteSent(sp, i, 1, &rec)
	}
	return -1
}

// hasRoom reports whether the message has room for the action that was prepared last.
func (st *structure) hasRoom(b *encode.Body, room int) bool {
	return st.w.LenBits()+st.actionBits(b) <= room
}

// windowEnd is the bit in Space.Unacked of the oldest action that may be in flight. While it is set no further action of
// the group is sent, because all of them may wait at the peer for that one.
const windowEnd = 1 << (repl.MaxActionsInFlight - 1)

// prepareAction returns the due action of a group: its record and its body. ok is false when none can be sent now.
// StructureDue stays set if one will be sent later. It may mark the structure as current instead, or the group as too large.
func (st *structure) prepareAction(sp *group.Space, i int) (rec repl.Record, b *encode.Body, ok bool) {
	id, blocked := sp.Group(i), sp.Unacked[i]&windowEnd != 0
	if blocked && sp.ViewOf(i) == 0 && !sp.Retained.Has(i) || sp.Fragmented.Has(i) && sp.Unacked[i] != 0 {
		return rec, nil, false
	}
	rec = repl.Record{Group: sp.First + repl.Handle(i), Tick: st.state.Tick}
	if rec.Kind, ok = st.actionKind(sp, i, id); !ok {
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
	b = st.enc.Body(id, st.actionKey(sp, i, rec.Kind))
	if rec.Kind == repl.Change && !b.ChangesStructure && !sp.Fragmented.Has(i) && !st.prediction.predictedStale(sp, i) {
		st.markStructureCurrent(sp, i) // even in a full window, or hidden structure would delay values
		return rec, nil, false
	}
	if blocked {
		return rec, nil, false
	}
	st.prediction.findPredicted(sp, i, rec.Kind)
	if tickBits+2+repl.UnitHeadBits(0)+st.actionBits(b) > repl.MaxGroupBytes*8 {
		st.state.MarkTooLarge(id)
		st.joining.markNotSent(sp, i)
		return rec, nil, false
	}
	if rec.Kind != repl.Gone && !sp.Retained.Has(i) {
		st.state.Groups[id].Withheld = false
	}
	return rec, b, true
}

// actionKind returns the kind of a group's due action. ok is false when there is none, or it has to wait.
func (st *structure) actionKind(sp *group.Space, i int, id ident.GroupIndex) (kind repl.Kind, ok bool) {
	switch gone := id == ident.NoGroup || !st.state.Groups[id].Open || sp.Hidden.Has(i); {
	case gone && !sp.Present.Has(i):
		sp.StructureDue.Clear(i)
		sp.NeedsFull.Clear(i)
		st.joining.markNotSent(sp, i)
		if sp == &st.groups.Private && sp.IsAbsent(i) {
			st.visibility.retire(i)
		}
		return 0, false
	case sp.Present.Has(i) && (sp.Planned[i] == st.state.Tick || sp.ActionSent[i] == st.state.Tick):
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
	case st.state.Groups[id].TooLarge, !sp.Present.Has(i) && !st.state.HasVisibleActive(id, sp.ViewOf(i)):
		if st.joining.markNotSent(sp, i); !sp.Present.Has(i) {
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
func (st *structure) markStructureCurrent(sp *group.Space, i int) {
	sp.StructureAsOf[i] = st.state.Tick
	sp.StructureDue.Clear(i)
	if sp.Retained.Has(i) {
		return
	}
	id := sp.Group(i)
	st.state.Groups[id].Withheld = false // what made it too large has ended
	if !st.state.WaitsForTurn(id) {
		sp.MarkDue(i, st.state.Tick)
	}
}

// actionKey returns the key of an action's body. Fields on which a body of the kind does not depend have a fixed value,
// so that as many peers as possible share it.
func (st *structure) actionKey(sp *group.Space, i int, kind repl.Kind) encode.Key {
	key := encode.Key{Kind: kind, View: sp.ViewOf(i), Base: st.state.Tick, Structure: st.state.Tick}
	if kind == repl.Change {
		key.Base = sp.Base[i]
	}
	if sp.Present.Has(i) {
		key.Structure = sp.StructureAsOf[i]
	}
	if sp.Retained.Has(i) {
		st.visibility.setRetainedKey(&key, sp, i)
	}
	if st.losesLeaver(sp.Group(i)) {
		key.Peer = st.groups
	}
	return key
}

// losesLeaver reports whether a leaver of a group that moved or was orphaned despawns at the peer.
func (st *structure) losesLeaver(id ident.GroupIndex) bool {
	for i := range st.state.Groups[id].Left {
		if l := &st.state.Groups[id].Left[i]; !l.Progress.Acked && st.groups.Loses(id, l) {
			return true
		}
	}
	return false
}

// tickBits is the width of the tick that an action message begins with.
const tickBits = 32

// actionBits returns an upper bound of the size in bits of the action that was prepared last: its head, predicted set,
// references and body, and the end of the message.
func (st *structure) actionBits(b *encode.Body) int {
	return repl.MaxHeadBits + st.prediction.stated.set.Bits() + 1 + st.tableBits(b) + b.Width + repl.MaxMessageEndBits
}

// tableBits returns an upper bound of the size of a body's table of references in bits. An entity without an id at the
// peer gets one when the table is written. A full table may lack references, so it counts as too large for any message.
func (st *structure) tableBits(b *encode.Body) (bits int) {
	if bits = repl.MaxRefBits; b.RefCount == repl.MaxGroupRefs {
		return repl.MaxGroupBytes * 8
	}
	for _, s := range st.enc.Bodies.SlotsOf(b) {
		if id, ok := st.groups.Named(s); ok {
			bits += repl.RefBits(id)
		} else {
			bits += repl.MaxRefBits
		}
	}
	return bits
}

// appendAction writes one action. One that is like the one before is shortened to its values (usual.go).
func (st *structure) appendAction(heads *repl.Heads, rec *repl.Record, b *encode.Body) {
	begins := st.usualKind(rec, b)
	if begins != 0 && begins == st.begins && heads.Follows(rec) {
		if heads.AppendUsual(&st.w); rec.Kind != repl.Gone {
			encode.AppendBits(&st.w, st.enc.Bodies.Bytes(b), b.Prefix, b.Width)
		}
		return
	}
	st.begins = begins
	heads.Append(&st.w, rec)
	if rec.Kind != repl.Gone {
		st.prediction.stated.set.Append(&st.w)
		slots := st.enc.Bodies.SlotsOf(b)
		for _, s := range slots {
			st.visibility.reserveHome(st.state.Slots.Home[s])
			st.groups.MarkReferred(st.state.Slots.Home[s])
		}
		st.enc.AppendRefs(&st.w, slots, st.groups)
	}
	st.w.Copy(st.enc.Bodies.Bytes(b), b.Width)
}

// noteSent records that n groups from an index on were sent actions that are equal to rec but for the group. Several
// groups at once are those of appendSpawns or appendEnds: they are public, and none is predicted.
func (st *structure) noteSent(sp *group.Space, i, n int, rec *repl.Record) {
	sent := flight.Action{Group: sp.First + repl.Handle(i), Count: int32(n), Seq: sp.Seq[i] + 1, InUnit: st.head == ofUnits, After: sp.ActionSent[i]}
	if sp.IsAbsent(i) {
		sent.Seq = 0
		for _, id := range sp.IDs.Groups[i : i+n] {
			st.state.Groups[id].Holders++
		}
	}
	if st.received != nil {
		st.recordSent(sp, i, n, rec)
	}
	if rec.Kind != repl.Change || sp.Retained.Has(i) {
		st.visibility.forgetSentView(sp, i)
	}
	sp.MarkActionsSent(i, n, rec, sent.Seq)
	if sp.Predicted.Has(i) {
		st.prediction.noteSentPredicted(sp, i)
	}
	st.actions.Written = append(st.actions.Written, sent)
	st.stats.Actions += uint64(n)
}

// ActionsSent records that the message which AppendActions wrote last is sent, and the channel's number of it. It returns
// the number of groups for which the message has an action.
func (st *structure) ActionsSent(message uint16) (groups int) {
	for i := range st.actions.Written {
		groups += int(st.actions.Written[i].Count)
	}
	st.actions.Add(message, st.state.Tick, st.state.Ended, st.bytes)
	return groups
}

// HandleDelivered records that an action message was acknowledged.
func (st *structure) HandleDelivered(message uint16) {
	st.actions.HandleDelivered(message, st.handleActionDelivered, st.recordWaiting)
}

// recordWaiting records that an action may wait at the peer.
func (st *structure) recordWaiting(a flight.Action, tick entangle.Tick) {
	if st.received == nil {
		return
	}
	sp, i := st.groups.LocateHandle(a.Group)
	for k := range int(a.Count) {
		st.received.Wait(rewindGroup(sp, i+k), tick)
	}
}

// handleActionDelivered clears an action that is no longer pending from its groups.
func (st *structure) handleActionDelivered(a flight.Action, tick entangle.Tick) {
	sp, i := st.groups.LocateHandle(a.Group)
	end := i + int(a.Count)
	for k := i; st.received != nil && k < end; k++ {
		st.received.Deliver(rewindGroup(sp, k), tick)
	}
	for i < end {
		n := 0
		if a.Count > 1 {
			n = countPlainDeliveries(sp, i, end)
		}
		if n == 0 {
			st.handleGroupDelivered(sp, i, a.Seq)
			i++
			continue
		}
		clear(sp.Unacked[i : i+n])
		sp.ActionInFlight.ClearRange(i, i+n)
		if a.Seq == 0 {
			st.joining.markJoined(sp, i, i+n)
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
func (st *structure) handleGroupDelivered(sp *group.Space, i int, seq uint8) {
	sp.Unacked[i] &^= 1 << (sp.Seq[i] - seq)
	if seq == 0 {
		st.joining.markJoined(sp, i, i+1) // the first full of the group
	}
	if sp.Unacked[i] != 0 {
		return
	}
	sp.ActionInFlight.Clear(i)
	if updated := sp.Base[i].Before(sp.Planned[i]); updated || sp.Fragmented.Has(i) {
		// Updates that were sent in the meantime are unproven (flight.Sent), so their changes are sent again.
		if updated {
			st.stats.Resent++
		}
		sp.Fragmented.Clear(i)
		sp.NoteDue(i, st.state.Tick)
		sp.Requeue(i)
	}
	st.prediction.dropEmptyPredicted(sp, i)
	if sp.Ending.Has(i) {
		id := sp.Group(i)
		sp.Ending.Clear(i)
		st.state.RemoveHolder(id)
		if sp == &st.groups.Private && !sp.StructureDue.Has(i) {
			st.visibility.retire(i)
		}
	}
}
