package input

import "time"

// Verdict is the decision about a frame of inputs.
type Verdict uint8

const (
	// Allowed means that the frame is to be read.
	Allowed Verdict = iota
	// Dropped means that the frame exceeds the limit and is to be ignored.
	Dropped
	// Flood means that the client sends so many frames that it must be disconnected.
	Flood
)

const (
	// A client sends at most one packet of inputs per tick on average, but more while it catches
	// up.
	packetsPerTick = 2
	// A network that stalled delivers its packets all at once. Inputs that were delayed by more
	// than a second are late anyway.
	burstSeconds = 1
	// No honest client sends as much as this, not even after the network has stalled for as long as
	// a connection can last.
	floodPerTick = 8
	floodSeconds = 30
)

// RateLimit limits the frames of inputs of one client: two for each tick, and at most those of one
// second at once. Further ones are dropped, which has the same effect as packet loss.
type RateLimit struct{ frames, flood gate }

// NewRateLimit returns the limit of a client, for a tick rate in ticks per second.
func NewRateLimit(tickRate int) RateLimit {
	rate := max(tickRate, 1)
	return RateLimit{frames: newGate(packetsPerTick*rate, burstSeconds*rate), flood: newGate(floodPerTick*rate, floodSeconds*rate)}
}

// Take counts a frame that arrived at now.
func (a *RateLimit) Take(now time.Time) Verdict {
	switch {
	case !a.flood.pass(now):
		return Flood
	case !a.frames.pass(now):
		return Dropped
	}
	return Allowed
}

// gate is a rate limiter: it allows one pass per interval, and the passes of a time span at once.
type gate struct {
	every, span time.Duration
	free        time.Time // the time from which on all passes are available again
}

func newGate(perSecond, atOnce int) gate {
	every := time.Second / time.Duration(perSecond)
	return gate{every: every, span: every * time.Duration(atOnce)}
}

func (g *gate) pass(now time.Time) bool {
	if g.free.Before(now) {
		g.free = now
	}
	if g.free.Sub(now) >= g.span {
		return false
	}
	g.free = g.free.Add(g.every)
	return true
}
