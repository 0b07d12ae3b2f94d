package protocol

import (
	"reflect"
	"time"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/wire/blend"
)

// ComponentRule takes the options of a component. Its methods return it, to be
// chained; each may be given once.
type ComponentRule[T any] struct{ def *componentRule }

type componentRule struct {
	rule
	info   registry.Component
	codec  *wire.Codec
	differ *wire.Differ
}

// Component registers T to be replicated: on every entity with
// components.Replicate that has one. T must not hold Go pointers; Err names the
// fields that do, and what to use instead.
func Component[T any](p *Protocol) *ComponentRule[T] {
	t := reflect.TypeFor[T]()
	def := &componentRule{rule: newRule(p, registry.KindComponent, t)}
	def.info = registry.Component{Name: wire.TypeName(t), Type: t, Relation: isRelation(t)}
	if !def.off {
		p.components = append(p.components, def)
	}
	return &ComponentRule[T]{def}
}

// Predict sets how entities that a client predicts follow the server. The
// default is Simple. Full rolls back and replays, and rounds quantised fields on
// both sides after every tick, so that the two compute with the same values. Once takes the
// first value, and that the component is inserted and removed; None nothing.
func (r *ComponentRule[T]) Predict(mode SyncMode) *ComponentRule[T] {
	if r.def.option("Predict") {
		r.def.info.Predict = registry.SyncMode(mode)
	}
	return r
}

// Interpolate sets the function that blends two values: over a correction, and between ticks for
// the screen.
// Linear is one that needs no writing.
func (r *ComponentRule[T]) Interpolate(lerp Lerp[T]) *ComponentRule[T] {
	if !r.def.option("Interpolate") {
		return r
	}
	if lerp == nil {
		r.def.fail(ErrOptions, "Interpolate(nil): give a function, such as protocol.Linear, or leave the option out")
		return r
	}
	functions, err := blend.NewFuncs[T](lerp)
	if err != nil {
		r.def.fail(ErrOptions, "Interpolate(Linear): %v", err)
		return r
	}
	r.def.info.Funcs = functions
	return r
}

// Snap sets the function that says that two values are too far apart to blend,
// as after a respawn.
func (r *ComponentRule[T]) Snap(far func(a, b T) bool) *ComponentRule[T] {
	if r.def.option("Snap") && r.def.present("Snap", far != nil) {
		r.def.info.TooFar = blend.OnMemory(far)
	}
	return r
}

// Tolerance sets the function that says that a predicted value is close enough
// to the confirmed one to need no rollback. Without it they must be equal on the
// wire.
func (r *ComponentRule[T]) Tolerance(same func(predicted, confirmed T) bool) *ComponentRule[T] {
	if r.def.option("Tolerance") && r.def.present("Tolerance", same != nil) {
		r.def.info.Same = blend.OnMemory(same)
	}
	return r
}

// Correct sets how long the presentation takes to ease from the predicted value to
// the confirmed one after a rollback. The simulation is right at once.
func (r *ComponentRule[T]) Correct(over time.Duration) *ComponentRule[T] {
	if !r.def.option("Correct") {
		return r
	}
	if over <= 0 {
		r.def.fail(ErrOptions, "Correct(%v): give a duration above 0, or leave the option out to correct at once", over)
	}
	r.def.info.Correct = over
	return r
}

// ReplicateOnce sends inserts and removes, and no updates. A client that joins later, or
// is sent the entity again, gets the value of that moment. A component that is removed and
// inserted between two observed ticks counts as never removed.
func (r *ComponentRule[T]) ReplicateOnce() *ComponentRule[T] {
	if r.def.option("ReplicateOnce") {
		r.def.info.Once = true
	}
	return r
}

// Delta sends updates as differences from a value that the other side is known
// to hold, where there is one. It pays where values change by little, as quantised
// positions, angles, rotations and integers with a range do, and where some of
// many fields change; numbers without a tag are sent in full if they changed. It
// costs memory for the values of the last 64 ticks.
func (r *ComponentRule[T]) Delta() *ComponentRule[T] {
	if r.def.option("Delta") {
		r.def.info.Delta = true
	}
	return r
}

// Motion takes differences from where two values that the other side is known to
// hold say that the value would be by now, going on as it did: numbers and angles
// in a line, rotations as their components turn. It needs Delta. It pays where
// values move on evenly, such as positions and rotations of bodies, and saves a
// fifth of their bytes or so; values that jump about take a little more than
// without it. It costs a second look into the values of the last 64 ticks for
// each update, and that updates are shared by fewer clients: by those that hold
// both values.
func (r *ComponentRule[T]) Motion() *ComponentRule[T] {
	if r.def.option("Motion") {
		r.def.info.Motion = true
	}
	return r
}

// Adaptive writes differences with codes that are learned from what the game does, and
// told to clients on the way: those of quantised numbers, angles and rotations, which stand
// in every difference. It needs Delta, and excludes Diff. It pays where many values
// move in ways of their own, such as a crowd that walks or shots that fly, and saves a
// twentieth to an eighth of their bytes; of bodies that are pushed about it saves nearly nothing. What
// is learned comes from entities that all clients may see: of others alone nothing is. It
// costs a server some microseconds a tick, whatever the number of clients, and up to 100 KB;
// and a few hundred bytes to each client every 512 ticks at most, less often as there is
// less to learn. All components together may have MaxBooks codes, each as many as any other.
func (r *ComponentRule[T]) Adaptive() *ComponentRule[T] {
	if r.def.option("Adaptive") {
		r.def.info.Adaptive = true
	}
	return r
}

// Diff replaces the built-in difference of T, that of its fields, by one of the
// game's own. It needs Delta, and excludes Motion and Adaptive. It pays where the game knows
// better what changes: one cell of a grid, or a counter that only rises. It costs
// the memory of a few values, a length in front of each difference, and that
// each difference is applied on the sending side too, to see whether it
// gives the value: if not, the value is sent whole.
func (r *ComponentRule[T]) Diff(d Differ[T]) *ComponentRule[T] {
	if r.def.option("Diff") && r.def.present("Diff", d != nil) {
		r.def.differ = wrapDiffer(d)
	}
	return r
}

// Codec replaces the built-in encoding of T. Struct tags then mean nothing. A T
// with entity fields needs a RefCodec.
func (r *ComponentRule[T]) Codec(c Codec[T]) *ComponentRule[T] {
	setCodec(&r.def.rule, "Codec", c, &r.def.codec)
	return r
}

// present refuses a nil argument.
func (r *rule) present(option string, ok bool) bool {
	if !ok {
		r.fail(ErrOptions, "%s(nil): give one, or leave the option out", option)
	}
	return ok
}

// finish makes the plan and the defaults, and finds contradictions.
func (r *componentRule) finish(number int) {
	i := &r.info
	i.Number = number
	if i.Input {
		i.Plan = wire.PresencePlan(i.Type)
		return
	}
	i.Plan = r.p.plan(r.subject, i.Type, false, r.codec)
	if i.Plan != nil {
		i.Plan.UseDiffer(r.differ)
	}
	i.Round = i.Predict == registry.Full && i.Plan != nil && i.Plan.Rounds()
	r.check()
}

func (r *componentRule) check() {
	i := &r.info
	switch {
	case !i.Predict.Valid():
		r.unfit("the mode of Predict is none of Simple, Full, Once and None")
	case i.Once && i.Delta:
		r.unfit("ReplicateOnce sends no updates, so there is nothing for Delta to shorten: remove one")
	case i.Motion && r.given["Diff"]:
		r.unfit("Motion is for the built-in difference, which Diff replaces: remove one")
	case i.Adaptive && r.given["Diff"]:
		r.unfit("Adaptive is for the built-in difference, which Diff replaces: remove one")
	case r.given["Diff"] && i.Plan != nil && i.Plan.HasRefs():
		r.unfit("Diff cannot carry entities, and field %s is one: remove Diff, or keep the entity in a component of its own", i.Plan.FirstRef())
	case i.Once && i.Predict == registry.Full:
		r.unfit("Predict(Full) compares with updates that ReplicateOnce does not send: remove one, or use Predict(Once)")
	case r.given["Tolerance"] && i.Predict != registry.Full:
		r.unfit("Tolerance is for rollback, which only Predict(Full) does: add that, or remove Tolerance")
	case r.given["Correct"] && i.Predict != registry.Full:
		r.unfit("Correct is for rollback, which only Predict(Full) does: add that, or remove Correct")
	}
	r.checkRelation()
	r.needs("Correct", "Interpolate", "easing over a correction needs a function that blends, such as protocol.Linear")
	r.needs("Motion", "Delta", "it says what differences are taken from")
	r.needs("Adaptive", "Delta", "it says how differences are written")
	r.needs("Diff", "Delta", "it says how differences are made")
	r.needs("Snap", "Interpolate", "there is nothing to blend, so nothing can be too far apart to blend")
}
