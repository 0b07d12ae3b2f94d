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
