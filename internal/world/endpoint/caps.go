package endpoint

import (
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/budget"
	"github.com/entangle-ecs/entangle/internal/core/peer"
)

const (
	// LeastCap is the lowest cap on one direction of a connection, in bytes per second: room for a
	// datagram every 100 ms, an acknowledgement every 25 ms, and the connection layer's own
	// packets.
	LeastCap = 16_000
	// MostCap is the highest cap, in bytes per second.
	MostCap = budget.MaxRate
	// CapSlack is how many bytes in total a connection may send beyond its cap and its saved budget:
	// the rest of a partly sent message, and data that must be sent in any case. Goodbyes are not
	// counted.
	CapSlack = 4 << 10
)

// leastSpan is how long unused budget is saved, unless two ticks are longer: the following frames can
// use the bytes that a frame leaves.
const leastSpan = 100 * time.Millisecond

// CapSpan returns how long unused budget is saved at a tick rate: the bytes of that time can be
// sent at once.
func CapSpan(tickRate int) time.Duration {
	return max(leastSpan, 2*time.Second/time.Duration(tickRate))
}

// Caps limits how much is sent, in bytes of datagrams per second. Zero means no cap.
type Caps struct {
	PerClient int // the cap for each client
	All       int // the cap for all clients together
	TickRate  int
}

// relayTime is the longest time that a client's cap may need to send the messages that other
// clients have waiting for it.
const relayTime = time.Second / 2

// relayShare returns how many bytes of other clients' messages, by their cost, may wait for a client if
// the server has room for the given number of clients. 0 means the same limit as without a cap.
func (c Caps) relayShare(clients int) int {
	rate := c.PerClient
	if all := c.All / max(clients, 1); c.All > 0 && (rate == 0 || all < rate) {
		rate = all
	}
	return min(int(time.Duration(rate)*relayTime/time.Second), peer.DefaultRelayLimit)
}

func (c Caps) any() bool { return c.PerClient > 0 || c.All > 0 }

// unlimited is more than a frame can send. Twice its value fits into 32 bits.
const unlimited = 1 << 29

// byteBudget holds the byte budgets of one client.
type byteBudget struct {
	bucket  budget.Bucket  // the budget under the client's own cap
	account budget.Account // the budget under the cap on all clients
	counted uint64         // bytes sent by its layer that the budgets already count
}

// allow sets every client's byte budget for this frame.
func (s *Server) allow(now time.Time) {
	if !s.cfg.Caps.any() {
		return
	}
	for c := range s.everyClient() {
		c.deductSent()
	}
	if s.cfg.Caps.All > 0 {
		s.divide(now)
	}
	for c := range s.everyClient() {
		bytes := s.own(c, now)
		if s.cfg.Caps.All > 0 {
			bytes = min(bytes, c.budget.account.Given())
		}
		if more := c.layer.Overhead(c.slot) - peerOverhead; more > 0 && bytes > 0 {
			bytes -= bytes / usualPayload * more
		}
		c.peer.SetBudget(bytes, now)
	}
}

const (
	// peerOverhead is how many bytes a peer adds to each payload when it counts its cost, and
	// usualPayload the least size of payloads when there is much to send.
	peerOverhead = entangle.MaxDatagram - entangle.MaxPayload
	usualPayload = 512
)

// own returns how many bytes a client's own cap allows now.
func (s *Server) own(c *client, now time.Time) int {
	if s.cfg.Caps.PerClient == 0 {
		return unlimited
	}
	return c.budget.bucket.Level(now)
}

// divide gives each client its share of the cap on all clients.
func (s *Server) divide(now time.Time) {
	s.all.Begin(now)
	for c := range s.everyClient() {
		s.all.Ask(&c.budget.account, min(c.peer.Wanted(now), s.own(c, now)))
	}
	s.all.Divide()
}

// charge deducts the bytes sent to a client in this frame from its budgets.
func (s *Server) charge(c *client) {
	if s.cfg.Caps.any() {
		c.budget.account.Charge(c.deductSent())
	}
}

// deductSent deducts the bytes sent since the last call from the client's own cap, and returns their
// number.
func (c *client) deductSent() (bytes int) {
	sent := c.layer.Sent(c.slot)
	bytes = int(sent - c.budget.counted)
	c.budget.counted = sent
	c.budget.bucket.Spend(bytes)
	return bytes
}
