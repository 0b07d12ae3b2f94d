package systems

import (
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/session"
)

// Traffic counts the datagrams of one side and their bytes.
type Traffic struct {
	PacketsOut, BytesOut uint64
	PacketsIn, BytesIn   uint64
}

func (t *Traffic) in(n int) {
	t.PacketsIn++
	t.BytesIn += uint64(n)
}

func (t *Traffic) out(n int) {
	t.PacketsOut++
	t.BytesOut += uint64(n)
}

// Count is how often something happened for one reason.
type Count struct {
	Reason string
	N      uint64
}

func countDrops(drops session.Drops) (counts []Count) {
	for reason, n := range drops {
		counts = append(counts, Count{Reason: session.Drop(reason).String(), N: n})
	}
	return counts
}

// Traffic returns what went over the server's sockets since it was made.
func (s *Server) Traffic() Traffic { return s.traffic }

// Dropped returns how many datagrams and connections were dropped, by reason.
func (s *Server) Dropped() (counts []Count) {
	if s.session != nil {
		counts = countDrops(s.session.Stats().Drops)
	}
	return append(counts,
		Count{"client broke the protocol", s.dead.Malformed},
		Count{"client too slow", s.dead.TooSlow},
		Count{"client with another protocol", s.dead.Unequal})
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

// Held returns how many messages found no room under a cap on the present connection, and
// how many bytes of messages wait to be sent.
func (c *Client) Held() (dropped uint64, waiting int) {
	if c.peer == nil {
		return 0, 0
	}
	return c.peer.Stats().Channels.DroppedUnsent, c.peer.Waiting()
}

// Traffic returns what went over the client's sockets since it was made.
func (c *Client) Traffic() Traffic { return c.traffic }

// Dropped returns how many datagrams of the present connection were dropped, by
// reason.
func (c *Client) Dropped() (counts []Count) {
	if c.session != nil {
		counts = countDrops(c.session.Stats().Drops)
	}
	return counts
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

// Link returns what the client knows of its connection; zero without one.
func (c *Client) Link() Link {
	if c.peer == nil {
		return Link{}
	}
	tick, _ := c.peer.Tick()
	return Link{RTT: c.peer.RTT(), Jitter: c.peer.Jitter(), Loss: c.peer.Loss(), Tick: tick}
}
