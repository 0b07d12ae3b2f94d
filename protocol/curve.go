package protocol

import (
	"reflect"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/wire/blend"
)

// Curve returns a value between from and to: from at t = 0, to at t = 1. fromV and toV are the values of
// a second component at the same two times, such as velocities, and seconds is the time between the two.
// It is called for t above 0 and below 1.
type Curve[P, V any] func(from, to P, fromV, toV V, seconds, t float64) P

// InterpolateWith sets the function that blends P together with a second component V, on interpolated
// entities that have both. Hermite is a ready-made one, for positions with velocities. Everywhere else, and
// while it is extrapolated, P is blended by its function of Interpolate alone. V is blended by its own, too.
//
// Both must be registered as components with Interpolate, before this call or after it. If a client shows an
// entity late, or goes on from a value that is no sample, the curve begins with the values of both components
// that the entity has on the screen. While two values of P are equal, it rests.
func InterpolateWith[P, V any](p *Protocol, curve Curve[P, V]) {
	def := &curveRule{p: reflect.TypeFor[P](), v: reflect.TypeFor[V]()}
	def.subject = registry.KindComponent.String() + " " + wire.TypeName(def.p)
	if !p.touch(def.subject + ", InterpolateWith") {
		return
	}
	if curve == nil {
		p.fail(ErrOptions, def.subject, "InterpolateWith(nil): give a function, such as protocol.Hermite, or leave it out")
		return
	}
	for _, other := range p.curves {
		if other.p == def.p {
			p.fail(ErrTwice, def.subject, "InterpolateWith is given twice: keep one")
			return
		}
	}
	var err error
	if def.curve, err = blend.NewCurve(curve); err != nil {
		p.fail(ErrOptions, def.subject, "InterpolateWith(Hermite): %v", err)
		return
	}
	p.curves = append(p.curves, def)
}

// Hermite is the cubic curve through two positions with their velocities, in the unit of the position per
// second: unlike a line it has no corner where two of them meet, so that a thrown ball shows its arc even if its
// updates are far apart. P and V need the same number of floats, of the same sizes and in the same order; fields
// of P with the tag angle turn the shorter way around. Other fields of P have the value of from.
//
// InterpolateWith recognises the function and compiles it once. A direct call compiles it each time, which is
// slow, and panics if the types do not fit.
func Hermite[P, V any](from, to P, fromV, toV V, seconds, t float64) P {
	return blend.HermiteValue(from, to, fromV, toV, seconds, t)
}

// curveRule is a call of InterpolateWith.
type curveRule struct {
	subject string
	p, v    reflect.Type
	curve   blend.Curve
}

// finish sets the function of the component, and finds mistakes.
func (c *curveRule) finish(p *Protocol) {
	of, with := p.blended(c.subject, c.p), p.blended(c.subject, c.v)
	if of != nil && with != nil {
		of.Curve, of.With = c.curve, with.Number
	}
}

// blended returns a component that is blended, nil after a mistake.
func (p *Protocol) blended(subject string, t reflect.Type) *registry.Component {
	for _, r := range p.components {
		if r.info.Type != t || r.info.Input {
			continue
		}
		if !r.given["Interpolate"] {
			p.unfit = append(p.unfit, setupError(ErrOptions, subject, "InterpolateWith needs a function for %v alone, because not every entity has both components: add Interpolate to it, such as Interpolate(protocol.Linear)", t))
			return nil
		}
		return &r.info
	}
	p.unfit = append(p.unfit, setupError(ErrOptions, subject, "InterpolateWith is given for %v, which is no component of the protocol: register it with protocol.Component", t))
	return nil
}
