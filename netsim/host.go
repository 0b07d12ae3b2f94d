package netsim

import (
	"fmt"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/tick"
)

// host is one app with its world, its frames and its clock.
type host struct {
	app       App
	world     *ecs.World
	clock     *localClock
	frameTime time.Duration // duration of a frame by its clock
	nextFrame time.Duration // time of the next frame since the simulation's origin
	lastFrame time.Duration // time of the last frame by its clock
	closed    bool
}

// runFrame runs the frame that is due.
func (h *host) runFrame() {
	h.nextFrame += h.clock.realTime(h.frameTime)
	h.lastFrame = h.clock.since()
	h.app.Update(h.world)
}

// phase returns the present position of the simulation in ticks: the last finished tick, and the
// fraction of the next tick, which is the overstep at the end of the last frame plus the time
// since.
func (h *host) phase() (tick entangle.Tick, more float64) {
	t := ecs.GetResource[components.Time](h.world)
	return t.Tick, t.Overstep + float64(h.clock.since()-h.lastFrame)/float64(t.Step)
}

// freeze keeps the app from beginning a frame for a duration from now on. The missed frames are not
// run later: the app only sees that its clock has advanced.
func (h *host) freeze(now, d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("netsim: a freeze of %v; time does not run back", d)
	}
	h.nextFrame = max(h.nextFrame, now+d)
	return nil
}

// setFrameRate changes the number of frames per second. It takes effect after the next frame.
func (h *host) setFrameRate(rate int) error {
	if rate < 1 || rate > tick.MaxTickRate {
		return fmt.Errorf("netsim: a frame rate of %d; give 1 to %d", rate, tick.MaxTickRate)
	}
	h.frameTime = time.Second / time.Duration(rate)
	return nil
}
