package visualinterp

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/core/smooth"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire/blend"
	"github.com/entangle-ecs/entangle/protocol"
)

// Option configures how a component is shown.
type Option func(*rule)

// rule is the configuration of one Add.
type rule struct {
	typ    reflect.Type
	err    error
	blend  blend.Funcs
	tooFar func(a, b []byte) bool
	over   *time.Duration
	tagged bool
	hides  bool
	where  func(*ecs.World, ecs.Entity) bool
}

// With blends values with a custom function, or with protocol.Linear. Use it for a component that
// is not in the protocol, or that is to be shown differently from its registration. T must not hold
// Go pointers.
func With[T any](lerp protocol.Lerp[T]) Option {
	return func(r *rule) {
		r.takes(reflect.TypeFor[T](), "With", lerp != nil)
		if lerp != nil {
			r.blend, r.err = blend.NewFuncs(lerp)
		}
	}
}

// Snap shows a value without blending if it is too far from the previous one, for example after a
// respawn.
func Snap[T any](far func(a, b T) bool) Option {
	return func(r *rule) {
		r.takes(reflect.TypeFor[T](), "Snap", far != nil)
		r.tooFar = blend.OnMemory(far)
	}
}

// Correct sets how long the display takes to move to the corrected value after a rollback; 0 means
// at once. Components of protocol.Local need it. For other components it overrides the
// registration.
func Correct(over time.Duration) Option {
	return func(r *rule) {
		if over < 0 {
			panic(fmt.Sprintf("visualinterp: Correct(%v): give a duration of 0 or above", over))
		}
		r.over = &over
	}
}

// Tagged shows only entities with the tag Smooth, as long as they have it.
func Tagged() Option { return func(r *rule) { r.tagged = true } }

// Where shows only entities for which wanted returns true. For each entity, wanted is called once,
// when the entity is first found with the component, at the end of a tick or of a frame at the
// latest. It may read the world, and must not change it.
func Where(wanted func(w *ecs.World, e ecs.Entity) bool) Option {
	return func(r *rule) {
		if wanted == nil {
			panic("visualinterp: Where(nil): give a function that selects the entities to show")
		}
		r.where = wanted
	}
}

// HideUntilTwo adds Hidden to an entity until two ticks have ended since it got the component.
// Until then its display would be a tick ahead of the others. Systems that draw exclude entities
// with Hidden.
func HideUntilTwo() Option { return func(r *rule) { r.hides = true } }

// takes panics unless an option was given a function, and for the right type.
func (r *rule) takes(t reflect.Type, option string, given bool) {
	switch {
	case !given:
		panic(fmt.Sprintf("visualinterp: %s(nil): give a function", option))
	case t != r.typ:
		panic(fmt.Sprintf("visualinterp: Add[%v] was given a %s for %v: give one for %v", r.typ, option, t, r.typ))
	}
}

// kind returns how values of the component are shown in a world of the protocol; rollsBack is true
// if a rollback restores them.
func (r *rule) kind(p *protocol.Protocol) (k smooth.Kind, rollsBack bool) {
	if r.typ.Size() == 0 {
		panic(fmt.Sprintf("visualinterp: %v has no values to show: it is a tag", r.typ))
	}
	if r.err != nil {
		panic("visualinterp: " + r.err.Error())
	}
	k = smooth.Kind{Size: int(r.typ.Size())}
	blend := r.blend
	if info := registry.Of(p).ComponentOf(r.typ); info != nil {
		rollsBack = info.Predict == registry.Full || info.Predict == registry.Once
		k.TooFar, k.Over = info.TooFar, info.Correct
		if blend.Blend == nil {
			blend = info.Funcs
		}
	}
	if slices.ContainsFunc(registry.Of(p).Locals, func(l *registry.Local) bool { return l.Type == r.typ }) {
		rollsBack = true
	}
	if blend.Blend == nil {
		panic(fmt.Sprintf("visualinterp: there is no function to blend %[1]v: register it with Interpolate(protocol.Linear[%[1]v]), or add it With(protocol.Linear[%[1]v])", r.typ))
	}
	k.Blend, k.Carry = blend.Blend, blend.Carry
	if r.tooFar != nil {
		k.TooFar = r.tooFar
	}
	if r.over != nil {
		k.Over = *r.over
	}
	return k, rollsBack
}
