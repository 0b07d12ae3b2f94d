package timesync

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

const (
	fastPing   = 50 * time.Millisecond  // until the clock is set, and during a suspicion
	earlyPing  = 250 * time.Millisecond // while only few pongs have arrived and no input was measured
	steadyPing = time.Second

	// enoughPongs is how many pongs are needed to set a clock.
	enoughPongs = 4

	// maxPings is the most pings that can wait for their pong.
	maxPings = 32
)

// pings tracks the pings sent to the server.
type pings struct {
	open   [maxPings]ping
	number uint8
	last   time.Time
	some   bool
	pongs  uint64
}

// ping is a sent ping. beyond is how far the clock was ahead of the tick in the header of its
// packet.
type ping struct {
	number uint8
	open   bool
	beyond Phase
}

func (p *pings) recordSent(beyond Phase, now time.Time) uint8 {
	p.number++
	p.open[p.number%maxPings] = ping{number: p.number, open: true, beyond: beyond}
	p.last, p.some = now, true
	return p.number
}

// answer returns where the clock would have to be, minus local time, for a packet like that of the
// ping to arrive just in time. next is the server's next tick when the ping arrived. ok is false if
// no such ping is open.
func (p *pings) answer(number uint8, next Phase) (line Phase, ok bool) {
	sent := &p.open[number%maxPings]
	if !sent.open || sent.number != number {
		return 0, false
	}
	sent.open = false
	p.pongs++
	return next + sent.beyond, true
}

// discard ignores the pongs of all pings so far, and makes the next ping due.
func (p *pings) discard() {
	for i := range p.open {
		p.open[i].open = false
	}
	p.some = false
}

// waited returns the time since the last ping was sent.
func (p *pings) waited(now time.Time) time.Duration {
	if !p.some {
		return time.Hour
	}
	return now.Sub(p.last)
}

func (c *Client) pingEvery() time.Duration {
	if !c.synced || c.suspicion.active || c.pings.pongs < 2*enoughPongs {
		return fastPing
	}
	if c.required.judged == 0 && c.required.window.n < steadyBlocks {
		return earlyPing
	}
	return steadyPing
}

// AppendFrame appends the body of a frame for a packet with tick in its header: a ping if one is
// due.
func (c *Client) AppendFrame(dst []byte, room int, _ uint16, tick entangle.Tick, now time.Time) []byte {
	if !c.own.ran || room < pingSize || c.pings.waited(now) < c.pingEvery() {
		return dst
	}
	return append(dst, c.pings.recordSent(c.own.offset-c.own.ticks.extend(tick), now))
}

// Urgent reports whether a ping has waited so long that it needs a packet of its own.
func (c *Client) Urgent(now time.Time) bool {
	every := c.pingEvery()
	if every == steadyPing {
		every *= 2
	}
	return c.own.ran && c.pings.waited(now) >= every
}

// HandleAcked does nothing, because a ping is answered by a pong.
func (c *Client) HandleAcked(uint16) {}

// HandleLost does nothing, because the next ping makes up for a lost one.
func (c *Client) HandleLost(uint16) {}

// HandleFrame handles a frame from the server that came in a packet with tick in its header.
func (c *Client) HandleFrame(tick entangle.Tick, body []byte, now time.Time) error {
	f := &c.frame
	if err := f.parse(body); err != nil {
		return err
	}
	at := c.axis.phaseAt(now)
	if f.hasPong {
		c.handlePong(at, tick, f.pong)
	}
	if f.hasReport && !c.suspicion.active {
		c.required.takeReport(at, c.own.offset+whole(c.delay.now), tick-entangle.Tick(f.report.back), &f.report)
	}
	c.aim()
	return nil
}

func (c *Client) handlePong(at Phase, tick entangle.Tick, p pong) {
	if !c.arrivals.ticks.some {
		return
	}
	c.shown.packets = int(p.every) // Show begins the base again, after all packets of the frame
	line, ok := c.pings.answer(p.number, c.arrivals.ticks.extend(tick+1-entangle.Tick(p.age)))
	switch {
	case !ok:
	case c.suspicion.active:
		c.confirm(at, line)
	default:
		c.required.takePing(at, line, c.limits.fresh)
	}
}
