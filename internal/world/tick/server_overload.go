package tick

import (
	"log/slog"
	"time"
)

// ServerOverloadOver is for how long a client's clock must not be set back until the server counts
// as keeping its tick rate again. The client notices a server that has fallen behind by 150 ms,
// which takes a server that is too slow by 5 % three seconds. The clock follows a smaller delay
// without a jump.
const ServerOverloadOver = 10 * time.Second

// ServerOverloadStats shows a server's tick rate as its client's clock sees it.
type ServerOverloadStats struct {
	// Jumps counts how often the clock was set back because the server's ticks had fallen behind
	// it. Ticks is the sum of these jumps.
	Jumps, Ticks uint64
	// Episodes counts jumps that follow each other within ServerOverloadOver as one.
	Episodes uint64
	// Overloaded means that the last jump was less than ServerOverloadOver ago.
	Overloaded bool
}

// serverOverload tells a client's developer once when the server does not keep its tick rate, and
// once when it does again.
type serverOverload struct {
	log    *slog.Logger
	latest time.Time
	stats  ServerOverloadStats
}

// recordJump records that the clock jumped back by some ticks, because the server has fallen
// behind.
func (s *serverOverload) recordJump(now time.Time, ticks uint64) {
	s.latest = now
	s.stats.Jumps++
	s.stats.Ticks += ticks
	if s.stats.Overloaded {
		return
	}
	s.stats.Overloaded = true
	s.stats.Episodes++
	s.log.Warn("the client's clock is set back because the server fell behind: the server stood still, or cannot keep its tick rate; "+
		"see the server's log", "ticks", ticks)
}

// recordFrame records a frame without such a jump.
func (s *serverOverload) recordFrame(now time.Time) {
	if s.stats.Overloaded && now.Sub(s.latest) >= ServerOverloadOver {
		s.stats.Overloaded = false
		s.log.Info("the server keeps its tick rate again, as the client's clock shows")
	}
}
