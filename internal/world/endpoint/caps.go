package endpoint

import (
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/budget"
	"github.com/entangle-ecs/entangle/internal/core/peer"
)

const (
	// LeastCap is the lowest cap on what one end sends another, in bytes per second: room
	// for a datagram every 100 ms, an acknowledgement every 25 ms, and what the connection layer says
	// by itself.
	LeastCap = 16_000
	// MostCap is the highest.
	MostCap = budget.MaxRate
	// CapSlack is what a connection may send beyond a cap and what was saved up, in bytes,
	// in all: the end of a message that was begun, and what must leave in any case but for its
	// goodbyes.
	CapSlack = 4 << 10
)

// leastSpan is how long a cap is saved up, unless two ticks are longer: what a frame does
// not use the next few can.
const leastSpan = 100 * time.Millisecond

// CapSpan returns how long a cap is saved up at a tick rate: so much of it can leave at
// once.
func CapSpan(tickRate int) time.Duration {
	return max(leastSpan, 2*time.Second/time.Duration(tickRate))
}

// Caps is how much may be sent, in bytes of datagrams per second. Zero: no cap.
type Caps struct {
	PerClient int // to each client
	All       int // to all together
	TickRate  int
}

// relayTime is for how long a client's cap carries what other clients have waiting for it, at most.
const relayTime = time.Second / 2

// relayShare returns how much may wait for one of so many clients that other clients have to say
// to it, in bytes of cost; 0: as much as without a cap.
func (c Caps) relayShare(clients int) int {
	rate := c.PerClient
	if all := c.All / max(clients, 1); c.All > 0 && (rate == 0 || all < rate) {
		rate = all
	}
	return min(int(time.Duration(rate)*relayTime/time.Second), peer.DefaultShare)
}

func (c Caps) any() bool { return c.PerClient > 0 || c.All > 0 }

// unlimited is more than a frame has, and twice it fits into 32 bits.
const unlimited = 1 << 29

// purse holds the byte budgets of one client.
type purse struct {
	bucket  budget.Bucket  // of its own cap
	account budget.Account // of the cap on all
	counted uint64         // of what its layer has sent it
}

// allow sets every client's byte budget for this frame.
func (s *Server) allow(now time.Time) {
	if !s.cfg.Caps.any() {
		return
	}
	for _, c := range s.clients {
		if c != nil {
			c.settle()
		}
	}
	if s.cfg.Caps.All > 0 {
		s.divide(now)
	}
	for _, c := range s.clients {
		if c == nil {
			continue
		}
		bytes := s.own(c, now)
		if s.cfg.Caps.All > 0 {
			bytes = min(bytes, c.purse.account.Given())
		}
		if more := c.layer.Overhead(c.slot) - peerOverhead; more > 0 && bytes > 0 {
			bytes -= bytes / usualPayload * more
		}
		c.peer.Allow(bytes, now)
	}
}

const (
	// peerOverhead is what a peer takes each payload to cost beside itself, and
	// usualPayload how large it is at least where there is much to send.
	peerOverhead = entangle.MaxDatagram - entangle.MaxPayload
	usualPayload = 512
)

// own returns what a client may have by its own cap.
func (s *Server) own(c *client, now time.Time) int {
	if s.cfg.Caps.PerClient == 0 {
		return unlimited
	}
	return c.purse.bucket.Level(now)
}

// divide gives each client its part of the cap on all.
func (s *Server) divide(now time.Time) {
	s.all.Begin(now)
	for _, c := range s.clients {
		if c != nil {
			s.all.Ask(&c.purse.account, min(c.peer.Wanted(now), s.own(c, now)))
		}
	}
	s.all.Divide()
}

// charge takes what was made for a client from what it may be sent.
func (s *Server) charge(c *client) {
	if s.cfg.Caps.any() {
		c.purse.account.Charge(c.settle())
	}
}

// settle takes from a client's own cap what was sent since, and returns how much it was.
func (c *client) settle() (bytes int) {
	sent := c.layer.Sent(c.slot)
	bytes = int(sent - c.purse.counted)
	c.purse.counted = sent
	c.purse.bucket.Spend(bytes)
	return bytes
}
