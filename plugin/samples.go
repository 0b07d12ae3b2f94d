package plugin

import (
	"fmt"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/wire/blend"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/entangle-ecs/entangle/protocol"
)

// Samples reads the two values of the server that a component T of an interpolated entity is shown between. With
// them a system in AfterReceive can show an entity in a way of its own, for example by a curve through several
// components: it overwrites T, which holds the value of the registered function until then. SetLerp changes that
// function for single entities.
type Samples[T any] struct {
	applier *sink.Applier // nil on a server
	comp    int
}

// NewSamples returns a reader of the samples of T. It is made in a system's Initialize and kept. It panics if no
// app is initialised in the world, or if T is not registered as a component.
func NewSamples[T any](w *ecs.World) Samples[T] {
	t := reflect.TypeFor[T]()
	app := mustHaveApp(w, fmt.Sprintf("NewSamples[%v]", t))
	if app.Applier == nil {
		return Samples[T]{}
	}
	comp, ok := app.Applier.Component(ecs.ComponentID[T](w))
	if !ok {
		panic(fmt.Sprintf("plugin: NewSamples[%[1]v], of which the server says nothing; "+
			"register it with protocol.Component[%[1]v](p) before the app is made", t))
	}
	return Samples[T]{applier: app.Applier, comp: comp}
}

// Get returns the last value before the shown time and the next one, and how much of the way between them is
// over in this frame, from 0 to 1. While no next value has arrived, the two are equal. It is not ok if the
// entity is not interpolated on this client, or has no T with Interpolate.
func (s *Samples[T]) Get(e ecs.Entity) (from, to T, share float64, ok bool) {
	if s.applier == nil {
		return from, to, 0, false
	}
	a, b, part, ok := s.applier.Samples(e, s.comp)
	if !ok {
		return from, to, 0, false
	}
	return columns.ValueOf[T](a), columns.ValueOf[T](b), float64(part), true
}

// SetLerp sets the function that blends the T of one interpolated entity on this client, in place of those of the
// registration: protocol.Step for none, and nil for the registered ones again. It lasts until the entity ends, or
// its interpolation does. Snap goes before it, and Extrapolate does not continue by it. The entity moves on from
// what is on the screen, so call it for a change and not in each frame.
//
// It is not ok, and nothing happens, if the entity is not interpolated on this client, if T has no Interpolate,
// and on a server. A panic of the function goes through to the caller of Update; see Client.Update.
func (s *Samples[T]) SetLerp(e ecs.Entity, lerp protocol.Lerp[T]) (ok bool) {
	if s.applier == nil {
		return false
	}
	if lerp == nil {
		return s.applier.SetFunction(e, s.comp, nil)
	}
	functions, err := blend.NewFuncs(lerp)
	return err == nil && s.applier.SetFunction(e, s.comp, functions.Blend)
}
