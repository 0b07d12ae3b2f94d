package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl/flight"
)

// lossMemory is the number of ticks for which a loss counts.
const lossMemory = 256

// loss is when a packet was lost last, if any was.
type loss struct {
	some bool
	last entangle.Tick
}

// lossy reports whether a packet was lost recently.
func (u *updates) lossy() bool { return u.loss.some && u.state.Tick.Sub(u.loss.last) < lossMemory }

// HandleLost makes the groups of a lost packet due again, except those that were resent or acknowledged in the meantime.
func (u *updates) HandleLost(pkt uint16) {
	u.loss.some, u.loss.last = true, u.state.Tick
	u.flights.Lose(pkt, u.handleUpdateLost, u.handleRunLost)
}

func (u *updates) handleUpdateLost(s flight.Sent) {
	sp, i := u.groups.LocateHandle(s.Group)
	if !sp.Present.Has(i) || sp.Retained.Has(i) || !sp.Base[i].Before(s.Tick) || s.Tick.Before(sp.Planned[i]) {
		return
	}
	sp.NoteDue(i, u.state.Tick)
	sp.Requeue(i)
	u.stats.Resent++
}

func (u *updates) handleRunLost(r flight.SentRun) {
	for _, h := range r.Groups {
		u.handleUpdateLost(flight.Sent{Tick: r.Tick, Group: h})
	}
}

// PollAgain returns the number of a message to repeat, although it may still arrive. ok is false when there is none in
// this tick, or when no packet was lost recently.
func (p *Peer) PollAgain() (message uint16, ok bool) {
	if !p.updates.lossy() {
		return 0, false
	}
	return p.messages.PollRepeat(p.state.Tick)
}
