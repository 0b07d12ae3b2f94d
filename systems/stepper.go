package systems

import (
	"fmt"
	"time"
)

// MaxSteps is the largest number of fixed steps of one frame. After a stall of
// up to 8 steps (133 ms at 60 Hz: a garbage collection, a level being loaded, a
// window being dragged) a game catches up at once; after a longer one it drops
// the rest, because a frame that takes longer than the time it simulates would
// never catch up.
const MaxSteps = 8

// MaxTickRate is the largest number of fixed steps per second that a Stepper
// takes. A step of 1 ms is finer than what a network game can use.
const MaxTickRate = 1000

// MinScale and MaxScale bound the factor by which a client's clock may run
// fast or slow. Players feel a few percent; a factor outside these is a mistake.
const (
	MinScale = 0.5
	MaxScale = 2.0
)

// longestFrame is the longest time between two frames that is counted in full.
// It keeps time, as nanoseconds times rate, far within 64 bits.
const longestFrame = 24 * time.Hour

// Stepper turns the time between frames into fixed steps. It reads no clock:
// the time of each frame is an argument.
//
// It counts in whole units of 1/rate nanoseconds, so a rate of which the step is
// no whole number of nanoseconds (60 Hz) does not drift: after exactly n seconds
// it has made exactly n times rate steps.
type Stepper struct {
	rate     int64
	scale    float64
	perFrame bool // one step in each frame, whatever the clock says

	began bool
	last  time.Time
	rest  int64 // time not yet stepped, in 1/rate nanoseconds: 0 <= rest < second
}

const second = int64(time.Second)

// NewStepper returns a stepper of rate steps per second, 1..MaxTickRate. It
// panics on another rate.
func NewStepper(rate int) *Stepper {
	if rate < 1 || rate > MaxTickRate {
		panic(fmt.Sprintf("systems: a tick rate of %d per second; it must be 1 to %d", rate, MaxTickRate))
	}
	return &Stepper{rate: int64(rate), scale: 1}
}

// NewFrameStepper returns a stepper that makes one step in every frame, for a
// host such as arche-model or Ebitengine that calls once per tick.
func NewFrameStepper() *Stepper { return &Stepper{perFrame: true} }

// Scale returns the factor by which time runs: 1 is the clock's own speed.
func (s *Stepper) Scale() float64 { return s.scale }

// SetScale makes the following frames run faster (above 1) or slower. The factor
// is MinScale..MaxScale; another one panics. A stepper of one step per frame
// ignores it.
func (s *Stepper) SetScale(f float64) {
	if !(f >= MinScale && f <= MaxScale) {
		panic(fmt.Sprintf("systems: a clock scale of %v; it must be %v to %v", f, MinScale, MaxScale))
	}
	s.scale = f
}

// Overstep returns how far the clock is into the step to come, as a fraction:
// at least 0, below 1.
func (s *Stepper) Overstep() float64 { return float64(s.rest) / float64(second) }

// Advance takes the time of a frame and returns how many steps it runs, 0 to
// MaxSteps, and how many more were due and are dropped.
//
// The first call makes no step: the clock starts there. A clock that jumps back
// costs no step and owes none; time goes on from where it jumped to. A jump ahead
// counts for at most a day.
func (s *Stepper) Advance(now time.Time) (steps, dropped int) {
	if s.perFrame {
		return 1, 0
	}
	elapsed := s.elapsed(now)
	s.rest += elapsed * s.rate
	due := int(s.rest / second)
	s.rest %= second
	if due > MaxSteps {
		return MaxSteps, due - MaxSteps
	}
	return due, 0
}

// elapsed returns the scaled nanoseconds since the last frame.
func (s *Stepper) elapsed(now time.Time) int64 {
	if !s.began {
		s.began, s.last = true, now
	}
	d := min(now.Sub(s.last), longestFrame)
	s.last = now
	if d <= 0 {
		return 0
	}
	if s.scale == 1 {
		return int64(d)
	}
	return int64(float64(d) * s.scale)
}
