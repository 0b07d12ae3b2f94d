package tick

import (
	"log/slog"
	"time"
)

// ServerOverloadOver is for how long a client's clock must not be set back until it takes
// the server to keep its tick rate again. A server that falls behind is noticed once it has
// by 150 ms, which takes one that is too slow by 5 % three seconds; a lesser one is followed
// without a jump.
const ServerOverloadOver = 10 * time.Second

// ServerOverloadStats says what a client's clock shows of its server's tick rate.
type ServerOverloadStats struct {
	// Jumps counts how often the clock was set back since the server's ticks had fallen
	// behind the clock, and Ticks by how many in all.
	Jumps, Ticks uint64
	// Episodes counts them as one where they follow each other within ServerOverloadOver.
	Episodes uint64
	// Overloaded says that the last was that recent.
	Overloaded bool
}

// serverOverload tells a client's developer that the server does not keep its tick rate:
// once, and once when it does again.
type serverOverload struct {
	log    *slog.Logger
	latest time.Time
	stats  ServerOverloadStats
}

// fell takes a jump of the clock back by so many ticks, since the server has fallen behind.
func (s *serverOverload) fell(now time.Time, ticks uint64) {
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

// frame takes a frame without such a jump.
func (s *serverOverload) frame(now time.Time) {
	if s.stats.Overloaded && now.Sub(s.latest) >= ServerOverloadOver {
		s.stats.Overloaded = false
		s.log.Info("the server keeps its tick rate again, as the client's clock shows")
	}
}
