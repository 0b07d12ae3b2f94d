package source

import (
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
)

// Suspicious configuration is no error but most likely a mistake. It is logged once, because it
// only shows as an entity or value that is missing or wrong.

// doubt logs the first Target that includes no client and is not Nobody.
func (p *Publisher) doubt(target components.Target, e ecs.Entity) {
	if p.oddTarget || target < components.Server || TargetsOf(p.Arche).Known(target) {
		return
	}
	p.oddTarget = true
	p.unregistered.log.Warn("a Replicate.Target is for no client: it is Server, no target at all, or a set that was given up "+
		"because nothing held it; keep sets in a Replicate, or make them anew with components.Targets where they are used",
		"entity", e, "target", target.String())
}

// clamp counts numbers outside the range of their tag, and logs the first of each component.
func (p *Publisher) clamp(slot repl.Slot, comp, numbers int) {
	if numbers == 0 {
		return
	}
	p.clamped += uint64(numbers)
	if p.clamps.Has(comp) {
		return
	}
	p.clamps.Set(comp)
	p.unregistered.log.Warn("a number is outside its range, and is sent as the nearest inside; widen range= in the field's tag, or keep to it",
		"component", p.Types[comp].String(), "entity", p.Table.Entity(columns.Slot(slot)))
}

// doubtPrediction logs the first entity that has a prediction target but nothing to predict on it
// or its children, and the first whose prediction target is its owner and that has no owner.
func (p *Publisher) doubtPrediction(s repl.Slot, said foreseen) {
	if said.target == components.Nobody || said.whose != s || p.oddPredict && p.oddOwner {
		return
	}
	mask, e := p.Table.Mask(columns.Slot(s)), p.Table.Entity(columns.Slot(s))
	if what := mask.And(p.computed); what.IsZero() && !p.oddPredict && !p.Family.Kindred.hasChildren(e) {
		p.oddPredict = true
		p.unregistered.log.Warn("an entity with Replicate.Predict has no component that its clients would compute: all of it comes as the server says; "+
			"register what its systems change with Predict(protocol.Full)", "entity", e)
	}
	if said.target == components.Owner && !p.oddOwner && !p.Arche.Has(e, p.control) {
		p.oddOwner = true
		p.unregistered.log.Warn("a Replicate.Predict is Owner on an entity without components.ControlledBy: nobody predicts it until that says whose it is", "entity", e)
	}
}
