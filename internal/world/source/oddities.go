package source

import (
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
)

// What is no error, and most likely not meant: it is logged once, since it shows as
// something that is not there, or is elsewhere.

// doubt logs the first Target that is for no client, and is not Nobody.
func (p *Publisher) doubt(target components.Target, e ecs.Entity) {
	if p.oddTarget || target < components.Server || TargetsOf(p.Arche).Known(target) {
		return
	}
	p.oddTarget = true
	p.unregistered.log.Warn("a Replicate.Target is for no client: it is Server, no target at all, or a set that was given up "+
		"because nothing held it; keep sets in a Replicate, or make them anew with components.Targets where they are used",
		"entity", e, "target", target.String())
}

// clamp counts numbers that lay outside what their tag allows, and logs the first of a
// component.
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

// doubtPrediction logs the first entity that says who predicts it and has nothing that they
// would compute, nor children that have, and the first whose owner is to and that can have none.
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
