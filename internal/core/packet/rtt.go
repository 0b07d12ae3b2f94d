package packet

import "time"

// estimator estimates two times from the same samples: how long a round trip takes, and how long an
// answer takes, which is the time until a packet is acknowledged. An answer is longer by the time
// that its acknowledgement waits at the peer, so timeouts follow the answers.
type estimator struct {
	trip, answer smoothed
	sampled      bool // there is a sample of trip
	// minimum is the recent minimum of the answers: it falls at once and rises slowly. It excludes
	// answers that are too long because one of the ends stood still.
	minimum time.Duration
}

func newEstimator(initial time.Duration) estimator {
	s := smoothed{mean: initial, variation: initial / 2}
	return estimator{trip: s, answer: s, minimum: initial}
}

// sample adds the time that an answer took. waited is how long of it the acknowledgement waited, as
// the peer claims. If that is MaxAckDelay or longer, only a wait of MaxAckDelay counts: on a lossy
// line without data to send, an acknowledgement may wait for seconds until the next header, after
// one was lost.
func (e *estimator) sample(answer, waited time.Duration) {
	answer = max(answer, 0)
	if waited >= MaxAckDelay {
		answer = min(answer, e.trip.mean+MaxAckDelay)
	}
	e.minimum = min(answer, e.minimum+(max(answer, e.minimum)-e.minimum)/8)
	e.answer.add(answer, !e.sampled)
	if waited < MaxAckDelay {
		e.trip.add(max(answer-waited, 0), !e.sampled)
		e.sampled = true
	}
}

// bound returns the longest timeout, whatever the samples are. Without it, a timeout that is far
// too long would delay the very resends whose acknowledgements would be the shorter samples.
func (e *estimator) bound() time.Duration { return max(LossMax, 2*e.minimum) }

// timeout returns how long a packet may stay unacknowledged before it counts as lost.
func (e *estimator) timeout(c *Config) time.Duration { return max(c.LossMin, e.longest(c)) }

// longest returns how long nearly all answers take at most, also if the first header with the acknowledgement is lost: the
// peer sends another one within about AckDelay. The samples are of packets that were the newest, which others had not
// overtaken: those that are overtaken take longer.
func (e *estimator) longest(c *Config) time.Duration {
	scaled := time.Duration(c.LossFactor * float64(e.answer.mean))
	return min(scaled+4*e.answer.variation+c.AckDelay, e.bound())
}

// smoothed is the mean and the variation of recent times, according to RFC 6298, section 2.
type smoothed struct{ mean, variation time.Duration }

func (s *smoothed) add(sample time.Duration, first bool) {
	if first {
		*s = smoothed{mean: sample, variation: sample / 2}
		return
	}
	s.variation += ((s.mean - sample).Abs() - s.variation) / 4
	s.mean += (sample - s.mean) / 8
}
