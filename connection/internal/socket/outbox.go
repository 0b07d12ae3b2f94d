package socket

import (
	"net/netip"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
)

// MaxDatagram is the largest datagram that is read or made: the session's own packets of
// the handshake, and sealed payloads.
const MaxDatagram = max(entangle.MaxDatagram, 1<<11)

// Outbox gathers datagrams of a frame. Its memory is kept from frame to frame.
type Outbox struct {
	batch []transport.Datagram
	spare [][]byte
}

// Next returns an empty buffer with room for any datagram.
func (o *Outbox) Next() []byte {
	if n := len(o.spare); n > 0 {
		b := o.spare[n-1]
		o.spare = o.spare[:n-1]
		return b
	}
	return make([]byte, 0, MaxDatagram)
}

// Free takes a buffer of Next back that was not used.
func (o *Outbox) Free(b []byte) { o.spare = append(o.spare, b[:0]) }

// Add queues a datagram that stands in a buffer of Next.
func (o *Outbox) Add(to netip.AddrPort, b []byte) {
	o.batch = append(o.batch, transport.Datagram{Addr: to, Data: b})
}

// Put queues a copy of a datagram.
func (o *Outbox) Put(to netip.AddrPort, b []byte) { o.Add(to, append(o.Next(), b...)) }

// Len is the number of datagrams that are queued.
func (o *Outbox) Len() int { return len(o.batch) }

// MoveTo puts the batch behind another's, and takes as many empty buffers from there
// in return, so that the memory of both stays what it is.
func (o *Outbox) MoveTo(to *Outbox) {
	for i := range o.batch {
		to.batch = append(to.batch, o.batch[i])
		if n := len(to.spare); n > 0 {
			o.spare = append(o.spare, to.spare[n-1])
			to.spare = to.spare[:n-1]
		}
		o.batch[i] = transport.Datagram{}
	}
	o.batch = o.batch[:0]
}
