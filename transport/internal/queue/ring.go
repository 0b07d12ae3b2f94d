package queue

import (
	"net/netip"

	"github.com/entangle-ecs/entangle"
)

// firstSlots is the number of slots that the first push allocates: enough for a frame of
// a client.
const firstSlots = 16

// ring holds datagrams in the order of arrival. It starts over at its first slot whenever
// it runs empty.
type ring struct {
	slots []slot // count slots from head on are in use
	head  int
	count int
}

type slot struct {
	from netip.AddrPort
	data []byte
}

// push appends a copy of a datagram. The ring must hold fewer than limit.
func (r *ring) push(from netip.AddrPort, data []byte, limit int) {
	if r.count == len(r.slots) {
		r.grow(limit)
	}
	s := &r.slots[(r.head+r.count)%len(r.slots)]
	s.from, s.data = from, append(s.data[:0], data...)
	r.count++
}

// pop removes the oldest datagram; there must be one. Its slot stays unchanged until the
// next push.
func (r *ring) pop() *slot {
	s := &r.slots[r.head]
	r.count--
	r.head = (r.head + 1) % len(r.slots)
	if r.count == 0 {
		r.head = 0
	}
	return s
}

// grow doubles the ring, up to the limit, and cuts the buffers of the new slots
// out of one block.
func (r *ring) grow(limit int) {
	old := len(r.slots)
	slots := make([]slot, min(max(2*old, firstSlots), limit))
	n := copy(slots, r.slots[r.head:])
	copy(slots[n:], r.slots[:r.head])
	block := make([]byte, (len(slots)-old)*entangle.MaxDatagram)
	for i := old; i < len(slots); i++ {
		start := (i - old) * entangle.MaxDatagram
		slots[i].data = block[start:start:(start + entangle.MaxDatagram)]
	}
	r.slots, r.head = slots, 0
}
