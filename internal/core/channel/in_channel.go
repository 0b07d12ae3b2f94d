package channel

import "slices"

// inChannel is the receiving direction of one channel.
type inChannel struct {
	id   ID
	mode Mode
	// next is the lowest id that is not done: for an ordered channel, the id of the message to
	// deliver next; for an unordered reliable one, the lowest id not received; for a sequenced one,
	// the id after the last delivered one.
	next uint16
	// got marks the ids from next on that an unordered reliable channel has delivered. Its index is
	// the id modulo Window.
	got [Window / 64]uint64
	// held lists the messages that cannot be delivered yet, by their distance from next.
	held []*incoming
}

// ahead is the distance of an id from next. It is negative if the id is done.
func (ch *inChannel) ahead(id uint16) int { return int(int16(id - ch.next)) }

// findHeld returns the index of the message with an id in held, or where it would be inserted.
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

// readyChannels is the set of ordered channels that have received all of their next message. Bit i
// stands for the channel with id i.
type readyChannels uint64

// refresh updates the bit of a channel after its next message has changed.
func (r *readyChannels) refresh(ch *inChannel) {
	*r &^= 1 << ch.id
	if held := ch.held; len(held) > 0 && held[0].id == ch.next && held[0].complete() {
		*r |= 1 << ch.id
	}
}
