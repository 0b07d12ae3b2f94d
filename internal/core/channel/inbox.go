package channel

import "slices"

// letter is a message that waits for Poll: bytes of the packet just handled, or
// something put together.
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
	scratch []byte    // where fragments are put together; see room
}

// smallJoin is the memory for putting messages of up to its length together. Who
// sends a longer one makes this end keep room for MaxMessage.
const smallJoin = 16 * FragmentSize

// Poll returns the next message or external frame that is ready, in order; ok is
// false when there is none. body is valid until the next Poll or HandleFrames and
// must not be modified.
func (m *Mux) Poll() (id ID, body []byte, ok bool) {
	in := &m.inbox
	m.reclaim()
	if in.read == len(in.letters) {
		in.letters, in.read, in.packet = in.letters[:0], 0, nil
		return 0, nil, false
	}
	l := in.letters[in.read]
	in.read++
	m.stats.Delivered++
	switch {
	case l.parcel == nil:
		return l.id, in.packet[l.from:l.to:l.to], true
	case l.parcel.whole():
		in.lent = l.parcel
		return l.id, l.parcel.parts[0].body, true
	}
	joined := l.parcel.join(in.room(int(l.parcel.final)))
	m.drop(l.parcel)
	return l.id, joined, true
}

// reclaim takes back what the last Poll lent.
func (m *Mux) reclaim() {
	in := &m.inbox
	if in.lent != nil {
		m.drop(in.lent)
		in.lent = nil
	}
}

// room returns the memory in which a message is put together. There are two sizes,
// so that a packet which completes many messages allocates it once.
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
