package tick

import (
	"fmt"
	"time"
)

// MaxSteps is the largest number of fixed steps in one frame. After a stall of up to 8 steps (133
// ms at 60 Hz: a garbage collection, a level being loaded, a window being dragged) a game catches
// up at once. After a longer one it drops the rest, because a frame that takes longer than the time
// it simulates would never catch up.
const MaxSteps = 8

// MaxTickRate is the largest number of fixed steps per second of a Stepper. A step of 1 ms is finer
// than a network game can use.
const MaxTickRate = 1000

// MinSpeed and MaxSpeed bound the speed at which a client's clock may run, in
// thousandths of the clock's own. Players feel a few percent; a speed outside these is a
// mistake.
const (
	MinSpeed = 500
	MaxSpeed = 2000
	// OwnSpeed is the normal speed of the clock.
	OwnSpeed = 1000
)

// longestFrame is the longest time between two frames that is counted in full. It keeps the time,
// as nanoseconds times rate, far within 64 bits.
const longestFrame = 24 * time.Hour

// Stepper turns the time between frames into fixed steps. It reads no clock:
// the time of each frame is an argument.
//
// It counts in whole units of 1/rate nanoseconds. So a rate with a step that is not a whole number
// of nanoseconds (60 Hz) does not drift: after exactly n seconds it has made exactly n times rate
// steps.
type Stepper struct {
	rate     int64
	speed    int64 // in thousandths
	perFrame bool  // one step in each frame at OwnSpeed, regardless of the clock

	began bool
	last  time.Time
	rest  int64 // time not yet stepped, in 1/rate nanoseconds, or per frame in 1e-9 steps: 0 <= rest < second
}

const second = int64(time.Second)

// NewStepper returns a stepper of rate steps per second, 1..MaxTickRate. Any other rate panics.
func NewStepper(rate int) *Stepper {
	if rate < 1 || rate > MaxTickRate {
		panic(fmt.Sprintf("tick: a tick rate of %d per second; it must be 1 to %d", rate, MaxTickRate))
	}
	return &Stepper{rate: int64(rate), speed: OwnSpeed}
}

// NewFrameStepper returns a stepper that makes one step in every frame, for a host such as
// arche-model or Ebitengine that calls once per tick. At a speed other than OwnSpeed, a frame
// occasionally has no step or two.
func NewFrameStepper() *Stepper { return &Stepper{perFrame: true, rate: 1, speed: OwnSpeed} }

// Speed returns the speed at which time runs, in thousandths.
func (s *Stepper) Speed() int { return int(s.speed) }

// SetSpeed makes the following frames run faster (above OwnSpeed) or slower. Speeds outside
// MinSpeed..MaxSpeed panic.
func (s *Stepper) SetSpeed(speed int) {
	if speed < MinSpeed || speed > MaxSpeed {
		panic(fmt.Sprintf("tick: a clock speed of %d thousandths; it must be %d to %d", speed, MinSpeed, MaxSpeed))
	}
	s.speed = int64(speed)
}

// Overstep returns how far the clock is into the next step, as a fraction: at least 0, below 1.
func (s *Stepper) Overstep() float64 { return float64(s.rest) / float64(second) }

// Phase is Overstep in whole 65,536ths, which are equal on every machine.
func (s *Stepper) Phase() int { return int(s.rest << 16 / second) }

// Advance takes the time of a frame. It returns how many steps the frame runs, 0 to MaxSteps, and
// how many further steps were due and are dropped.
//
// The first call makes no step: the clock starts there. When the clock jumps back, no step runs or
// becomes due, and time continues from there. A jump ahead counts for at most a day.
func (s *Stepper) Advance(now time.Time) (steps, dropped int) {
	s.rest += s.elapsed(now) * s.rate
	due := int(s.rest / second)
	s.rest %= second
	if due > MaxSteps {
		return MaxSteps, due - MaxSteps
	}
	return due, 0
}

// elapsed returns the time since the last frame in nanoseconds, scaled by the speed. The division
// cuts off less than a nanosecond per frame.
func (s *Stepper) elapsed(now time.Time) int64 {
	if s.perFrame {
		return second / OwnSpeed * s.speed
	}
	if !s.began {
		s.began, s.last = true, now
	}
	d := min(now.Sub(s.last), longestFrame)
	s.last = now
	if d <= 0 {
		return 0
	}
	return int64(d) * s.speed / OwnSpeed
}
