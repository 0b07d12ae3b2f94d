package packet

import "time"

// estimator smooths round-trip times as RFC 6298, section 2, does.
type estimator struct {
	smoothed  time.Duration
	variation time.Duration
	sampled   bool
}

func newEstimator(initial time.Duration) estimator {
	return estimator{smoothed: initial, variation: initial / 2}
}

func (e *estimator) sample(rtt time.Duration) {
	rtt = max(rtt, 0)
	if !e.sampled {
		*e = estimator{smoothed: rtt, variation: rtt / 2, sampled: true}
		return
	}
	e.variation += ((e.smoothed - rtt).Abs() - e.variation) / 4
	e.smoothed += (rtt - e.smoothed) / 8
}

// timeout is how long a packet may stay unacknowledged before it counts as lost.
func (e *estimator) timeout(c *Config) time.Duration {
	scaled := time.Duration(c.LossFactor * float64(e.smoothed))
	return max(c.LossMin, scaled+4*e.variation)
}
