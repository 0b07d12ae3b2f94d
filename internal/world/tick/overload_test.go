package tick

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A client that is called once per tick, and has a clock that runs fast or slow to follow its
// server, has exactly as many ticks due as it runs.
//
// Proves: S9
func TestASteeredTickPerUpdateDropsNothing(t *testing.T) {
	for _, speed := range []int{950, OwnSpeed, 1050} {
		stepper := NewFrameStepper()
		stepper.SetSpeed(speed)
		o := NewOverload("client", &Schedule{}, 60, true, slog.New(slog.DiscardHandler))
		now := time.Unix(1_000_000, 0)
		for range 60 * 60 {
			now = now.Add(time.Second / 60)
			steps, dropped := stepper.Advance(now)
			o.Frame(now, stepper.Speed(), steps, dropped)
		}
		assert.Zero(t, o.Stats().TicksDropped, "at %d thousandths", speed)
	}
}

// The measured rate is below the tick rate, also on a client with a fast clock, because the ticks
// that run and the ticks that are dropped belong to the same period.
//
// Proves: S9
func TestTheRateThatIsKeptIsBelowTheTickRate(t *testing.T) {
	for _, speed := range []int{950, OwnSpeed, 1050} {
		for pause := 140 * time.Millisecond; pause < 180*time.Millisecond; pause += 3 * time.Millisecond {
			stepper := NewStepper(60)
			stepper.SetSpeed(speed)
			o := NewOverload("client", &Schedule{}, 60, false, slog.New(slog.DiscardHandler))
			now := time.Unix(1_000_000, 0)
			for frame := range 100 {
				now = now.Add(time.Second / 60)
				if frame%29 == 0 {
					now = now.Add(pause)
				}
				steps, dropped := stepper.Advance(now)
				o.Frame(now, stepper.Speed(), steps, dropped)
			}
			stats := o.Stats()
			assert.EqualValues(t, 1, stats.Episodes, "a pause of %v at %d thousandths", pause, speed)
			assert.Less(t, stats.Kept, 60.0, "a pause of %v at %d thousandths", pause, speed)
			assert.Greater(t, stats.Kept, 50.0)
		}
	}
}
