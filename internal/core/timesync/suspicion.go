package timesync

import "time"

const (
	// suspectPackets packets have to deviate, for at least suspectTime, before the suspicion
	// becomes active.
	suspectPackets = 3
	suspectTime    = 100 * time.Millisecond
)

// suspicion is the evidence that the server's clock has changed against local time, because the
// server or the client stood still. Packets from the server show this first. Pings that are sent
// from then on confirm it. Earlier pings may have waited during the stall, so their answers are not
// measured.
type suspicion struct {
	packets int   // number of packets that deviate
	since   Phase // local time of the first of them
	line    Phase // the server's newest tick minus local time, by those packets
	below   bool  // line is lower than by earlier packets
	active  bool  // there are enough of these packets; pings have to confirm it

	pongs   int
	answers [enoughPongs]Phase
}

// deviates reports whether a tick of the server, minus local time, is far from the value of earlier
// packets.
func (c *Client) deviates(tickPhase Phase) bool {
	away := tickPhase - c.arrivals.line()
	return max(away, -away) > c.limits.far
}

// suspect records a packet, by its tick minus local time. It reports whether that is far from the
// value of earlier packets.
func (c *Client) suspect(at, tickPhase Phase) bool {
	d, below := &c.suspicion, tickPhase < c.arrivals.line()
	if !c.deviates(tickPhase) {
		if d.below { // such packets were overtaken, and only late
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

// confirm handles a pong during a suspicion. After enoughPongs of them, the measurements move to
// the new values and the suspicion ends.
func (c *Client) confirm(at, sample Phase) {
	d := &c.suspicion
	d.answers[d.pongs] = sample
	if d.pongs++; d.pongs < enoughPongs {
		return
	}
	by := d.line - c.arrivals.line()
	c.jumps.serverFell = by < 0
	c.arrivals.window.shift(by)
	c.shown.shift(-by)
	c.required.restart()
	for _, s := range d.answers {
		c.required.window.addSample(at, s)
	}
	*d = suspicion{}
}
