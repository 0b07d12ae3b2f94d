package endpoint

import (
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
)

// closedLayers holds the counters of the connection layers that a server has closed.
type closedLayers struct {
	traffic connection.Traffic
	dropped []connection.Dropped // the counters at the last Stop
}

// departed holds the counters and the work quotas that disconnected clients leave behind.
type departed struct {
	quotas  quotas
	work    uint64 // units that they have caused
	dropped uint64 // messages dropped under a cap
}

// Traffic returns the traffic of the server's layers since NewServer.
func (s *Server) Traffic() connection.Traffic {
	sum := s.closed.traffic
	for _, l := range s.layers {
		sum = sum.Plus(l.Traffic())
	}
	return sum
}

// AppendDropped appends how many datagrams and connections were dropped, by reason.
func (s *Server) AppendDropped(dst []connection.Dropped) []connection.Dropped {
	if !s.Running() {
		return append(dst, s.closed.dropped...)
	}
	for _, l := range s.layers {
		dst = l.AppendDropped(dst)
	}
	return append(dst,
		connection.Dropped{Reason: "client broke the protocol", Count: s.dead.Malformed},
		connection.Dropped{Reason: "client too slow", Count: s.dead.TooSlow},
		connection.Dropped{Reason: "packet of a client that sends too much", Count: s.dead.Excess},
		connection.Dropped{Reason: "client that costs too much", Count: s.dead.TooCostly},
		connection.Dropped{Reason: "client with another protocol", Count: s.dead.Unequal},
		connection.Dropped{Reason: "client beyond the last slot", Count: s.dead.NoRoom},
		connection.Dropped{Reason: "client connected through another layer", Count: s.dead.Twice},
		connection.Dropped{Reason: "client without an id", Count: s.dead.Nobody},
		connection.Dropped{Reason: "client with the id of the host's own player", Count: s.dead.Reserved})
}

// Held returns how many messages were dropped for lack of room under a cap, of all clients since
// NewServer, and how many bytes of messages and structure wait to be sent to the present clients.
func (s *Server) Held() (dropped uint64, waiting int) {
	dropped = s.departed.dropped
	for c := range s.everyClient() {
		dropped += c.peer.Stats().Channels.DroppedUnsent
		waiting += c.peer.Waiting()
	}
	return dropped, waiting
}

// lastConnection keeps the statistics of an ended connection until the next begins.
type lastConnection struct {
	link    Link
	held    uint64
	dropped []connection.Dropped
}

func (c *Client) ended() lastConnection {
	held, _ := c.Held()
	return lastConnection{link: c.Link(), held: held, dropped: c.AppendDropped(nil)}
}

// Held returns how many messages were dropped for lack of room under a cap on the present or last
// connection, and how many bytes of messages wait to be sent.
func (c *Client) Held() (dropped uint64, waiting int) {
	if c.peer == nil {
		return c.last.held, 0
	}
	return c.peer.Stats().Channels.DroppedUnsent, c.peer.Waiting()
}

// Work returns how much work all clients have caused since NewServer, in units; see Intake.
func (s *Server) Work() uint64 {
	work := s.departed.work
	for c := range s.everyClient() {
		work += c.spent
	}
	return work
}

// Received returns the statistics of received group records, of all connections since NewClient.
func (c *Client) Received() receiver.Stats { return c.received }

// Traffic returns the traffic of the client's layers since NewClient.
func (c *Client) Traffic() connection.Traffic {
	if c.layer == nil {
		return c.traffic
	}
	return c.traffic.Plus(c.layer.Traffic())
}

// AppendDropped appends how many datagrams of the present or last connection were dropped, by
// reason.
func (c *Client) AppendDropped(dst []connection.Dropped) []connection.Dropped {
	if c.layer == nil {
		return append(dst, c.last.dropped...)
	}
	dst = c.layer.AppendDropped(dst)
	if c.peer != nil {
		dst = append(dst, connection.Dropped{Reason: "packet beyond what a client reads in a frame", Count: c.peer.Stats().Unready})
	}
	return dst
}

// Link holds the measurements of a connection at one end.
type Link struct {
	// RTT is the smoothed round-trip time, including the time until a frame of either end reads what
	// has arrived, but not the peer's delay in acknowledging; Jitter is the smoothed deviation of
	// the round-trip time. Both are 0 until they are measured.
	RTT, Jitter time.Duration
	// Loss is the share of the recent packets to the peer that were lost, 0..1.
	Loss float64
	// Tick is the peer's newest tick that has arrived.
	Tick entangle.Tick
}

// Link returns the measurements of the present connection, or of the last one at its end. It is
// zero before the first connection, and while connecting.
func (c *Client) Link() Link {
	if c.peer == nil {
		return c.last.link
	}
	return linkOf(c.peer)
}

func linkOf(p *peer.Peer) Link {
	tick, _ := p.Tick()
	return Link{RTT: p.RTT(), Jitter: p.Jitter(), Loss: p.Loss(), Tick: tick}
}
