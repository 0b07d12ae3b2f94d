package input

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/mlange-42/arche/ecs"
)

// Replayer runs ticks of a client's world out of turn: replayed ticks, and ticks that the clock was
// set past. Before the first of them, the world has to be as it was at the end of the previous tick.
//
// Call Begin or BeginFirst, then Tick for each tick, then End, also if a system panics. End
// does nothing if nothing has begun.
type Replayer struct {
	Schedule *tick.Schedule
	Time     *components.Time
	Hub      *event.Hub
	Post     *message.Post
	Inputs   *Inputs

	saved components.Time // before Begin
	begun bool
}

// Begin begins a replay of ticks that have run before. from is the first of them, to the last.
// components.Time shows the replayed ticks until End restores it. Messages are not sent again, and
// the only events that are read are those of inputs, because these belong to their ticks.
func (r *Replayer) Begin(from, to entangle.Tick) {
	r.beginTicks(from, again)
	r.Time.Replaying, r.Time.ReplayFrom, r.Time.ReplayTo = true, from, to
	r.Post.Silence(true)
}

// BeginFirst begins a series of ticks, the first of which is from. They have never run, because the
// clock was set past them. They run like any other tick, except that the player has written no input
// for them.
func (r *Replayer) BeginFirst(from entangle.Tick) { r.beginTicks(from, missed) }

func (r *Replayer) beginTicks(from entangle.Tick, round round) {
	r.saved, r.begun = *r.Time, true
	r.Inputs.round = round
	r.Time.Tick = from - 1
}

// Tick runs the next tick.
func (r *Replayer) Tick(w *ecs.World) {
	if r.Time.Replaying {
		r.Hub.Silence(true)
	}
	r.Schedule.Replay(w)
}

// End ends the ticks that Begin or BeginFirst has begun.
func (r *Replayer) End() {
	if !r.begun {
		return
	}
	*r.Time, r.begun = r.saved, false
	r.Hub.Silence(false)
	r.Post.Silence(false)
	r.Inputs.round = due
}
