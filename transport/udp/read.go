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
	// freeErrors is how many errors in a row the reader takes without a pause.
	// ICMP answers to a full batch of datagrams come as that many.
	freeErrors = 256

	// errorPause keeps a socket that does nothing but fail (a phone took its
	// network away) from using a core. It is short beside a tick.
	errorPause = time.Millisecond
)

// read moves datagrams from the socket to the queue until the socket is closed.
// No other error ends it: on a socket without connection they are messages
// about single datagrams that went out before.
func (c *Conn) read() {
	// One byte more than a datagram may have shows which ones were cut.
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
		// The system lets the server's datagrams through only, but for those
		// that came between the socket's birth and its connect. Zones of one
		// interface have two spellings; the queue gets the one that was dialed.
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
