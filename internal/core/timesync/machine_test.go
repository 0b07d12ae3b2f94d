package timesync_test

import (
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

// machine is a computer that runs a game: its frames, and its clock.
type machine struct {
	fps    float64
	phase  float64                  // of a frame, as a fraction
	ppm    float64                  // how many millionths its clock runs too fast
	paused func(time.Duration) bool // may be nil

	frames int
	tick   entangle.Tick // the last finished tick
	total  int           // number of ticks run
	rest   int64         // time that did not fill a tick, in 1/1000 of 1/rate ns
	last   time.Duration // local time of the last frame
	begun  bool
}

// next returns the global time of the next frame.
func (m *machine) next() time.Duration {
	return time.Duration((float64(m.frames) + m.phase) * float64(time.Second) / m.fps)
}

// local converts global time to the machine's clock.
func (m *machine) local(at time.Duration) time.Duration {
	return at + time.Duration(float64(at)*m.ppm/1e6)
}

// step advances by a frame, at a speed in thousandths, and returns the number of ticks that it runs.
func (m *machine) step(local time.Duration, speed int64) int {
	const second = int64(time.Second) * 1000
	if m.begun {
		m.rest += int64(local-m.last) * rate * speed
	}
	m.last, m.begun = local, true
	due := m.rest / second
	m.rest %= second
	steps := int(min(due, maxSteps))
	m.total += steps
	return steps
}

// overstep returns how far the clock is into the next tick.
func (m *machine) overstep() timesync.Phase {
	return timesync.Phase(m.rest / 1000 << 16 / int64(time.Second))
}
