package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// HandleAcked handles the acknowledgement of packets: the peer has the groups that each carried as
// of that packet's tick, or will have them before it applies anything later. The call costs least
// with packets in the order in which they were sent.
func (p *Peer) HandleAcked(pkts ...uint16) {
	p.flights.settle(pkts, p.onAcked, p.onRunAcked)
	p.moveBaselines()
}

func (p *Peer) acked(fl *flight, h repl.Handle, base entangle.Tick) {
	if h&provesNothing != 0 {
		return
	}
	sp, i := p.spaceOf(h)
	if sp.base[i].Before(fl.tick) {
		sp.rebase(i, fl.tick, base)
	}
}

// ackedRange is a range of public groups that the peer has acknowledged at a tick, with
// baselines that have not moved yet: packets of one tick carry one run each, and are acknowledged
// together.
type ackedRange struct {
	tick       entangle.Tick
	first, end repl.Handle
}

func (p *Peer) runAcked(fl *flight, r sentRun) {
	if !r.dense || p.flights.moves {
		for _, h := range r.groups {
			p.acked(fl, h, r.base)
		}
		return
	}
	if c := &p.ackedRange; c.end != r.groups[0] || c.tick != fl.tick {
		p.moveBaselines()
		*c = ackedRange{tick: fl.tick, first: r.groups[0]}
	}
	p.ackedRange.end = r.groups[len(r.groups)-1] + 1
}

// moveBaselines moves the baselines of the groups in ackedRange to its tick.
func (p *Peer) moveBaselines() {
	c := &p.ackedRange
	if c.end > c.first {
		advance(p.public.base[c.first:c.end], c.tick)
	}
	*c = ackedRange{}
}

// advance moves those of some baselines that are before a tick to that tick. They are usually equal,
// and then all of them are compared and written at once.
func advance(base []entangle.Tick, tick entangle.Tick) {
	if allEqual(base) {
		if base[0].Before(tick) {
			fill(base, tick)
		}
		return
	}
	for i, b := range base {
		if b.Before(tick) {
			base[i] = tick
		}
	}
}

func fill(ticks []entangle.Tick, with entangle.Tick) {
	ticks[0] = with
	for n := 1; n < len(ticks); n *= 2 {
		copy(ticks[n:], ticks[:n])
	}
}
