package systems

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
)

// TargetsOf returns the world's sets of clients, and adds them if there are none.
func TargetsOf(w *ecs.World) *components.Targets {
	if t, ok := w.Resources().Get(ecs.ResourceID[components.Targets](w)).(*components.Targets); ok {
		return t
	}
	t := &components.Targets{}
	ecs.AddResource(w, t)
	return t
}

// held tells of all targets that entities and overrides hold.
func (p *Publisher) held(hold func(components.Target)) {
	marked := ecs.All(p.marker)
	for query := p.arche.Query(&marked); query.Next(); {
		r := (*components.Replicate)(query.Get(p.marker))
		hold(r.Target)
		hold(r.Predict)
	}
	for _, target := range p.sight.target {
		hold(target) // also of what is paused
	}
	for _, rested := range p.sight.resting {
		for _, above := range rested.line {
			hold(above.target)
		}
	}
	for i := range p.sight.foresight.of {
		hold(p.sight.foresight.of[i].target)
	}
	for i := range p.sight.overrides.notes {
		hold(p.sight.overrides.notes[i].said)
		hold(p.sight.overrides.notes[i].target) // also of what is paused
	}
}

// held tells of all targets of messages that wait to be sent.
func (p *Post) held(hold func(components.Target)) {
	for i := range p.out {
		hold(p.out[i].target)
	}
}
