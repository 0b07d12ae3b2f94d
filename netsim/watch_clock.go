package netsim

import (
	"fmt"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/plugin"
)

// clockWatch is the state of one app's clock in its last frame.
type clockWatch struct {
	dropped plugin.Reader[plugin.TicksDropped]
	jumps   *plugin.Reader[plugin.ClockJumped] // nil on a server, which has no jumps

	began bool
	tick  entangle.Tick
	rest  float64       // fraction of the next tick
	at    time.Duration // by the app's clock
}

// fastest is the maximum relative deviation of a steered clock from its own speed.
const fastest = 0.1

// roundoff is the tolerated error of a fraction of a tick.
const roundoff = 1e-6

// watchClock compares the clock of an app with its state in the previous frame.
func (s *Sim) watchClock(h *host) {
	s.t.Helper()
	w := s.watch.clocks[h.world]
	if w == nil {
		w = newClockWatch(h.world, h == s.server)
		s.watch.clocks[h.world] = w
	}
	if err := w.check(h.world, h.ran); err != nil {
		s.t.Fatalf("netsim: at %v, %s: %v", s.clock.Since(), s.nameOf(h), err)
	}
}

func newClockWatch(world *ecs.World, server bool) *clockWatch {
	w := &clockWatch{dropped: plugin.NewReader[plugin.TicksDropped](world)}
	if !server {
		jumps := plugin.NewReader[plugin.ClockJumped](world)
		w.jumps = &jumps
	}
	return w
}

// check checks that ticks are consecutive and run at about the speed of time, except for jumps,
// which only a client makes and reports, and for dropped ticks.
func (w *clockWatch) check(world *ecs.World, ran time.Duration) error {
	t := ecs.GetResource[components.Time](world)
	frame := clockFrame{before: *w, elapsed: ran - w.at, dropped: len(w.dropped.Read()) > 0}
	w.began, w.tick, w.rest, w.at = true, t.Tick, t.Overstep, ran
	if w.jumps != nil {
		frame.jumps = w.jumps.Read()
	}
	if !frame.before.began {
		return nil
	}
	if err := frame.jumped(); err != nil {
		return err
	}
	return frame.went(t)
}

// clockFrame is the change of a clock in one frame.
type clockFrame struct {
	before  clockWatch
	elapsed time.Duration
	dropped bool
	jumps   []plugin.ClockJumped
}

// jumped checks that a jump is reported at most once, and starts at the clock's tick.
func (f *clockFrame) jumped() error {
	for i, jump := range f.jumps {
		if i > 0 || jump.From != f.before.tick || jump.To == jump.From {
			return fmt.Errorf("its clock stood at tick %d, and jump %d of the frame is from %d to %d", f.before.tick, i+1, jump.From, jump.To)
		}
		f.before.tick = jump.To
	}
	return nil
}

// went checks the ticks that ran after the jump.
func (f *clockFrame) went(t *components.Time) error {
	steps := t.Tick.Sub(f.before.tick)
	if steps < 0 || steps > tick.MaxSteps {
		return fmt.Errorf("its clock went from tick %d to %d in a frame", f.before.tick, t.Tick)
	}
	took := float64(f.elapsed) / float64(t.Step)
	moved := float64(steps) + t.Overstep - f.before.rest
	if !f.dropped && (moved < took*(1-fastest)-roundoff || moved > took*(1+fastest)+roundoff) {
		return fmt.Errorf("its clock made %.3f ticks in a time of %.3f", moved, took)
	}
	return nil
}

// nameOf names the client or server of an app.
func (s *Sim) nameOf(h *host) string {
	for _, p := range s.peers {
		if p.host == h {
			return fmt.Sprintf("client %d", p.id)
		}
	}
	return "the server"
}
