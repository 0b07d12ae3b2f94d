package tick_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/world/tick"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// plainSteps is a reference model of a stepper at scale 1: it keeps the whole time since the clock
// started and computes how many steps fit into it.
type plainSteps struct {
	rate  int64
	total time.Duration
	done  int64
}

func (p *plainSteps) advance(d time.Duration) int64 {
	p.total += max(d, 0)
	whole, part := int64(p.total/time.Second), int64(p.total%time.Second)
	steps := whole*p.rate + part*p.rate/int64(time.Second)
	due := steps - p.done
	p.done = steps
	return due
}

func TestStepperEqualsItsPlainTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.IntRange(1, tick.MaxTickRate).Draw(t, "rate")
		frames := rapid.SliceOf(rapid.Int64Range(-int64(time.Second), int64(3*time.Second))).Draw(t, "frames")
		s, twin, now := tick.NewStepper(rate), plainSteps{rate: int64(rate)}, epoch
		s.Advance(now)
		for _, d := range frames {
			now = now.Add(time.Duration(d))
			steps, dropped := s.Advance(now)
			due := twin.advance(time.Duration(d))
			if int64(steps+dropped) != due {
				t.Fatalf("%d steps and %d dropped, want %d in sum", steps, dropped, due)
			}
			if want := int(min(due, tick.MaxSteps)); steps != want {
				t.Fatalf("%d steps of %d due, want %d", steps, due, want)
			}
			if o := s.Overstep(); o < 0 || o >= 1 {
				t.Fatalf("overstep %v", o)
			}
		}
	})
}

func TestStepperDoesNotDrift(t *testing.T) {
	s, now, total := tick.NewStepper(60), epoch, 0
	s.Advance(now)
	for range 3600 * 144 {
		now = now.Add(time.Second / 144)
		steps, _ := s.Advance(now)
		total += steps
	}
	elapsed := now.Sub(epoch)
	assert.Equal(t, int(elapsed*60/time.Second), total)
}

func TestFirstAdvanceSetsTheOrigin(t *testing.T) {
	s := tick.NewStepper(60)
	steps, dropped := s.Advance(epoch)
	assert.Zero(t, steps)
	assert.Zero(t, dropped)
	steps, _ = s.Advance(epoch.Add(time.Second / 30))
	assert.Equal(t, 1, steps, "1/30 s is a nanosecond's fraction short of two steps")
	steps, _ = s.Advance(epoch.Add(time.Second/30 + 1))
	assert.Equal(t, 1, steps)
}

func TestStallIsDroppedAndCounted(t *testing.T) {
	s := tick.NewStepper(60)
	s.Advance(epoch)
	steps, dropped := s.Advance(epoch.Add(time.Second))
	assert.Equal(t, 8, steps)
	assert.Equal(t, 52, dropped)
	steps, dropped = s.Advance(epoch.Add(time.Second))
	assert.Zero(t, steps, "what was dropped does not come back")
	assert.Zero(t, dropped)
}

func TestClockThatJumpsGoesOnFromThere(t *testing.T) {
	s := tick.NewStepper(100)
	s.Advance(epoch)
	steps, _ := s.Advance(epoch.Add(-time.Hour))
	assert.Zero(t, steps)
	steps, dropped := s.Advance(epoch.Add(-time.Hour + 10*time.Millisecond))
	assert.Equal(t, 1, steps, "one step after the jump, none for the hour")
	assert.Zero(t, dropped)
	steps, dropped = s.Advance(epoch.AddDate(200, 0, 0))
	assert.Equal(t, tick.MaxSteps, steps)
	assert.Equal(t, 24*3600*100-tick.MaxSteps, dropped, "a day at most is counted")
}

func TestOverstepIsTheFractionOfTheNextStep(t *testing.T) {
	s := tick.NewStepper(100)
	s.Advance(epoch)
	s.Advance(epoch.Add(25 * time.Millisecond))
	assert.InDelta(t, 0.5, s.Overstep(), 1e-12)
}

func TestSpeedStretchesTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		speed := rapid.IntRange(tick.MinSpeed, tick.MaxSpeed).Draw(t, "speed")
		perFrame := rapid.Bool().Draw(t, "perFrame")
		s, now, total := tick.NewStepper(60), epoch, 0
		if perFrame {
			s = tick.NewFrameStepper()
		}
		s.SetSpeed(speed)
		if !perFrame {
			s.Advance(now)
		}
		for range 600 {
			now = now.Add(time.Second / 60)
			steps, dropped := s.Advance(now)
			total += steps + dropped
		}
		want := 600 * float64(speed) / tick.OwnSpeed
		if diff := math.Abs(float64(total) + s.Overstep() - want); diff > 1e-3 {
			t.Fatalf("%d steps and %v, want %v", total, s.Overstep(), want)
		}
		if o := float64(s.Phase()) / 65536; o > s.Overstep() || o < s.Overstep()-1.0/65536 {
			t.Fatalf("phase %v of an overstep of %v", o, s.Overstep())
		}
	})
}

// A speed change of a few percent occasionally adds or removes a step, never two at once.
func TestAFrameStepperIsSteeredByNoneOrTwoStepsInAFrame(t *testing.T) {
	for speed, want := range map[int]int{970: 0, 1030: 2} {
		s, odds := tick.NewFrameStepper(), 0
		s.SetSpeed(speed)
		for range 1000 {
			switch steps, _ := s.Advance(epoch); steps {
			case 1:
			case want:
				odds++
			default:
				t.Fatalf("%d steps in a frame at speed %d", steps, speed)
			}
		}
		assert.Equal(t, 30, odds, "at speed %d", speed)
	}
}

func TestFrameStepperMakesOneStepWhateverTheClockSays(t *testing.T) {
	s := tick.NewFrameStepper()
	for _, now := range []time.Time{epoch, epoch, epoch.Add(time.Hour), epoch.Add(-time.Hour)} {
		steps, dropped := s.Advance(now)
		assert.Equal(t, 1, steps)
		assert.Zero(t, dropped)
		assert.Zero(t, s.Overstep())
	}
}

func TestStepperRefusesWhatItCannotKeep(t *testing.T) {
	assert.PanicsWithValue(t, "tick: a tick rate of 0 per second; it must be 1 to 1000",
		func() { tick.NewStepper(0) })
	assert.PanicsWithValue(t, "tick: a tick rate of 1001 per second; it must be 1 to 1000",
		func() { tick.NewStepper(1001) })
	for _, speed := range []int{0, -1, 499, 2001} {
		assert.Panics(t, func() { tick.NewStepper(60).SetSpeed(speed) }, "%v", speed)
	}
}
