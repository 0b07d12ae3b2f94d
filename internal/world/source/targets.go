package source

import (
	"github.com/entangle-ecs/entangle/components"
	"github.com/mlange-42/arche/ecs"
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

// held calls hold for all targets that entities and overrides hold.
func (p *Publisher) held(hold func(components.Target)) {
	marked := ecs.All(p.marker)
	for query := p.Arche.Query(&marked); query.Next(); {
		r := (*components.Replicate)(query.Get(p.marker))
		hold(r.Target)
		hold(r.Predict)
	}
	for _, target := range p.Sight.target {
		hold(target) // also of paused entities
	}
	for _, rested := range p.Sight.resting {
		for _, above := range rested.line {
			hold(above.target)
		}
	}
	for i := range p.Sight.Foresight.Of {
		hold(p.Sight.Foresight.Of[i].target)
	}
	for i := range p.Sight.Overrides.notes {
		hold(p.Sight.Overrides.notes[i].said)
		hold(p.Sight.Overrides.notes[i].target) // also of paused entities
	}
}
