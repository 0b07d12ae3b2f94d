package oracle

import (
	"fmt"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/plugin"
)

// clockState is the state of one app's clock in its last frame.
type clockState struct {
	dropped plugin.Reader[plugin.TicksDropped]
	jumps   *plugin.Reader[plugin.ClockJumped] // nil on a server, which has no jumps

	began    bool
	tick     entangle.Tick
	fraction float64       // fraction of the next tick
	at       time.Duration // by the app's clock
}

// fastest is the maximum relative deviation of a steered clock from its own speed.
const fastest = 0.1

// roundoff is the tolerated error of a fraction of a tick.
const roundoff = 1e-6

// CheckClock checks the clock of a server or client after one of its frames, which ran at the given
// time of that clock, against its state in the previous frame.
func (w *Watch) CheckClock(world *ecs.World, ran time.Duration, server bool) error {
	clock := w.clocks[world]
	if clock == nil {
		clock = newClockState(world, server)
		w.clocks[world] = clock
	}
	return clock.checkFrame(world, ran)
}

func newClockState(world *ecs.World, server bool) *clockState {
	c := &clockState{dropped: plugin.NewReader[plugin.TicksDropped](world)}
	if !server {
		jumps := plugin.NewReader[plugin.ClockJumped](world)
		c.jumps = &jumps
	}
	return c
}

// checkFrame checks that ticks are consecutive and run at about the speed of time, except for
// jumps, which only a client makes and reports, and for dropped ticks.
func (c *clockState) checkFrame(world *ecs.World, ran time.Duration) error {
	t := ecs.GetResource[components.Time](world)
	frame := clockFrame{last: *c, elapsed: ran - c.at, dropped: len(c.dropped.Read()) > 0}
	c.began, c.tick, c.fraction, c.at = true, t.Tick, t.Overstep, ran
	if c.jumps != nil {
		frame.jumps = c.jumps.Read()
	}
	if !frame.last.began {
		return nil
	}
	if err := frame.checkJumps(); err != nil {
		return err
	}
	return frame.checkTicks(t)
}

// clockFrame is the change of a clock in one frame.
type clockFrame struct {
	last    clockState
	elapsed time.Duration
	dropped bool
	jumps   []plugin.ClockJumped
}

// checkJumps checks that a jump is reported at most once, and starts at the clock's tick.
func (f *clockFrame) checkJumps() error {
	for i, jump := range f.jumps {
		if i > 0 || jump.From != f.last.tick || jump.To == jump.From {
			return fmt.Errorf("its clock stood at tick %d, and jump %d of the frame is from %d to %d", f.last.tick, i+1, jump.From, jump.To)
		}
		f.last.tick = jump.To
	}
	return nil
}

// checkTicks checks the ticks that ran after the jump.
func (f *clockFrame) checkTicks(t *components.Time) error {
	steps := t.Tick.Sub(f.last.tick)
	if steps < 0 || steps > tick.MaxSteps {
		return fmt.Errorf("its clock went from tick %d to %d in a frame", f.last.tick, t.Tick)
	}
	took := float64(f.elapsed) / float64(t.Step)
	moved := float64(steps) + t.Overstep - f.last.fraction
	if !f.dropped && (moved < took*(1-fastest)-roundoff || moved > took*(1+fastest)+roundoff) {
		return fmt.Errorf("its clock made %.3f ticks in a time of %.3f", moved, took)
	}
	return nil
}
