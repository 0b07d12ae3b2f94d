package protocol

import (
	"reflect"
	"time"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/wire/blend"
)

// ComponentRule has methods that set the options of a component. Each method returns the rule, so
// that calls can be chained, and may be called once.
type ComponentRule[T any] struct{ def *componentRule }

type componentRule struct {
	rule
	info   registry.Component
	codec  *wire.Codec
	differ *wire.Differ
}

// Component registers T to be replicated: if an entity with components.Replicate has a T, clients
// get it. T must not hold Go pointers; Err names the fields that do, and what to use instead.
func Component[T any](p *Protocol) *ComponentRule[T] {
	t := reflect.TypeFor[T]()
	def := &componentRule{rule: newRule(p, registry.KindComponent, t)}
	def.info = registry.Component{Name: wire.TypeName(t), Type: t, Relation: isRelation(t)}
	if !def.off {
		p.components = append(p.components, def)
	}
	return &ComponentRule[T]{def}
}

// Predict sets how entities that a client predicts follow the server. The default is Simple. Full
// rolls back and replays, and rounds quantised fields on both sides after every tick, so that both
// compute with the same values. Once takes over only the first value, and the insertion and removal
// of the component. None takes over nothing.
func (r *ComponentRule[T]) Predict(mode SyncMode) *ComponentRule[T] {
	if r.def.option("Predict") {
		r.def.info.Predict = registry.SyncMode(mode)
	}
	return r
}

// Interpolate sets the function that blends two values: on interpolated entities between two values
// that arrived, during a correction, and for display between ticks. Linear is a ready-made one. References
// and the target of a relation are not blended on interpolated entities: each is shown from its tick on.
// A panic of the function goes through to the caller of the app's Update.
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

// InterpolateMode sets how entities that a client interpolates follow the server. The default is Full
// with Interpolate, and Simple without: then a value is shown from its tick on, on the same timeline.
// Once takes over only the first value, and the insertion and removal of the component. None takes
// over nothing.
func (r *ComponentRule[T]) InterpolateMode(mode SyncMode) *ComponentRule[T] {
	if r.def.option("InterpolateMode") {
		r.def.info.Interpolate = registry.SyncMode(mode)
	}
	return r
}

// Extrapolate makes the values of interpolated entities go on in their direction for at most so long, while no
// newer value has arrived. Without it, and afterwards, they rest. When the next value arrives, the movement
// goes on from what is shown. An entity that stops overshoots by as much and comes back, so it is for what
// moves evenly, such as ships and projectiles. It needs Interpolate(Linear).
func (r *ComponentRule[T]) Extrapolate(most time.Duration) *ComponentRule[T] {
	if !r.def.option("Extrapolate") {
		return r
	}
	if most <= 0 || most > MaxExtrapolation {
		r.def.fail(ErrOptions, "Extrapolate(%v): give a duration above 0 and up to %v, or leave the option out", most, MaxExtrapolation)
	}
	r.def.info.Extrapolate = most
	return r
}

// MaxExtrapolation is the longest duration of Extrapolate.
const MaxExtrapolation = time.Second

// Snap sets the function that reports whether two values are too far apart to blend, for example
// after a respawn.
func (r *ComponentRule[T]) Snap(far func(a, b T) bool) *ComponentRule[T] {
	if r.def.option("Snap") && r.def.present("Snap", far != nil) {
		r.def.info.TooFar = blend.OnMemory(far)
	}
	return r
}

// Rewind makes a server keep the values of the last ticks: all of ServerConfig.MaxRewind, so that plugin.Rewind
// can show them to its systems as a player saw them. It is for what shots are tested against, such as
// positions, and what a door or a platform moves by. It costs the memory of about a hundred values of each
// entity, and changes nothing on the wire. It is not for a component with InterpolateMode(None), which no client shows. Of
// one with InterpolateMode(Once) or ReplicateOnce it keeps the values of the server, also where they have changed since the
// first.
func (r *ComponentRule[T]) Rewind() *ComponentRule[T] {
	if r.def.option("Rewind") {
		r.def.info.Rewind = true
	}
	return r
}

// Tolerance sets the function that reports whether a predicted value is so close to the confirmed
// one that no rollback is needed. Without it they must be equal on the wire.
func (r *ComponentRule[T]) Tolerance(same func(predicted, confirmed T) bool) *ComponentRule[T] {
	if r.def.option("Tolerance") && r.def.present("Tolerance", same != nil) {
		r.def.info.Same = blend.OnMemory(same)
	}
	return r
}

// Correct sets how long the display takes to move from the predicted value to the confirmed one
// after a rollback. The simulation has the confirmed value at once.
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

// ReplicateOnce sends the insertion and removal of the component, and no updates of its value. A
// client that joins later, or is sent the entity again, gets the value that the component then has.
// A component that is removed and inserted between two observed ticks counts as never removed.
func (r *ComponentRule[T]) ReplicateOnce() *ComponentRule[T] {
	if r.def.option("ReplicateOnce") {
		r.def.info.Once = true
	}
	return r
}

// Delta sends updates as differences from an acknowledged value, if there is one. It saves bytes if
// values change by little, such as quantised positions, angles, rotations and integers with a
// range, or if a few of many fields change. Numbers without a tag are sent in full if they changed.
// It costs memory for the values of the last 64 ticks.
func (r *ComponentRule[T]) Delta() *ComponentRule[T] {
	if r.def.option("Delta") {
		r.def.info.Delta = true
	}
	return r
}

// Motion sends differences from an extrapolation of two acknowledged values, as if the value had
// continued to change in the same way: numbers and angles in a line, rotations at a constant rate.
// It needs Delta. It saves about a fifth of the bytes of values that move evenly, such as positions
// and rotations of bodies. Values that jump about take a little more than without it. For each
// update it reads the values of the last 64 ticks a second time, and updates are shared by fewer
// clients: only by those that have acknowledged the same two values.
func (r *ComponentRule[T]) Motion() *ComponentRule[T] {
	if r.def.option("Motion") {
		r.def.info.Motion = true
	}
	return r
}

// Diff replaces the built-in difference of T, field by field, with a function of the game. It needs
// Delta, and excludes Motion. Use it if the game can describe changes in fewer bits: one cell of a
// grid, or a counter that only rises. It costs the memory of a few values and a length before each
// difference. Each difference is also applied on the sending side, to check that it results in the
// value. If it does not, the whole value is sent.
func (r *ComponentRule[T]) Diff(d Differ[T]) *ComponentRule[T] {
	if r.def.option("Diff") && r.def.present("Diff", d != nil) {
		r.def.differ = wrapDiffer(d)
	}
	return r
}

// Codec replaces the built-in encoding of T. Struct tags then have no effect. A T with entity
// fields needs a RefCodec.
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

// finish makes the plan, sets defaults, and finds contradictory options.
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
	if r.given["Interpolate"] && !r.given["InterpolateMode"] {
		i.Interpolate = registry.Full
	}
	i.Round = i.Predict == registry.Full && i.Plan != nil && i.Plan.Rounds()
	r.check()
}

func (r *componentRule) check() {
	i := &r.info
	switch {
	case !i.Predict.Valid():
		r.unfit("the mode of Predict is none of Simple, Full, Once and None")
	case !i.Interpolate.Valid():
		r.unfit("the mode of InterpolateMode is none of Simple, Full, Once and None")
	case i.Interpolate == registry.Full && !r.given["Interpolate"]:
		r.unfit("InterpolateMode(Full) is given without Interpolate: showing values in between needs a function that blends, such as protocol.Linear")
	case i.Interpolate != registry.Full && r.given["Interpolate"] && r.given["InterpolateMode"]:
		r.unfit("Interpolate blends values, which the mode %v of InterpolateMode does not: remove one", i.Interpolate)
	case i.Once && i.Delta:
		r.unfit("ReplicateOnce sends no updates, so there is nothing for Delta to shorten: remove one")
	case i.Motion && r.given["Diff"]:
		r.unfit("Motion is for the built-in difference, which Diff replaces: remove one")
	case r.given["Diff"] && i.Plan != nil && i.Plan.HasRefs():
		r.unfit("Diff cannot carry entities, and field %s is one: remove Diff, or keep the entity in a component of its own", i.Plan.FirstRef())
	case i.Once && i.Predict == registry.Full:
		r.unfit("Predict(Full) compares with updates that ReplicateOnce does not send: remove one, or use Predict(Once)")
	case r.given["Tolerance"] && i.Predict != registry.Full:
		r.unfit("Tolerance is for rollback, which only Predict(Full) does: add that, or remove Tolerance")
	case r.given["Correct"] && i.Predict != registry.Full:
		r.unfit("Correct is for rollback, which only Predict(Full) does: add that, or remove Correct")
	}
	if i.Rewind && (i.Input || i.Plan != nil && i.Plan.Size() == 0) {
		r.unfit("Rewind keeps values, and it has none: remove Rewind, or give the component a field")
	}
	if i.Rewind && i.Interpolate == registry.None {
		r.unfit("Rewind keeps what a screen shows, and with InterpolateMode(None) no client shows the values that it gets: remove one")
	}
	r.checkRelation()
	r.needs("Correct", "Interpolate", "easing over a correction needs a function that blends, such as protocol.Linear")
	r.needs("Motion", "Delta", "it says what differences are taken from")
	r.needs("Diff", "Delta", "it says how differences are made")
	r.needs("Extrapolate", "Interpolate", "only Linear can go on beyond the newest value")
	if r.given["Extrapolate"] && i.Blend != nil && i.Carry == nil {
		r.unfit("Extrapolate is for Interpolate(Linear): a function of the game is only asked for values in between")
	}
	r.needs("Snap", "Interpolate", "there is nothing to blend, so nothing can be too far apart to blend")
}
