package socket

import (
	"net/netip"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
)

// MaxDatagram is the size of the largest datagram that is read or built: a packet of the session's
// handshake, or a sealed payload.
const MaxDatagram = max(entangle.MaxDatagram, 1<<11)

// Outbox collects the datagrams of a frame. It reuses its memory in every frame.
type Outbox struct {
	batch []transport.Datagram
	free  [][]byte
}

// Next returns an empty buffer with room for any datagram.
func (o *Outbox) Next() []byte {
	if n := len(o.free); n > 0 {
		b := o.free[n-1]
		o.free = o.free[:n-1]
		return b
	}
	return make([]byte, 0, MaxDatagram)
}

// Free gives back a buffer of Next that was not used.
func (o *Outbox) Free(b []byte) { o.free = append(o.free, b[:0]) }

// Add queues a datagram that was built in a buffer of Next.
func (o *Outbox) Add(to netip.AddrPort, b []byte) {
	o.batch = append(o.batch, transport.Datagram{Addr: to, Data: b})
}

// Put queues a copy of a datagram.
func (o *Outbox) Put(to netip.AddrPort, b []byte) { o.Add(to, append(o.Next(), b...)) }

// Len returns the number of queued datagrams.
func (o *Outbox) Len() int { return len(o.batch) }

// MoveTo appends the batch to another outbox, and takes as many empty buffers of the other one in
// return, so that the memory of both stays constant.
func (o *Outbox) MoveTo(to *Outbox) {
	for i := range o.batch {
		to.batch = append(to.batch, o.batch[i])
		if n := len(to.free); n > 0 {
			o.free = append(o.free, to.free[n-1])
			to.free = to.free[:n-1]
		}
		o.batch[i] = transport.Datagram{}
	}
	o.batch = o.batch[:0]
}
