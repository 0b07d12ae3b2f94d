package channel

import (
	"math/bits"
	"slices"
)

// delivery is a message that waits for Poll: bytes of the packet just handled, or a message that
// was held.
type delivery struct {
	id       ID
	from, to uint16    // in the packet, if held is nil
	held     *incoming // otherwise
}

// inbox holds what one packet delivered.
type inbox struct {
	packet     []byte
	deliveries []delivery
	read       int
	lent       *incoming // its buffer was handed out by the last Poll
	scratch    []byte    // where fragments are reassembled; see room
}

// smallJoin is the memory for reassembling messages of up to its length. A peer that sends a longer
// one makes this end keep room for MaxMessage.
const smallJoin = 16 * FragmentSize

// Poll returns the next message or external frame that is ready, in order: those of the packet
// first, and then those that waited in an ordered channel for an earlier message that has now been
// delivered. ok is false when there is none. body is valid until the next Poll or HandleFrames and
// must not be modified.
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

// Polled reports whether all messages of the last packet were polled. Poll may still have messages
// that had waited for an earlier one, and they need not be polled yet. But they take room in
// ReliableWindow of which the peer does not know: handle no packet while Waits is true.
func (r *receiver) Polled() bool { return r.inbox.read == len(r.inbox.deliveries) }

// Waits reports whether Poll has a message.
func (r *receiver) Waits() bool { return !r.Polled() || r.ready != 0 }

// pollHeld returns the next message of an ordered channel that no longer has to wait.
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

// lendBody returns the body of a message that was held, until the next Poll.
func (r *receiver) lendBody(p *incoming) []byte {
	r.stats.Delivered++
	if p.whole() {
		r.inbox.lent = p
		return p.parts[0].body
	}
	body := p.reassemble(r.inbox.room(int(p.final)))
	r.held.giveBack(p)
	return body
}

// reclaim frees the buffer that the last Poll handed out.
func (r *receiver) reclaim() {
	in := &r.inbox
	if in.lent != nil {
		r.held.giveBack(in.lent)
		in.lent = nil
	}
}

// room returns the memory in which a message is reassembled. There are two sizes, so that a packet
// which completes many messages allocates it once.
func (in *inbox) room(final int) []byte {
	need := smallJoin
	if (final+1)*FragmentSize > smallJoin {
		need = MaxMessage
	}
	if len(in.scratch) < need {
		in.scratch = make([]byte, need)
	}
	return in.scratch
}

// beginPacket makes room for as many messages as the packet has frames.
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
