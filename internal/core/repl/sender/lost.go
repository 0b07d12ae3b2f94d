package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/flight"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
)

// lossMemory is the number of ticks for which a loss counts.
const lossMemory = 256

// loss is when a packet was lost last, if any was.
type loss struct {
	some bool
	last entangle.Tick
}

// lossy reports whether a packet was lost recently.
func (p *Peer) lossy() bool { return p.loss.some && p.state.Tick.Sub(p.loss.last) < lossMemory }

// HandleLost makes the groups of a lost packet due again, except those that were resent or acknowledged in the meantime.
func (p *Peer) HandleLost(pkt uint16) {
	p.loss.some, p.loss.last = true, p.state.Tick
	p.flights.Remove([]uint16{pkt}, p.handleUpdateLost, p.handleRunLost)
}

func (p *Peer) handleUpdateLost(s flight.Sent) { p.requeueLost(s.Tick, s.Group) }

func (p *Peer) requeueLost(tick entangle.Tick, h repl.Handle) {
	sp, i := p.groups.LocateHandle(h)
	if sp.Phase[i] != group.Present || sp.Retained.Has(i) || !sp.Base[i].Before(tick) || tick.Before(sp.Sent[i]) {
		return
	}
	if sp == &p.groups.Public && p.flights.SentRunSince(tick, h, h) {
		return
	}
	sp.NoteDue(i, p.state.Tick)
	sp.Resend(i)
	p.stats.Resent++
}

func (p *Peer) handleRunLost(tick entangle.Tick, r flight.SentRun) {
	if r.Dense && p.flights.SentRunSince(tick, r.Groups[0], r.Last()) {
		return
	}
	for _, h := range r.Groups {
		p.requeueLost(tick, h)
	}
}

// PollAgain returns the number of a message to repeat, although it may still arrive. ok is false when there is none in
// this tick, or when no packet was lost recently.
func (p *Peer) PollAgain() (message uint16, ok bool) {
	if !p.lossy() {
		return 0, false
	}
	return p.actions.PollRepeat(p.state.Tick)
}
