package timesync

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

const (
	fastPing   = 50 * time.Millisecond  // until the clock is right
	doubtPing  = 100 * time.Millisecond // when the server seems to be elsewhere
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

// ping is one that was sent, with the tick of its packet and where the clock was.
type ping struct {
	number uint8
	open   bool
	tick   entangle.Tick
	offset Phase
}

func (p *pings) send(tick entangle.Tick, offset Phase, now time.Time) uint8 {
	p.number++
	p.open[p.number%maxPings] = ping{number: p.number, open: true, tick: tick, offset: offset}
	p.last, p.some = now, true
	return p.number
}

// answer returns where the clock would have to be for a packet like that of the ping to
// come just in time, if the ping is one of ours.
func (p *pings) answer(number uint8, next entangle.Tick) (line Phase, ok bool) {
	sent := &p.open[number%maxPings]
	if !sent.open || sent.number != number {
		return 0, false
	}
	sent.open = false
	p.pongs++
	return sent.offset + whole(int(next.Sub(sent.tick))), true
}

// waited returns how long the last ping is past.
func (p *pings) waited(now time.Time) time.Duration {
	if !p.some {
		return time.Hour
	}
	return now.Sub(p.last)
}

func (c *Client) pingEvery() time.Duration {
	switch {
	case !c.synced || c.pings.pongs < 2*enoughPongs:
		return fastPing
	case c.heard.doubt():
		return doubtPing
	}
	return steadyPing
}

// AppendFrame appends the body of a frame for a packet with the header tick: a ping, if it
// is time for one.
func (c *Client) AppendFrame(dst []byte, room int, _ uint16, tick entangle.Tick, now time.Time) []byte {
	if !c.own.ran || room < pingSize || c.pings.waited(now) < c.pingEvery() {
		return dst
	}
	return append(dst, c.pings.send(tick, c.own.offset, now))
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
		c.shown.every = int(f.pong.every)
		if line, ok := c.pings.answer(f.pong.number, tick+1-entangle.Tick(f.pong.age)); ok {
			c.required.takePing(at, line, c.limits.fresh)
		}
	}
	if f.hasReport {
		last := tick - entangle.Tick(f.report.back)
		for i, m := range f.report.margins[:f.report.n] {
			if m != unknown {
				c.required.take(at, last-entangle.Tick(f.report.n-1-i), m)
			}
		}
	}
	c.place()
	return nil
}
