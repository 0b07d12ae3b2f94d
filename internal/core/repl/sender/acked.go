package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// HandleAcked takes the news that packets arrived: the peer holds the groups that each
// carried at that packet's tick, or will before anything later applies. In the order in
// which they left they cost least.
func (p *Peer) HandleAcked(pkts ...uint16) {
	p.flights.settle(pkts, p.onAcked, p.onRunAcked)
	p.told.acked(pkts)
	p.confirm()
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

// confirmed is a range of public groups that the peer has acknowledged at a tick, with
// baselines that have not moved yet: packets of one tick carry one run each, and are acknowledged
// together.
type confirmed struct {
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
	if c := &p.confirmed; c.end != r.groups[0] || c.tick != fl.tick {
		p.confirm()
		*c = confirmed{tick: fl.tick, first: r.groups[0]}
	}
	p.confirmed.end = r.groups[len(r.groups)-1] + 1
}

// confirm moves the baselines of the confirmed groups.
func (p *Peer) confirm() {
	c := &p.confirmed
	if c.end > c.first {
		advance(p.public.base[c.first:c.end], c.tick)
	}
	*c = confirmed{}
}

// advance moves bases on to a tick, those that are before it. As a rule they are equal,
// and then all are compared and written at once.
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
