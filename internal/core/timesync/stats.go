package timesync

// Stats describes the state of a client's clock.
type Stats struct {
	Synced    bool
	Lead      Phase // of the clock over the server's, by the best estimate
	Target    Phase // the lead that the clock is steered to
	RoundTrip Phase // the round trip with its reserve: the ticks that input delay or prediction have to cover
	Spread    Phase // between the lowest and highest of the recent samples of inputs
	Lag       Phase // of the interpolation time behind the newest tick that can have arrived
	Speed     Speed
	Delay     int // the input delay in effect, in ticks

	Jumps    uint64 // number of jumps, including the first one
	Pongs    uint64
	Measured uint64 // input ticks on which the server has reported
	Late     uint64 // those of them that were too late or missing
	Quality  Quality
}

// Stats returns the state of the clock.
func (c *Client) Stats() Stats {
	s := Stats{
		Synced: c.synced, Speed: c.steer.speed, Delay: c.delay.now,
		Jumps: c.jumps.count, Pongs: c.pings.pongs, Measured: c.required.judged, Late: c.required.late,
		Quality: c.required.recent.quality(),
	}
	if !c.aimed {
		return s
	}
	line, floor := c.serverLine(), c.floor()
	s.Lead, s.RoundTrip, s.Spread = c.own.offset-line, c.target-floor, c.required.window.spread()
	s.Target = max(c.target-whole(c.delay.wanted), floor) - line
	if c.shown.some {
		s.Lag = c.arrivals.line() - c.shown.base.offset
	}
	return s
}
