package timesync

import "time"

const (
	// doubtPackets is how many packets have to be astray, and doubtTime for how long.
	doubtPackets = 3
	doubtTime    = 100 * time.Millisecond
)

// doubt is the suspicion that the server's clock is not where it was: it stood still, or
// ours did. Its packets say so first, and pings that are sent from then on tell. What
// happened to those before is no measure of anything: they may have waited all along.
type doubt struct {
	packets int
	since   Phase // local time of the first of them
	line    Phase // where the newest tick is now, less local time
	below   bool  // than it was
	active  bool

	pongs   int
	answers [enoughPongs]Phase
}

// astray notes a packet by its tick less local time, and reports whether it is far from
// where packets were until now.
func (c *Client) astray(at, heard Phase) bool {
	d, away := &c.doubt, heard-c.heard.line()
	below := away < 0
	if max(away, -away) <= c.limits.far {
		if d.below { // what is overtaken is late, and nothing else
			*d = doubt{}
		}
		return false
	}
	if d.packets == 0 || d.below != below {
		*d = doubt{since: at, line: heard, below: below}
	}
	d.packets++
	d.line = max(d.line, heard)
	if !d.active && d.packets >= doubtPackets && at-d.since >= c.limits.doubt {
		d.active = true
		c.pings.void()
	}
	return true
}

// answered takes a pong while there is doubt. Enough of them end it.
func (c *Client) answered(at, sample Phase) {
	d := &c.doubt
	d.answers[d.pongs] = sample
	if d.pongs++; d.pongs < enoughPongs {
		return
	}
	by := d.line - c.heard.line()
	c.fell = by < 0
	c.heard.window.shift(by)
	c.shown.window.shift(-by)
	c.shown.aim()
	c.required.restart()
	for _, s := range d.answers {
		c.required.window.add(at, s)
	}
	*d = doubt{}
}
