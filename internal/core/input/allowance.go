package input

import "time"

// Verdict is what to do with a frame of inputs.
type Verdict uint8

const (
	// Allowed is a frame to read.
	Allowed Verdict = iota
	// Dropped is a frame beyond what is allowed: pass over it.
	Dropped
	// Flood is a frame of a client that sends so many that it has to go.
	Flood
)

const (
	// A client sends a packet of inputs for each tick at most, but its frames can come
	// closer together for a while, when it catches up.
	packetsPerTick = 2
	// A network that stood still delivers what has gathered at once. What is in it is
	// late if that took longer than a second.
	burstSeconds = 1
	// Nobody sends that much by mistake: a stream that stood still for as long as a
	// connection lives does not reach it.
	floodPerTick = 8
	floodSeconds = 30
)

// Allowance bounds the frames of inputs of one client: two for each tick, and those of a
// second at once. Beyond that they are dropped, which inputs survive as they survive loss.
type Allowance struct{ frames, flood gate }

// NewAllowance returns the allowance of a client, for ticks per second.
func NewAllowance(tickRate int) Allowance {
	rate := max(tickRate, 1)
	return Allowance{frames: newGate(packetsPerTick*rate, burstSeconds*rate), flood: newGate(floodPerTick*rate, floodSeconds*rate)}
}

// Take counts a frame that came at now.
func (a *Allowance) Take(now time.Time) Verdict {
	switch {
	case !a.flood.pass(now):
		return Flood
	case !a.frames.pass(now):
		return Dropped
	}
	return Allowed
}

// gate lets one thing through in every so much time, and those of a span at once.
type gate struct {
	every, span time.Duration
	free        time.Time // when the last would be through, one after the other
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
