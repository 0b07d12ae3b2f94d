package timesync

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

const (
	fastPing   = 50 * time.Millisecond  // until the clock is right, and when there is doubt
	earlyPing  = 250 * time.Millisecond // while pings are all there is to go by, and few
	steadyPing = time.Second

	// enoughPongs is how many pongs it takes to set a clock by.
	enoughPongs = 4

	// maxPings is how many pings are remembered.
	maxPings = 32
)

// pings asks the server for its tick.
type pings struct {
	open   [maxPings]ping
	number uint8
	last   time.Time
	some   bool
	pongs  uint64
}

// ping is one that was sent, with where the clock was beyond the tick of its packet.
type ping struct {
	number uint8
	open   bool
	beyond Phase
}

func (p *pings) send(beyond Phase, now time.Time) uint8 {
	p.number++
	p.open[p.number%maxPings] = ping{number: p.number, open: true, beyond: beyond}
	p.last, p.some = now, true
	return p.number
}

// answer returns where the clock would have to be for a packet like that of the ping to
// come just in time, if the ping is one of ours.
func (p *pings) answer(number uint8, next Phase) (line Phase, ok bool) {
	sent := &p.open[number%maxPings]
	if !sent.open || sent.number != number {
		return 0, false
	}
	sent.open = false
	p.pongs++
	return next + sent.beyond, true
}

// void forgets the pings under way, and makes the next one due.
func (p *pings) void() {
	for i := range p.open {
		p.open[i].open = false
	}
	p.some = false
}

// waited returns how long the last ping is past.
func (p *pings) waited(now time.Time) time.Duration {
	if !p.some {
		return time.Hour
	}
	return now.Sub(p.last)
}

func (c *Client) pingEvery() time.Duration {
	if !c.synced || c.doubt.active || c.pings.pongs < 2*enoughPongs {
		return fastPing
	}
	if c.required.judged == 0 && c.required.window.n < steadyBlocks {
		return earlyPing
	}
	return steadyPing
}

// AppendFrame appends the body of a frame for a packet with the header tick: a ping, if it
// is time for one.
func (c *Client) AppendFrame(dst []byte, room int, _ uint16, tick entangle.Tick, now time.Time) []byte {
	if !c.own.ran || room < pingSize || c.pings.waited(now) < c.pingEvery() {
		return dst
	}
	return append(dst, c.pings.send(c.own.offset-c.own.ticks.of(tick), now))
}

// Urgent reports whether a ping has waited for a packet to travel in for long enough.
func (c *Client) Urgent(now time.Time) bool {
	every := c.pingEvery()
	if every == steadyPing {
		every *= 2
	}
	return c.own.ran && c.pings.waited(now) >= every
}

// HandleAcked has nothing to do: what counts is the answer.
func (c *Client) HandleAcked(uint16) {}

// HandleLost has nothing to do: there will be another ping.
func (c *Client) HandleLost(uint16) {}

// HandleFrame takes a frame of the server, of a packet with the header tick.
func (c *Client) HandleFrame(tick entangle.Tick, body []byte, now time.Time) error {
	f := &c.frame
	if err := f.parse(body); err != nil {
		return err
	}
	at := c.axis.at(now)
	if f.hasPong {
		c.handlePong(at, tick, f.pong)
	}
	if f.hasReport && !c.doubt.active {
		c.required.takeReport(at, c.own.offset+whole(c.delay.now), tick-entangle.Tick(f.report.back), &f.report)
	}
	c.place()
	return nil
}

func (c *Client) handlePong(at Phase, tick entangle.Tick, p pong) {
	c.shown.every = int(p.every)
	if !c.heard.ticks.some {
		return
	}
	line, ok := c.pings.answer(p.number, c.heard.ticks.of(tick+1-entangle.Tick(p.age)))
	switch {
	case !ok:
	case c.doubt.active:
		c.answered(at, line)
	default:
		c.required.takePing(at, line, c.limits.fresh)
	}
}
