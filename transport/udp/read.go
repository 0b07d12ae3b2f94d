package udp

import (
	"errors"
	"net"
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport/internal/address"
)

const (
	// freeErrors is how many errors in a row the reader accepts without a pause. ICMP
	// answers to a full batch of datagrams arrive as that many errors.
	freeErrors = 256

	// errorPause keeps a socket that only returns errors (a phone switched its network
	// off) from using a core. It is short compared with a tick.
	errorPause = time.Millisecond
)

// readSocket moves datagrams from the socket to the queue until the socket is closed. No other
// error ends it: on an unconnected socket, errors refer to single datagrams sent before.
func (c *Conn) readSocket() {
	// The buffer is one byte larger than a datagram may be, so that larger ones are noticed.
	buf := make([]byte, entangle.MaxDatagram+1)
	for failed := 0; ; {
		n, from, err := c.socket.ReadFromUDPAddrPort(buf)
		switch {
		case err == nil:
			failed = 0
			c.arrive(from, buf[:n])
		case errors.Is(err, net.ErrClosed):
			return
		default:
			failed++
			c.count.readErrors.Add(1)
			if failed > freeErrors && !c.pause() {
				return
			}
		}
	}
}

func (c *Conn) arrive(from netip.AddrPort, data []byte) {
	from = address.Unmap(from)
	if c.server.IsValid() {
		// A connected socket receives from the server only, except for datagrams that arrived
		// between bind and connect. The zone of an interface can be spelled in two ways; the queue
		// gets the spelling that was dialed.
		if from.Port() != c.server.Port() || from.Addr().WithZone("") != c.server.Addr().WithZone("") {
			c.count.stranger.Add(1)
			return
		}
		from = c.server
	}
	if c.arrived.Push(from, data) {
		c.count.receivedBytes.Add(uint64(len(data)))
	}
}

// pause reports whether the Conn is still open after errorPause.
func (c *Conn) pause() bool {
	select {
	case <-c.closed:
		return false
	case <-time.After(errorPause):
		return true
	}
}
