package packet

import "time"

// estimator smooths round-trip times according to RFC 6298, section 2.
type estimator struct {
	smoothed  time.Duration
	variation time.Duration
	sampled   bool
	// minimum is the recent minimum of the round trip: it falls at once and rises slowly. It
	// excludes samples that are too long because the acknowledgement waited for a packet to carry
	// it. On a lossy connection that wait can be seconds, but only in a few of many samples.
	minimum time.Duration
}

func newEstimator(initial time.Duration) estimator {
	return estimator{smoothed: initial, variation: initial / 2, minimum: initial}
}

func (e *estimator) sample(rtt time.Duration) {
	rtt = max(rtt, 0)
	e.minimum = min(rtt, e.minimum+(max(rtt, e.minimum)-e.minimum)/8)
	if !e.sampled {
		e.smoothed, e.variation, e.sampled = rtt, rtt/2, true
		return
	}
	e.variation += ((e.smoothed - rtt).Abs() - e.variation) / 4
	e.smoothed += (rtt - e.smoothed) / 8
}

// bound returns the longest timeout, whatever the samples are. Without it, a timeout that is far
// too long would delay the very resends whose acknowledgements would be the shorter samples.
func (e *estimator) bound() time.Duration { return max(LossMax, 2*e.minimum) }

// timeout returns how long a packet may stay unacknowledged before it counts as lost.
func (e *estimator) timeout(c *Config) time.Duration {
	scaled := time.Duration(c.LossFactor * float64(e.smoothed))
	return max(c.LossMin, min(scaled+4*e.variation, e.bound()))
}
