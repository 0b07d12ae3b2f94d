package tick

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A client that is called once per tick, and whose clock runs fast or slow for its server, has
// no more and no fewer ticks due than it runs.
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

// The rate that is kept is below the tick rate, also of a client whose clock runs fast: what
// runs and what is dropped are ticks of the same time.
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
