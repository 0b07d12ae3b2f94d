package timesync

// Stats is what a client's clock knows about itself.
type Stats struct {
	Synced bool
	Lead   Phase // of the clock before the server's, by the best estimate
	Target Phase // what the lead should be
	Way    Phase // to the server and back, with what is kept in reserve: the ticks that delay or prediction have to cover
	Spread Phase // of what inputs needed, of late
	Lag    Phase // of the interpolation behind the newest tick that can be there
	Speed  Speed
	Delay  int // in effect, in ticks

	Jumps    uint64 // with the first one
	Pongs    uint64
	Measured uint64 // input ticks that the server told about
	Late     uint64 // of them, those that came too late or never
	Quality  Quality
}

// Stats returns what the clock knows about itself.
func (c *Client) Stats() Stats {
	s := Stats{
		Synced: c.synced, Speed: c.steer.speed, Delay: c.delay.now,
		Jumps: c.jumps, Pongs: c.pings.pongs, Measured: c.required.judged, Late: c.required.late,
		Quality: c.required.recent.quality(),
	}
	if !c.placed {
		return s
	}
	line, floor := c.serverLine(), c.floor()
	s.Lead, s.Way, s.Spread = c.own.offset-line, c.target-floor, c.required.window.spread()
	s.Target = max(c.target-whole(c.delay.wanted), floor) - line
	if c.shown.some {
		s.Lag = c.heard.line() - c.shown.offset
	}
	return s
}
