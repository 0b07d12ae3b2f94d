package source

import (
	"math"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/mlange-42/arche/ecs"
)

// pace tells the sender how often each group is to be sent, and how urgent it is, where
// a Replicate is new or says something else.
func (p *Publisher) pace() {
	for _, all := range [3][]columns.Slot{p.Table.Spawned(), p.Table.MarkerChanged(), p.Table.Resumed()} {
		for _, s := range all {
			p.paceOf(repl.Slot(s))
		}
	}
	for _, s := range p.Family.touched() {
		p.paceOf(s)
	}
}

func (p *Publisher) paceOf(s repl.Slot) {
	marker, e := p.Family.asks(s), p.Table.Entity(columns.Slot(s))
	p.Sender.SetRate(s, p.rate(&marker, e))
	p.doubt(marker.Target, e)
}

// rate returns what a Replicate asks for. A priority that is none is taken as 1, and the
// first of them is logged.
func (p *Publisher) rate(marker *components.Replicate, e ecs.Entity) sender.Rate {
	r := sender.Rate{Every: marker.SendEvery, Priority: marker.Priority, MaxAge: marker.MaxAge}
	if !(r.Priority >= 0) || math.IsInf(float64(r.Priority), 0) {
		if !p.oddPriority {
			p.oddPriority = true
			p.unregistered.log.Warn("a Replicate.Priority is negative or no finite number, and is taken as 1; set it to a number from 0 to 1e6",
				"entity", e, "priority", r.Priority)
		}
		r.Priority = 1
	}
	return r
}
