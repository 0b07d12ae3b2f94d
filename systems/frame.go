package systems

import (
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/input"
	"github.com/entangle-ecs/entangle/internal/world/tick"
)

// A frame runs zero, one or several ticks: as many as the clock says are due, at most
// tick.MaxSteps. A server runs each tick once, in order, and drops those that it has no time
// for. A client's clock is adjusted to the server's, so its frames may also begin with a jump
// of the tick (docs/STATES.md, "The clock", and docs/OVERLOAD.md; rows S1 to S9).

// Frame is what the frames of a server and of a client have in common. All fields are set
// before Bind.
type Frame struct {
	World    *ecs.World
	Schedule *tick.Schedule
	Stepper  *tick.Stepper
	Clock    *tick.Clock // nil on a server, which sets the time for all clients
	Hub      *event.Hub
	Time     *components.Time
	Inputs   *input.Inputs
	Display  *tick.Display
	Overload *tick.Overload

	// SendEvery is the distance between two sent ticks, at least 1: only multiples of it are sent.
	SendEvery int
	// OnDropped is called with the number of ticks that were due and will not run.
	OnDropped func(ticks int)

	now   time.Time // the time of this frame
	ticks int       // the number of ticks that this frame runs
}

// Run runs one frame at now.
func (f *Frame) Run(now time.Time) {
	f.now = now
	ticks, dropped := f.Stepper.Advance(now)
	f.Overload.Frame(now, f.Stepper.Speed(), ticks, dropped)
	f.Hub.BeginFrame(f.ticks) // drops the events that the last frame's ticks could read
	f.ticks = ticks
	if dropped > 0 {
		f.OnDropped(dropped)
	}
	if f.Clock != nil {
		f.Clock.Begin(dropped) // may jump
	}
	f.Time.Overstep = f.Stepper.Overstep()
	f.Schedule.Frame(f.World, ticks)
}

// sends reports whether this frame is sent: it has run a tick that is a multiple of SendEvery.
func (f *Frame) sends() bool {
	every, last := entangle.Tick(f.SendEvery), f.Time.Tick
	return last/every != (last-entangle.Tick(f.ticks))/every
}

// work has the engine's function for each stage. It is nil for a stage without one.
type work [stageCount]func()

// bind makes the schedule run the engine's work in each stage.
func (f *Frame) bind(w *work) {
	for stage, run := range w {
		if run != nil {
			f.Schedule.Bind(tick.Stage(stage), run)
		}
	}
}
