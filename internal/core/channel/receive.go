package channel

import (
	"math"
	"slices"
	"time"
)

// HandleFrames handles the frames of a packet that has not been handled before (see package
// packet), without its header. Then call Poll until Polled returns true; body must not change until
// then.
//
// ErrMalformed, ErrUnknownChannel and ErrRefused mean that no frame was applied. ErrWindow and
// ErrFragment mean that a well-formed frame exceeds a limit or contradicts an earlier packet; the
// frames before it were applied, that frame and the later ones were not. An honest peer causes none
// of these errors: count them and disconnect the peer.
//
// It panics if Poll has not returned all messages of the previous packet.
func (r *receiver) HandleFrames(body []byte, now time.Time) error {
	if !r.Polled() {
		panic("channel: call Poll until Polled before the next HandleFrames")
	}
	r.reclaim()
	r.Expire(now)
	count, err := r.validate(body)
	if err != nil {
		r.stats.Refused++
		return err
	}
	r.work += uint64(count)
	r.inbox.beginPacket(body, count)
	at := r.clock.since(now)
	for rest := body; len(rest) > 0; {
		var f frame
		f, rest, _ = r.parseFrame(rest)
		end := len(body) - len(rest)
		if err := r.handleFrame(f, end, at); err != nil {
			r.stats.Violations++
			return err
		}
	}
	return nil
}

// validate parses and counts all frames, so that a packet is accepted as a whole or not at all.
func (r *receiver) validate(body []byte) (count int, err error) {
	if len(body) > math.MaxUint16 {
		return 0, ErrMalformed
	}
	var f frame
	for rest := body; len(rest) > 0; count++ {
		if f, rest, err = r.parseFrame(rest); err != nil {
			return 0, err
		}
		if r.inbound[f.id]&refused != 0 {
			return 0, ErrRefused
		}
	}
	return count, nil
}

// handleFrame handles one frame. Its body ends at offset end of the packet.
func (r *receiver) handleFrame(f frame, end int, at time.Duration) error {
	if mode := r.inbound[f.id].mode(); !f.fragment && (mode == External || mode == UnorderedUnreliable) {
		r.inbox.deliverBytes(f.id, end-len(f.body), end)
		return nil
	}
	ch := r.byID[f.id]
	if f.fragment {
		return r.handleFragment(ch, f, at)
	}
	if old, err := r.checkID(ch, f); old || err != nil {
		return err
	}
	if ch.mode == OrderedReliable && f.message != ch.next {
		return r.holdWhole(ch, f, at)
	}
	r.held.discard(ch, f.message)
	r.inbox.deliverBytes(f.id, end-len(f.body), end)
	r.advanceChannel(ch, f.message)
	return nil
}

// checkID reports whether a message was already delivered or superseded, and returns an error if
// its id is beyond the window. It is called for fragments of all modes, and for whole messages of
// the modes with message ids.
func (r *receiver) checkID(ch *inChannel, f frame) (old bool, err error) {
	mode := ch.mode
	if mode == UnorderedUnreliable {
		return false, nil
	}
	ahead := ch.ahead(f.message)
	switch {
	case ahead < 0 && mode.Sequenced():
		r.stats.Stale++
		return true, nil
	case ahead < 0 || mode == UnorderedReliable && ahead < Window && ch.received(f.message):
		r.stats.Duplicates++
		return true, nil
	case mode.Reliable() && ahead >= Window:
		return false, ErrWindow
	}
	return false, nil
}

// holdWhole holds a message of an ordered channel that arrived before an earlier one.
func (r *receiver) holdWhole(ch *inChannel, f frame, at time.Duration) error {
	r.work += keepWork
	place, held := ch.findHeld(f.message)
	if held {
		r.stats.Duplicates++
		return nil
	}
	if !r.makeRoom(ch, cost(len(f.body))) {
		return ErrWindow
	}
	r.held.addPart(r.held.hold(ch, place, f.message, 0, at), 0, 0, f.body)
	return nil
}

func (r *receiver) handleFragment(ch *inChannel, f frame, at time.Duration) error {
	r.work += keepWork
	if old, err := r.checkID(ch, f); old || err != nil {
		return err
	}
	place, held := ch.findHeld(f.message)
	if held {
		p := ch.held[place]
		if p.final != f.final {
			return ErrFragment
		}
		if _, had := p.findPart(f.index); had {
			r.stats.Duplicates++
			return nil
		}
	}
	return r.keepFragment(ch, f, at)
}

// keepFragment adds a new fragment to its message, and delivers the message if it is complete.
func (r *receiver) keepFragment(ch *inChannel, f frame, at time.Duration) error {
	more := partCost(f.final, len(f.body))
	_, held := ch.findHeld(f.message)
	if !held || !ch.mode.Reliable() { // makeRoom may drop the message that this fragment belongs to
		more += messageOverhead
	}
	if !r.makeRoom(ch, more) {
		return ErrWindow
	}
	place, held := ch.findHeld(f.message)
	if !held {
		r.held.hold(ch, place, f.message, f.final, at)
	}
	if f.index != f.final {
		r.inbox.scratchFor(int(f.final)) // allocate now, for one message of the packet, and not in Poll
	}
	p := ch.held[place]
	among, _ := p.findPart(f.index)
	r.held.addPart(p, among, f.index, f.body)
	if p.complete() {
		r.deliverCompleted(ch, place)
	}
	return nil
}

// deliverCompleted delivers the completed message at index place, unless it has to wait for an
// earlier one.
func (r *receiver) deliverCompleted(ch *inChannel, place int) {
	p := ch.held[place]
	if ch.mode == OrderedReliable && p.id != ch.next {
		return
	}
	r.inbox.deliver(ch.id, r.held.removeAt(ch, place))
	if ch.mode != UnorderedUnreliable {
		r.advanceChannel(ch, p.id)
	}
}

// advanceChannel records that the message with this id was delivered.
func (r *receiver) advanceChannel(ch *inChannel, id uint16) {
	switch {
	case ch.mode == UnorderedReliable:
		ch.markReceived(id)
	case ch.mode.Sequenced():
		r.dropOlder(ch, id)
	default:
		ch.next++
		r.ready.refresh(ch)
	}
}

// dropOlder drops the held messages that are older than the one just delivered.
func (r *receiver) dropOlder(ch *inChannel, id uint16) {
	n := 0
	for ; n < len(ch.held) && int16(ch.held[n].id-id) < 0; n++ {
		r.held.uncount(ch.held[n])
		r.held.giveBack(ch.held[n])
	}
	ch.held = slices.Delete(ch.held, 0, n)
	r.stats.Stale += uint64(n)
	ch.next = id + 1
}
