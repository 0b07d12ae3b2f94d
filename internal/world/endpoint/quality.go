package endpoint

import (
	"time"

	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

// What a link may be like for each quality: the share of packets that get lost, and the
// deviation of the round trip.
const (
	GoodLoss   = 0.05
	FairLoss   = 0.15
	GoodJitter = 50 * time.Millisecond
	FairJitter = 100 * time.Millisecond
)

// quality is the worse of how the inputs come and of what the link is like.
func (l Link) quality(inputs timesync.Quality) timesync.Quality {
	switch {
	case l.RTT == 0:
		return inputs // nothing was measured
	case l.Loss > FairLoss || l.Jitter > FairJitter:
		return timesync.Poor
	case l.Loss > GoodLoss || l.Jitter > GoodJitter:
		return max(inputs, timesync.Fair)
	}
	return max(inputs, timesync.Good)
}

// Quality returns how good the connection is to play with, Unknown without one.
func (c *Client) Quality() timesync.Quality {
	if !c.open {
		return timesync.Unknown
	}
	return c.Link().quality(c.cfg.Clock.Sync().Stats().Quality)
}
