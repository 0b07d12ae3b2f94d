package visualinterp

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/core/smooth"
	"github.com/entangle-ecs/entangle/protocol"
)

// Option says how a component is shown.
type Option func(*rule)

// rule is what Add was told.
type rule struct {
	typ    reflect.Type
	err    error
	blend  protocol.Blending
	tooFar func(a, b []byte) bool
	over   *time.Duration
	tagged bool
	hides  bool
	where  func(*ecs.World, ecs.Entity) bool
}

// With blends by a function of the game's own, or by protocol.Linear: for a component that is
// not in the protocol, or that is to be shown in another way than its registration says.
// T must not hold Go pointers.
func With[T any](lerp protocol.Lerp[T]) Option {
	return func(r *rule) {
		r.takes(reflect.TypeFor[T](), "With", lerp != nil)
		if lerp != nil {
			r.blend, r.err = protocol.NewBlending(lerp)
		}
	}
}

// Snap shows a value at once that is too far from the one before, as after a respawn.
func Snap[T any](far func(a, b T) bool) Option {
	return func(r *rule) {
		r.takes(reflect.TypeFor[T](), "Snap", far != nil)
		r.tooFar = protocol.OnMemory(far)
	}
}

// Correct sets how long the picture takes to ease over to what is right after a rollback; 0
// is at once. It is for components of protocol.Local, which have no other place to say so,
// and overrides what the registration of others says.
func Correct(over time.Duration) Option {
	return func(r *rule) {
		if over < 0 {
			panic(fmt.Sprintf("visualinterp: Correct(%v): give a duration of 0 or above", over))
		}
		r.over = &over
	}
}

// Tagged shows only entities that have the tag Smooth, and as long as they have it.
func Tagged() Option { return func(r *rule) { r.tagged = true } }

// Where shows only entities of which wanted says so. It is asked once, when the entity is
// first seen with the component, at the end of a tick or of a frame at the latest. It may look
// at the world, and must not change it.
func Where(wanted func(w *ecs.World, e ecs.Entity) bool) Option {
	return func(r *rule) {
		if wanted == nil {
			panic("visualinterp: Where(nil): give a function that says which entities are shown")
		}
		r.where = wanted
	}
}

// HideUntilTwo puts Hidden on an entity until two ticks have ended with it: until then its
// picture is a tick ahead of all others. Systems that draw leave entities with Hidden
// out.
func HideUntilTwo() Option { return func(r *rule) { r.hides = true } }

// takes checks a function that an option was given.
func (r *rule) takes(t reflect.Type, option string, given bool) {
	switch {
	case !given:
		panic(fmt.Sprintf("visualinterp: %s(nil): give a function", option))
	case t != r.typ:
		panic(fmt.Sprintf("visualinterp: Add[%v] was given a %s for %v: give one for %v", r.typ, option, t, r.typ))
	}
}

// kind is how values of the component are shown in a world of the protocol; rewinds says
// that they are restored in a rollback.
func (r *rule) kind(p *protocol.Protocol) (k smooth.Kind, rewinds bool) {
	if r.typ.Size() == 0 {
		panic(fmt.Sprintf("visualinterp: %v holds nothing that could be shown: it is a tag", r.typ))
	}
	if r.err != nil {
		panic("visualinterp: " + r.err.Error())
	}
	k = smooth.Kind{Size: int(r.typ.Size())}
	blend := r.blend
	if info := p.ComponentOf(r.typ); info != nil {
		rewinds = info.Predict == protocol.Full || info.Predict == protocol.Once
		k.TooFar, k.Over = info.TooFar, info.Correct
		if blend.Blend == nil {
			blend = info.Blending
		}
	}
	if slices.ContainsFunc(p.Locals(), func(l *protocol.LocalInfo) bool { return l.Type == r.typ }) {
		rewinds = true
	}
	if blend.Blend == nil {
		panic(fmt.Sprintf("visualinterp: nothing says how to blend %[1]v: register it with Interpolate(protocol.Linear[%[1]v]), or add it With(protocol.Linear[%[1]v])", r.typ))
	}
	k.Blend, k.Carry = blend.Blend, blend.Carry
	if r.tooFar != nil {
		k.TooFar = r.tooFar
	}
	if r.over != nil {
		k.Over = *r.over
	}
	return k, rewinds
}
