package timesync

import "time"

const (
	// suspectPackets is how many packets have to be off, and suspectTime for how long.
	suspectPackets = 3
	suspectTime    = 100 * time.Millisecond
)

// suspicion holds the evidence that the server's clock has changed: it stood still, or the
// client did. Packets show that first; pings sent from then on confirm it. Earlier pings may
// have waited during the stall, so their answers measure nothing.
type suspicion struct {
	packets int
	since   Phase // local time of the first of them
	line    Phase // newest tick of the server now, less local time
	below   bool  // line is lower than before
	active  bool

	pongs   int
	answers [enoughPongs]Phase
}

// suspect records a packet by its tick less local time, and reports whether that is far from
// earlier packets.
func (c *Client) suspect(at, tickPhase Phase) bool {
	d, away := &c.suspicion, tickPhase-c.arrivals.line()
	below := away < 0
	if max(away, -away) <= c.limits.far {
		if d.below { // overtaken packets are only late
			*d = suspicion{}
		}
		return false
	}
	if d.packets == 0 || d.below != below {
		*d = suspicion{since: at, line: tickPhase, below: below}
	}
	d.packets++
	d.line = max(d.line, tickPhase)
	if !d.active && d.packets >= suspectPackets && at-d.since >= c.limits.suspicion {
		d.active = true
		c.pings.discard()
	}
	return true
}

// confirm handles a pong during a suspicion. Enough of them end it.
func (c *Client) confirm(at, sample Phase) {
	d := &c.suspicion
	d.answers[d.pongs] = sample
	if d.pongs++; d.pongs < enoughPongs {
		return
	}
	by := d.line - c.arrivals.line()
	c.jumps.serverFell = by < 0
	c.arrivals.window.shift(by)
	c.shown.window.shift(-by)
	c.shown.aim()
	c.required.restart()
	for _, s := range d.answers {
		c.required.window.addSample(at, s)
	}
	*d = suspicion{}
}
