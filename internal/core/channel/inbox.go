package channel

import (
	"math/bits"
	"slices"
)

// letter is a message that waits for Poll: bytes of the packet just handled, or a reassembled
// message.
type letter struct {
	id       ID
	from, to uint16    // in the packet, if parcel is nil
	parcel   *incoming // otherwise
}

// inbox holds what one packet delivered.
type inbox struct {
	packet  []byte
	letters []letter
	read    int
	lent    *incoming // its buffer was handed out by the last Poll
	scratch []byte    // where fragments are reassembled; see room
}

// smallJoin is the memory for reassembling messages of up to its length. A peer that sends a longer
// one makes this end keep room for MaxMessage.
const smallJoin = 16 * FragmentSize

// Poll returns the next message or external frame that is ready, in order: those of the packet
// first, and then those that waited in an ordered channel for an earlier message that has now been
// delivered. ok is false when there is none. body is valid until the next Poll or HandleFrames and
// must not be modified.
func (m *Mux) Poll() (id ID, body []byte, ok bool) {
	in := &m.inbox
	m.reclaim()
	if m.Polled() {
		in.letters, in.read, in.packet = in.letters[:0], 0, nil
		return m.pollHeld()
	}
	l := in.letters[in.read]
	in.read++
	if l.parcel != nil {
		return m.open(l.id, l.parcel)
	}
	m.stats.Delivered++
	return l.id, in.packet[l.from:l.to:l.to], true
}

// Polled reports whether all messages of the last packet were polled. Messages that Poll then still
// has were waiting for an earlier one, and may wait on. Meanwhile they count to ReliableWindow,
// which the peer does not know: handle no packet before Waits is false.
func (m *Mux) Polled() bool { return m.inbox.read == len(m.inbox.letters) }

// Waits reports whether Poll has a message.
func (m *Mux) Waits() bool { return !m.Polled() || m.complete != 0 }

// pollHeld returns the next message of an ordered channel that no longer has to wait.
func (m *Mux) pollHeld() (id ID, body []byte, ok bool) {
	if m.complete == 0 {
		return 0, nil, false
	}
	l := m.byID[bits.TrailingZeros64(uint64(m.complete))]
	p := m.takeHeld(l, 0)
	l.arrivals.next++
	m.complete.note(l)
	return m.open(l.cfg.ID, p)
}

// open returns the body of a reassembled message.
func (m *Mux) open(id ID, p *incoming) (ID, []byte, bool) {
	m.stats.Delivered++
	if p.whole() {
		m.inbox.lent = p
		return id, p.parts[0].body, true
	}
	joined := p.join(m.inbox.room(int(p.final)))
	m.drop(p)
	return id, joined, true
}

// complete is the set of ordered channels that hold all of their next message: bit i for the
// channel with id i.
type complete uint64

// note updates the bit of a channel after its next message has changed.
func (c *complete) note(l *lane) {
	*c &^= 1 << l.cfg.ID
	if held := l.arrivals.held; len(held) > 0 && held[0].id == l.arrivals.next && held[0].complete() {
		*c |= 1 << l.cfg.ID
	}
}

// reclaim frees the buffer that the last Poll handed out.
func (m *Mux) reclaim() {
	in := &m.inbox
	if in.lent != nil {
		m.drop(in.lent)
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

// begin makes room for as many messages as the packet has frames.
func (in *inbox) begin(packet []byte, frames int) {
	in.packet = packet
	in.letters = slices.Grow(in.letters[:0], frames)
	in.read = 0
}

func (in *inbox) deliverBytes(id ID, from, to int) {
	in.letters = append(in.letters, letter{id: id, from: uint16(from), to: uint16(to)})
}

func (in *inbox) deliver(id ID, p *incoming) {
	in.letters = append(in.letters, letter{id: id, parcel: p})
}
