package channel

import (
	"math/bits"
	"slices"
)

// delivery is a message that waits for Poll: either bytes of the packet that is being handled, or a
// message that was held.
type delivery struct {
	id       ID
	from, to uint16    // range of the body in the packet, if held is nil
	held     *incoming // the message, if it was held
}

// inbox holds the messages that one packet made deliverable.
type inbox struct {
	packet     []byte
	deliveries []delivery
	read       int
	lent       *incoming // the message with the buffer that the last Poll returned
	scratch    []byte    // where fragments are reassembled; see scratchFor
}

// smallScratch is the size of the scratch buffer until a peer sends a longer message in fragments;
// then it grows to MaxMessage.
const smallScratch = 16 * FragmentSize

// Poll returns the next message or external frame that can be delivered. Those of the last packet
// come first, in its order; then those of ordered channels that waited for an earlier message,
// which has now been delivered. ok is false if there is none. body is valid until the next Poll or
// HandleFrames and must not be modified.
func (r *receiver) Poll() (id ID, body []byte, ok bool) {
	in := &r.inbox
	r.reclaim()
	if r.Polled() {
		in.deliveries, in.read, in.packet = in.deliveries[:0], 0, nil
		return r.pollHeld()
	}
	d := in.deliveries[in.read]
	in.read++
	if d.held != nil {
		return d.id, r.lendBody(d.held), true
	}
	r.stats.Delivered++
	return d.id, in.packet[d.from:d.to:d.to], true
}

// Polled reports whether Poll has returned all messages of the last packet. Poll may still have
// messages of ordered channels that had waited for an earlier one, and the caller may leave them
// for later. But they use memory of ReliableWindow that the peer believes to be free: handle no
// packet while Waits is true.
func (r *receiver) Polled() bool { return r.inbox.read == len(r.inbox.deliveries) }

// Waits reports whether Poll has a message.
func (r *receiver) Waits() bool { return !r.Polled() || r.ready != 0 }

// pollHeld returns a held message of an ordered channel that all earlier messages of the channel
// have preceded.
func (r *receiver) pollHeld() (id ID, body []byte, ok bool) {
	if r.ready == 0 {
		return 0, nil, false
	}
	ch := r.byID[bits.TrailingZeros64(uint64(r.ready))]
	p := r.held.removeAt(ch, 0)
	ch.next++
	r.ready.refresh(ch)
	return ch.id, r.lendBody(p), true
}

// lendBody returns the body of a message that was held. The body is valid until the next Poll.
func (r *receiver) lendBody(p *incoming) []byte {
	r.stats.Delivered++
	if p.whole() {
		r.inbox.lent = p
		return p.parts[0].body
	}
	body := p.reassemble(r.inbox.scratchFor(int(p.final)))
	r.held.giveBack(p)
	return body
}

// reclaim frees the buffer that the last Poll returned.
func (r *receiver) reclaim() {
	in := &r.inbox
	if in.lent != nil {
		r.held.giveBack(in.lent)
		in.lent = nil
	}
}

// scratchFor returns the buffer in which a message with fragments up to index final is
// reassembled. It has one of two sizes, so that a packet which completes many messages allocates
// at most once for each size.
func (in *inbox) scratchFor(final int) []byte {
	need := smallScratch
	if (final+1)*FragmentSize > smallScratch {
		need = MaxMessage
	}
	if len(in.scratch) < need {
		in.scratch = make([]byte, need)
	}
	return in.scratch
}

// beginPacket reserves memory for as many messages as the packet has frames.
func (in *inbox) beginPacket(packet []byte, frames int) {
	in.packet = packet
	in.deliveries = slices.Grow(in.deliveries[:0], frames)
	in.read = 0
}

func (in *inbox) deliverBytes(id ID, from, to int) {
	in.deliveries = append(in.deliveries, delivery{id: id, from: uint16(from), to: uint16(to)})
}

func (in *inbox) deliver(id ID, p *incoming) {
	in.deliveries = append(in.deliveries, delivery{id: id, held: p})
}
