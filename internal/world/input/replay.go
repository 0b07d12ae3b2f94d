package input

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/mlange-42/arche/ecs"
)

// Replayer computes ticks of a client's world that are not due: those that have run, anew,
// and those that the clock went past. Whoever calls has set the world to the state before.
//
// In a replay nothing is said twice: messages are not sent, events are not read, but inputs,
// which belong to their ticks.
type Replayer struct {
	Schedule *tick.Schedule
	Time     *components.Time
	Hub      *event.Hub
	Post     *message.Post
	Inputs   *Inputs
}

// Replay computes the ticks from one to another anew, both included. components.Time names
// them, and is afterwards as it was, also after a panic of a system.
func (r *Replayer) Replay(w *ecs.World, from, to entangle.Tick) {
	was := *r.Time
	defer r.end(was)
	r.Time.Replaying, r.Time.ReplayFrom, r.Time.ReplayTo = true, from, to
	r.Post.Silence(true)
	r.Inputs.round = anew
	r.Time.Tick = from - 1
	for tick := from; !to.Before(tick); tick++ {
		r.Hub.Silence(true)
		r.Schedule.Replay(w)
	}
}

func (r *Replayer) end(was components.Time) {
	*r.Time = was
	r.Hub.Silence(false)
	r.Post.Silence(false)
	r.Inputs.round = due
}

// CatchUp computes ticks for the first time that were never due, since the clock was set past
// them: all is as in any tick, but that the player has written nothing for it. components.Time
// names them, and is afterwards as it was.
func (r *Replayer) CatchUp(w *ecs.World, from, to entangle.Tick) {
	was := *r.Time
	defer r.end(was)
	r.Inputs.round = missed
	r.Time.Tick = from - 1
	for tick := from; !to.Before(tick); tick++ {
		r.Schedule.Replay(w)
	}
}
