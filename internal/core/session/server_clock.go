package session

import (
	"time"

	"github.com/entangle-ecs/entangle/transport/token"
)

// serverClock has the caller's time, and the time in seconds with which tokens are compared.
type serverClock struct {
	now       time.Time // of the last call
	wall      uint64    // the latest second so far, because clocks may be set back
	startWall uint64    // tokens of earlier seconds are refused
	swept     time.Time // when expired entries were last removed
}

// newServerClock rounds the start up to the next second, because a token of the same second may
// have been used before a restart of the server.
func newServerClock(start time.Time) serverClock {
	return serverClock{
		now: start, swept: start,
		wall: uint64(start.Unix()), startWall: uint64(token.NextSecond(start).Unix()),
	}
}

// setNow sets the time to the caller's.
func (c *serverClock) setNow(now time.Time) {
	c.now = now
	c.wall = max(c.wall, uint64(max(now.Unix(), 0)))
}

// sweepDue reports whether expired entries must be removed now.
func (c *serverClock) sweepDue() bool {
	if c.now.Sub(c.swept) < sweepInterval {
		return false
	}
	c.swept = c.now
	return true
}
