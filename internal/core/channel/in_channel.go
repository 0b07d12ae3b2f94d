package channel

import "slices"

// inChannel is the receiving direction of one channel.
type inChannel struct {
	id   ID
	mode Mode
	// next is the id that an ordered channel waits for, the lowest that an unordered reliable one
	// lacks, and the one after the last delivered of a sequenced one. Ids before it are done.
	next uint16
	// got marks the ids from next on that an unordered reliable channel has delivered, by id modulo
	// Window.
	got [Window / 64]uint64
	// held are the messages that cannot be delivered yet, by distance from next.
	held []*incoming
}

// ahead is the distance of an id from next; negative if the id is done.
func (ch *inChannel) ahead(id uint16) int { return int(int16(id - ch.next)) }

// findHeld returns the place of id in held.
func (ch *inChannel) findHeld(id uint16) (int, bool) {
	return slices.BinarySearchFunc(ch.held, id, func(p *incoming, id uint16) int {
		return int(p.id-ch.next) - int(id-ch.next)
	})
}

func (ch *inChannel) received(id uint16) bool { return ch.got[id%Window/64]>>(id%64)&1 != 0 }

// markReceived records that an unordered reliable message was delivered.
func (ch *inChannel) markReceived(id uint16) {
	ch.got[id%Window/64] |= 1 << (id % 64)
	for ch.received(ch.next) {
		ch.got[ch.next%Window/64] &^= 1 << (ch.next % 64)
		ch.next++
	}
}

// readyChannels is the set of ordered channels that hold all of their next message: bit i for the
// channel with id i.
type readyChannels uint64

// refresh updates the bit of a channel after its next message has changed.
func (r *readyChannels) refresh(ch *inChannel) {
	*r &^= 1 << ch.id
	if held := ch.held; len(held) > 0 && held[0].id == ch.next && held[0].complete() {
		*r |= 1 << ch.id
	}
}
