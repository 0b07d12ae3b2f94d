package session

import (
	"time"

	"github.com/entangle-ecs/entangle/transport/token"
)

// serverClock is the time of the caller, and the seconds with which tokens are compared.
type serverClock struct {
	now       time.Time // of the last call
	wall      uint64    // the latest second ever seen, because clocks may be set back
	startWall uint64    // tokens of an earlier second are refused
	swept     time.Time // when expired entries were last removed
}

// newServerClock rounds up: a token of the second in which the server was started may have been used before its restart.
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

// sweepDue reports whether expired entries are to be removed now.
func (c *serverClock) sweepDue() bool {
	if c.now.Sub(c.swept) < sweepInterval {
		return false
	}
	c.swept = c.now
	return true
}
