package source

import (
	"log/slog"
	"math"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
)

// warnings logs suspicious configuration once: it is no error but most likely a mistake, and it
// only shows as an entity or value that is missing or wrong.
type warnings struct {
	log     *slog.Logger
	clamped uint64 // numbers that were outside the range of their tag

	clampedComps set.Mask // components of which a number was logged

	// Whether one was logged:
	priority      bool // that is no number
	target        bool // that includes no client
	interpolation bool // without components.Interpolated
	prediction    bool // of an entity without predicted components
	owner         bool // that is missing from an entity predicted by its owner
}

// checkTarget logs the first Target that includes no client and is not Nobody.
func (c *Collector) checkTarget(target components.Target, e ecs.Entity) {
	w := &c.warnings
	if w.target || target < components.Server || TargetsOf(c.Arche).Known(target) {
		return
	}
	w.target = true
	w.log.Warn("a Replicate.Target is for no client: it is Server, no target at all, or a set that was given up "+
		"because nothing held it; keep sets in a Replicate, or make them again with components.Targets where they are used",
		"entity", e, "target", target.String())
}

// countClamped counts numbers outside the range of their tag, and logs the first of each component.
func (c *Collector) countClamped(slot repl.Slot, comp, numbers int) {
	w := &c.warnings
	if numbers == 0 {
		return
	}
	w.clamped += uint64(numbers)
	if !w.clampedComps.Has(comp) {
		c.logClamped(comp, slog.Any("entity", c.Table.Entity(columns.Slot(slot))))
	}
}

// logClamped logs that a number of a component is outside its range, the first only.
func (c *Collector) logClamped(comp int, more ...any) {
	w := &c.warnings
	if w.clampedComps.Has(comp) {
		return
	}
	w.clampedComps.Set(comp)
	w.log.With("component", c.Sent.Types[comp].String()).
		Warn("a number is outside its range, and becomes the nearest inside; widen range= in the field's tag, or keep to it", more...)
}

// checkPrediction logs the first entity that has a prediction target but nothing to predict on it
// or its children, and the first whose prediction target is its owner and that has no owner.
func (c *Collector) checkPrediction(s repl.Slot, by clientTarget) {
	w := &c.warnings
	if by.target == components.Nobody || by.setBy != s || w.prediction && w.owner {
		return
	}
	mask, e := c.Table.Mask(columns.Slot(s)), c.Table.Entity(columns.Slot(s))
	if predicted := mask.And(c.Sent.predicted); predicted.IsZero() && !w.prediction && !c.Hierarchy.Propagation.hasChildren(e) {
		w.prediction = true
		w.log.Warn("an entity with Replicate.Predict has no component that its clients would compute: all of it comes as the server says; "+
			"register what its systems change with Predict(protocol.Full)", "entity", e)
	}
	if by.target == components.Owner && !w.owner && !c.Arche.Has(e, c.Sent.control) {
		w.owner = true
		w.log.Warn("a Replicate.Predict is Owner on an entity without components.ControlledBy: nobody predicts it until that names its owner", "entity", e)
	}
}

// checkInterpolation logs the first interpolation target, if components.Interpolated is not registered.
func (c *Collector) checkInterpolation(s repl.Slot) {
	w := &c.warnings
	if target := c.replicateOf(s).Interpolate; w.interpolation || target == components.Default || isNone(target) {
		return
	}
	w.interpolation = true
	w.log.Warn("a Replicate.Interpolate has no effect, because clients are not told of it; add protocol.Component[components.Interpolated](p)",
		"entity", c.Table.Entity(columns.Slot(s)))
}

// rateOf returns the rate that a Replicate asks for. An invalid priority is taken as 1, and the
// first is logged.
func (w *warnings) rateOf(marker *components.Replicate, e ecs.Entity) group.Rate {
	r := group.Rate{Every: marker.SendEvery, Priority: marker.Priority, MaxAge: marker.MaxAge}
	if !(r.Priority >= 0) || math.IsInf(float64(r.Priority), 0) {
		if !w.priority {
			w.priority = true
			w.log.Warn("a Replicate.Priority is negative or no finite number, and is taken as 1; set it to a number from 0 to 1e6",
				"entity", e, "priority", r.Priority)
		}
		r.Priority = 1
	}
	return r
}
