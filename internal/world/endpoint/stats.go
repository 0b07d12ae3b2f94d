package endpoint

import (
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
)

// Traffic returns what went through the server's layers since it was made.
func (s *Server) Traffic() connection.Traffic {
	sum := s.traffic
	for _, l := range s.layers {
		sum = sum.Plus(l.Traffic())
	}
	return sum
}

// Dropped returns how many datagrams and connections were dropped, by reason.
func (s *Server) Dropped() (counts []connection.Dropped) {
	if !s.Running() {
		return s.atStop
	}
	for _, l := range s.layers {
		counts = l.AppendDropped(counts)
	}
	return append(counts,
		connection.Dropped{Reason: "client broke the protocol", Count: s.dead.Malformed},
		connection.Dropped{Reason: "client too slow", Count: s.dead.TooSlow},
		connection.Dropped{Reason: "packet of a client that sends too much", Count: s.dead.Excess},
		connection.Dropped{Reason: "client that costs too much", Count: s.dead.TooCostly},
		connection.Dropped{Reason: "client with another protocol", Count: s.dead.Unequal},
		connection.Dropped{Reason: "client beyond the last seat", Count: s.dead.NoRoom},
		connection.Dropped{Reason: "client connected through another layer", Count: s.dead.Twice},
		connection.Dropped{Reason: "client without an id", Count: s.dead.Nobody},
		connection.Dropped{Reason: "client with the id of the host's own player", Count: s.dead.Reserved})
}

// Held returns how many messages found no room under a cap, of all clients there ever
// were, and how many bytes of messages and structure wait to be sent to those there are.
func (s *Server) Held() (dropped uint64, waiting int) {
	dropped = s.dropped
	for _, c := range s.clients {
		if c != nil {
			dropped += c.peer.Stats().Channels.DroppedUnsent
			waiting += c.peer.Waiting()
		}
	}
	return dropped, waiting
}

// lastConnection is what is told of a connection when it has ended, until the next begins.
type lastConnection struct {
	link    Link
	held    uint64
	dropped []connection.Dropped
}

func (c *Client) ended() lastConnection {
	held, _ := c.Held()
	return lastConnection{link: c.Link(), held: held, dropped: c.Dropped()}
}

// Held returns how many messages found no room under a cap on the present connection, or the
// last, and how many bytes of messages wait to be sent.
func (c *Client) Held() (dropped uint64, waiting int) {
	if c.peer == nil {
		return c.last.held, 0
	}
	return c.peer.Stats().Channels.DroppedUnsent, c.peer.Waiting()
}

// Work returns how much all clients there ever were made the server do, in units; see
// Intake.
func (s *Server) Work() uint64 {
	work := s.work
	for _, c := range s.clients {
		if c != nil {
			work += c.spent
		}
	}
	return work
}

// Received returns what became of the records of groups that servers sent, since the client
// was made.
func (c *Client) Received() receiver.Stats {
	if c.receiver == nil {
		return c.received
	}
	return c.received.Plus(c.receiver.Stats())
}

// Traffic returns what went through the client's layers since it was made.
func (c *Client) Traffic() connection.Traffic {
	if c.layer == nil {
		return c.traffic
	}
	return c.traffic.Plus(c.layer.Traffic())
}

// Dropped returns what was dropped of the present connection, or of the last, by reason.
func (c *Client) Dropped() []connection.Dropped {
	if c.layer == nil {
		return c.last.dropped
	}
	dropped := c.layer.AppendDropped(nil)
	if c.peer != nil {
		dropped = append(dropped, connection.Dropped{Reason: "packet beyond what a client reads in a frame", Count: c.peer.Stats().Unready})
	}
	return dropped
}

// Link is what one end knows of a connection.
type Link struct {
	// RTT is the smoothed round trip, the peer's frame included; Jitter its
	// smoothed deviation. Both are 0 until this side has sent something that was
	// acknowledged.
	RTT, Jitter time.Duration
	// Loss is the share of the recent packets to the peer that were lost, 0..1.
	Loss float64
	// Tick is the newest tick of the peer that arrived.
	Tick entangle.Tick
}

// Link returns what the client knows of its connection, or knew of the last at its end; zero
// before the first, and while it connects.
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
