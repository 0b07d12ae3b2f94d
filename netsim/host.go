package netsim

import (
	"fmt"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/tick"
)

// host is one app with its world, its frames, and the clock that it goes by.
type host struct {
	app    App
	world  *ecs.World
	clock  *localClock
	every  time.Duration // from one frame to the next, by its clock
	next   time.Duration // when its next frame is, since the simulation's origin
	ran    time.Duration // when its last was, by its clock
	closed bool
}

// frame runs the frame that is due.
func (h *host) frame() {
	h.next += h.clock.takes(h.every)
	h.ran = h.clock.since()
	h.app.Update(h.world)
}

// phase returns where its simulation stands at this moment, in ticks: the last that is
// finished, how far it was into the next at the end of the last frame, and the time since.
func (h *host) phase() (tick entangle.Tick, more float64) {
	t := ecs.GetResource[components.Time](h.world)
	return t.Tick, t.Overstep + float64(h.clock.since()-h.ran)/float64(t.Step)
}

// freeze lets no frame begin for a time from now on. Those of the time are not made up
// for: the app finds that its clock has gone on.
func (h *host) freeze(now, d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("netsim: a freeze of %v; time does not run back", d)
	}
	h.next = max(h.next, now+d)
	return nil
}

// setFrameRate changes how many frames per second begin after the next one.
func (h *host) setFrameRate(rate int) error {
	if rate < 1 || rate > tick.MaxTickRate {
		return fmt.Errorf("netsim: a frame rate of %d; give 1 to %d", rate, tick.MaxTickRate)
	}
	h.every = time.Second / time.Duration(rate)
	return nil
}
