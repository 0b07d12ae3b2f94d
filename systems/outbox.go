package systems

import (
	"net/netip"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
)

// outbox gathers the datagrams of a frame for one socket, so that they leave in
// one batch. Its memory is kept from frame to frame.
type outbox struct {
	batch []transport.Datagram
	spare [][]byte
}

// next returns an empty buffer with room for any datagram.
func (o *outbox) next() []byte {
	if n := len(o.spare); n > 0 {
		b := o.spare[n-1]
		o.spare = o.spare[:n-1]
		return b
	}
	return make([]byte, 0, maxDatagram)
}

// maxDatagram is the largest that a session makes: its own packets of the
// handshake and sealed payloads.
const maxDatagram = max(entangle.MaxDatagram, 1<<11)

// add queues a datagram that stands in a buffer of next.
func (o *outbox) add(to netip.AddrPort, b []byte) {
	o.batch = append(o.batch, transport.Datagram{Addr: to, Data: b})
}

// put queues a copy of a datagram.
func (o *outbox) put(to netip.AddrPort, b []byte) { o.add(to, append(o.next(), b...)) }

// moveTo puts the batch behind another's, and takes as many empty buffers from there
// in return, so that the memory of both stays what it is.
func (o *outbox) moveTo(to *outbox) {
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

// bytes returns the size of the batch from one datagram on.
func (o *outbox) bytes(from int) (n int) {
	for _, d := range o.batch[from:] {
		n += len(d.Data)
	}
	return n
}

// flush sends the batch. What the network does not take is lost, as datagrams
// are; an error means that the socket is broken or closed.
func (o *outbox) flush(conn transport.Conn, traffic *Traffic) error {
	if len(o.batch) == 0 {
		return nil
	}
	_, err := conn.Send(o.batch)
	for i := range o.batch {
		traffic.out(len(o.batch[i].Data))
		o.spare = append(o.spare, o.batch[i].Data[:0])
		o.batch[i] = transport.Datagram{}
	}
	o.batch = o.batch[:0]
	return err
}
