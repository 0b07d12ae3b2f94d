package packet

import "time"

// estimator smooths round-trip times as RFC 6298, section 2, does.
type estimator struct {
	smoothed  time.Duration
	variation time.Duration
	sampled   bool
	// least is what the line can do of late: it falls at once and rises slowly. A
	// sample holds the time that an acknowledgement waited for a packet to travel in,
	// which can be seconds where packets are lost; few samples of many do.
	least time.Duration
}

func newEstimator(initial time.Duration) estimator {
	return estimator{smoothed: initial, variation: initial / 2, least: initial}
}

func (e *estimator) sample(rtt time.Duration) {
	rtt = max(rtt, 0)
	e.least = min(rtt, e.least+(max(rtt, e.least)-e.least)/8)
	if !e.sampled {
		e.smoothed, e.variation, e.sampled = rtt, rtt/2, true
		return
	}
	e.variation += ((e.smoothed - rtt).Abs() - e.variation) / 4
	e.smoothed += (rtt - e.smoothed) / 8
}

// bound is the longest that anything is waited for, whatever the samples say: one
// that is far too long would keep packets from being sent that better ones come from.
func (e *estimator) bound() time.Duration { return max(LossMax, 2*e.least) }

// timeout is how long a packet may stay unacknowledged before it counts as lost.
func (e *estimator) timeout(c *Config) time.Duration {
	scaled := time.Duration(c.LossFactor * float64(e.smoothed))
	return max(c.LossMin, min(scaled+4*e.variation, e.bound()))
}
