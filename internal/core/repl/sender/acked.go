package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/flight"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
)

// HandleAcked handles the acknowledgement of packets: the peer has the groups that each carried as
// of that packet's tick, or will have them before it applies anything later. The call costs least
// with packets in the order in which they were sent.
func (p *Peer) HandleAcked(pkts ...uint16) {
	p.flights.Remove(pkts, p.onAcked, p.onRunAcked)
	p.moveBaselines()
}

// acked moves the baseline of a group to an update that the peer has. An update that may have been dropped
// moves none: once the action that it waited for is acknowledged, the changes are sent again.
func (p *Peer) acked(s flight.Sent) {
	sp, i := p.groups.LocateHandle(s.Group)
	if !s.Unproven && sp.Base[i].Before(s.Tick) {
		sp.MoveBase(i, s.Tick, s.Base)
	}
}

// ackedRange is a range of public groups that the peer has acknowledged at a tick, with
// baselines that have not moved yet: packets of one tick carry one run each, and are acknowledged
// together.
type ackedRange struct {
	tick       entangle.Tick
	first, end repl.Handle
}

func (p *Peer) runAcked(tick entangle.Tick, r flight.SentRun) {
	if !r.Dense || p.flights.KeepBaselines {
		for _, h := range r.Groups {
			p.acked(flight.Sent{Tick: tick, Group: h, Base: r.Base})
		}
		return
	}
	if c := &p.ackedRange; c.end != r.Groups[0] || c.tick != tick {
		p.moveBaselines()
		*c = ackedRange{tick: tick, first: r.Groups[0]}
	}
	p.ackedRange.end = r.Last() + 1
}

// moveBaselines moves the baselines of the groups in ackedRange to its tick.
func (p *Peer) moveBaselines() {
	c := &p.ackedRange
	if c.end > c.first {
		group.Advance(p.groups.Public.Base[c.first:c.end], c.tick)
	}
	*c = ackedRange{}
}
