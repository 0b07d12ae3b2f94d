package endpoint

import (
	"time"

	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

// The limits of a link for each quality: the share of lost packets, and the deviation of the round
// trip.
const (
	GoodLoss   = 0.05
	FairLoss   = 0.15
	GoodJitter = 50 * time.Millisecond
	FairJitter = 100 * time.Millisecond
)

// quality returns the worse of the quality of the inputs' arrival and that of the link.
func (l Link) quality(inputs timesync.Quality) timesync.Quality {
	switch {
	case l.RTT == 0:
		return inputs // no measurement yet
	case l.Loss > FairLoss || l.Jitter > FairJitter:
		return timesync.Poor
	case l.Loss > GoodLoss || l.Jitter > GoodJitter:
		return max(inputs, timesync.Fair)
	}
	return max(inputs, timesync.Good)
}

// Quality returns the quality of the connection for play, Unknown without one.
func (c *Client) Quality() timesync.Quality {
	if !c.open {
		return timesync.Unknown
	}
	return c.Link().quality(c.cfg.Clock.Sync().Stats().Quality)
}
