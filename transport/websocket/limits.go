package websocket

import (
	"cmp"
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle"
)

// Limits of a connection before the layer above has admitted it as a client.
const (
	// AdmitWithin is how long a connection may stay open without being admitted.
	AdmitWithin = 5 * time.Second

	// AdmitBytes is how many bytes are read of a connection that is not admitted, WebSocket frames
	// included. That is enough for three connection requests and the answer to a challenge.
	AdmitBytes = 4096
)

// Defaults of Limits.
const (
	// DefaultPending is the greatest number of connections that are not admitted yet.
	DefaultPending = 256

	// DefaultPendingPerAddress is the greatest number of those connections from one address: enough
	// for the players of a home that join at once, and a few attempts that hang.
	DefaultPendingPerAddress = 8

	// DefaultQueue is how many datagrams wait for a server's Receive, as with UDP: ten
	// frames of 400 clients that send once per frame, in 4.7 MB.
	DefaultQueue = 4096

	// DefaultBacklog is how many datagrams wait to be written to one client, in at most 295 KB:
	// about four seconds of one datagram in every tick at 60 Hz. A client that is further behind
	// needs newer datagrams more than these.
	DefaultBacklog = 256
)

// Limits bound the cost of connections to a server.
type Limits struct {
	// Pending is the greatest number of connections that are not admitted yet.
	// 0: DefaultPending.
	Pending int

	// PendingPerAddress is how many of them may come from one IPv4 address, or one /64
	// of IPv6. 0: DefaultPendingPerAddress. Negative: as many as Pending. Behind a
	// reverse proxy every client comes from the proxy's address.
	PendingPerAddress int

	// Queue is how many datagrams of clients may wait for Receive, of
	// entangle.MaxDatagram bytes each. Connections that are not admitted have a queue of
	// their own: four datagrams for each of Pending, and no more than Queue.
	// 0: DefaultQueue.
	Queue int

	// Backlog is how many datagrams may wait to be written to one client.
	// 0: DefaultBacklog.
	Backlog int
}

// resolve fills in defaults. owner names the struct in errors.
func (l Limits) resolve(owner string) (Limits, error) {
	for _, f := range []struct {
		name     string
		value    *int
		standard int
	}{
		{"Pending", &l.Pending, DefaultPending},
		{"Queue", &l.Queue, DefaultQueue},
		{"Backlog", &l.Backlog, DefaultBacklog},
	} {
		if *f.value < 0 {
			return l, fmt.Errorf("websocket: %s.Limits.%s is %d; give a number from 1 on, or 0 for %d", owner, f.name, *f.value, f.standard)
		}
		*f.value = cmp.Or(*f.value, f.standard)
	}
	switch {
	case l.PendingPerAddress == 0:
		l.PendingPerAddress = min(DefaultPendingPerAddress, l.Pending)
	case l.PendingPerAddress < 0:
		l.PendingPerAddress = l.Pending
	}
	return l, nil
}

const (
	// clientShare is how many datagrams of one client may be queued in a round, see pace. Then its
	// WebSocket is not read until the game has read all waiting datagrams, so a flood of one client
	// leaves room for the others.
	clientShare = 64

	// strangerShare is the share of a stranger. A stranger sends a request and one answer.
	strangerShare = 4

	// noiseLimit is how many bytes may arrive without a whole datagram among them, such as pings
	// and empty fragments. It is large enough for the read-ahead buffer.
	noiseLimit = 8 << 10

	// maxHeader is the greatest size of the headers of a request or response in bytes,
	// cookies of a browser included.
	maxHeader = 8 << 10

	// frameBuffer is the size of a datagram as a frame: its payload and a header of 14 bytes.
	frameBuffer = entangle.MaxDatagram + 14

	// kernelBuffer is the kernel's send buffer in bytes. A larger one would only delay the
	// datagrams to a slow peer: at a round trip of 200 ms this one passes 640 KB/s, and
	// Linux doubles it.
	kernelBuffer = 128 << 10
)

// patience holds the timeouts.
type patience struct {
	header  time.Duration // a TCP connection, until its request has arrived
	admit   time.Duration // a WebSocket, until it is a client's
	stall   time.Duration // one write to a peer that does not read
	goodbye time.Duration // the last datagrams and the closing handshake
	dial    time.Duration // one attempt of a client
	redial  time.Duration // the pause after a failed attempt
}

// orDefault fills in the timeouts that are used outside of tests.
func (p patience) orDefault() patience {
	if p != (patience{}) {
		return p
	}
	return patience{
		header: 5 * time.Second, admit: AdmitWithin, stall: 10 * time.Second, goodbye: 500 * time.Millisecond,
		dial: 10 * time.Second, redial: 500 * time.Millisecond,
	}
}
