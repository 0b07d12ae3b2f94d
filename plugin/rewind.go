package plugin

import (
	"fmt"
	"reflect"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/input"
)

// DefaultMaxRewind is the default of ServerConfig.MaxRewind, and the highest possible one.
const DefaultMaxRewind = time.Second

// rewindTicks returns ServerConfig.MaxRewind in ticks.
func (c *ServerConfig) rewindTicks(tickRate int) int {
	switch {
	case c.MaxRewind < 0:
		return 0
	case c.MaxRewind == 0:
		return tickRate
	}
	return int((c.MaxRewind*time.Duration(tickRate) + time.Second - 1) / time.Second)
}

// Rewind gives one system of a server the values of a component T as players saw them: lag compensation. T must
// be registered with the option Rewind.
type Rewind[T any] struct {
	app  *apps.App
	comp int
}

// NewRewind returns the Rewind of T. It is made in a system's Initialize and kept. It panics if no app is
// initialised in the world, or if T is not registered as a component with the option Rewind; an input cannot be. On a
// client, which has no history, it has views without targets.
func NewRewind[T any](w *ecs.World) Rewind[T] {
	t := reflect.TypeFor[T]()
	app := mustHaveApp(w, fmt.Sprintf("NewRewind[%v]", t))
	for _, info := range app.RewindComponents() {
		if info.Type == t {
			return Rewind[T]{app: app, comp: info.Number}
		}
	}
	if _, input := app.Inputs.Number(t); input {
		panic(fmt.Sprintf("plugin: NewRewind[%[1]v], which is an input: inputs cannot be rewound. A system of FixedMain reads "+
			"those of this tick from the component %[1]v, and NewInputs[%[1]v] has more about them", t))
	}
	panic(fmt.Sprintf("plugin: NewRewind[%[1]v], of which no former values are kept; "+
		"register it with protocol.Component[%[1]v](p).Rewind() before the app is made", t))
}

// View returns what the player that drives the entity shooter saw on its screen when it made the input that acts
// on that entity in this tick: also with an input delay, then it is what it saw when it pressed the key. It is for
// systems in FixedMain: in another set it is the view of the last tick that has run. An entity is in
// views from the tick after the one in which it is spawned. It is valid until the end of the tick, and cheap to ask for again.
//
// An interpolated entity is where the function that the client interpolates with has shown it, between the two
// updates that the client had, to within one step of its precision on the wire. An entity is in the view if
// the player saw it then: if it had arrived, and was not despawned or hidden. One that is gone since is in it, and
// one that appeared later is not. An entity without T then is not in it either.
//
// An entity that the player is not shown in the past is as of the end of the last tick: one that the player
// predicts, and one that is not in the entity's Replicate.Interpolate. So is every entity for those who see the
// present: a bot, the player of a Host, and an entity without a player.
//
// Where the player's input has not arrived, and is repeated, the view is of the time that the screen would have
// shown, had it gone on evenly. If the player has sent nothing for long, it is of the present.
//
// Samples.SetLerp is a matter of one client, and the server does not know of it. View panics if r is not from NewRewind.
func (r *Rewind[T]) View(shooter ecs.Entity) RewindView[T] {
	if r.app == nil {
		panic(fmt.Sprintf("plugin: View of a zero Rewind[%v]; make it with NewRewind in the Initialize of a system", reflect.TypeFor[T]()))
	}
	if r.app.Rewind == nil {
		return RewindView[T]{}
	}
	screen := r.app.Inputs.View(r.app.Rewind, shooter)
	v := RewindView[T]{app: r.app, screen: screen}
	if screen.View == nil {
		return v
	}
	values, absent := screen.Values(r.comp)
	v.entities, v.values, v.absent = screen.Entities(), columns.ValuesOf[T](values), absent
	return v
}

// RewindView is what one player saw of the entities with a T. It is valid until the end of the tick.
type RewindView[T any] struct {
	app      *apps.App
	screen   input.ScreenView
	entities []uint64 // packed
	values   []T
	absent   []bool
}

// Rewound says how far a value was taken from the past.
type Rewound struct {
	// Tick and Fraction are the time of the server at which the screen showed the entity: the last tick, and
	// the fraction of the next one that had passed, from 0 up to 1, in whole 256ths.
	Tick     entangle.Tick
	Fraction float64
	// By is how long before the present tick that was, in ticks: at least 1, also if the screen went on while the
	// server stood still. A value that is not rewound is of the end of the last tick, so it is 1 then.
	By float64
	// Present says that it is not rewound, because the player is not shown the entity in the past.
	Present bool
	// Clamped says that the view has times that were not those that the client claimed: these were impossible,
	// or longer ago than ServerConfig.MaxRewind.
	Clamped bool
	// Repeated says that the input did not arrive, so that the time is an estimate.
	Repeated bool
	// Gone says that the player has lost the entity since, or is about to: it is despawned, or hidden.
	Gone bool
}

// Clamped reports whether a time of the view was not the one that the client claimed; see Rewound.
func (v *RewindView[T]) Clamped() bool { return v.screen.Clamped }

// Len returns the number of targets. Some of them may lack T; see At.
func (v *RewindView[T]) Len() int { return len(v.values) }

// At returns target i of the view, from 0 up to Len, and panics if there is none. It is not ok if the player saw no T of
// that entity. The entity may be despawned by now.
func (v *RewindView[T]) At(i int) (e ecs.Entity, value T, ok bool) {
	v.mustHave("At", i)
	if v.absent[i] {
		return e, value, false
	}
	return v.entity(i), v.values[i], true
}

func (v *RewindView[T]) entity(i int) ecs.Entity {
	return columns.UnpackEntity(v.entities[i])
}

// mustHave panics if there is no target i.
func (v *RewindView[T]) mustHave(call string, i int) {
	if i < 0 || i >= len(v.values) {
		panic(fmt.Sprintf("plugin: %s(%d) of a RewindView[%v] with %d targets; pass an index from 0 up to Len, or one that Find or a hit has returned",
			call, i, reflect.TypeFor[T](), len(v.values)))
	}
}

// Rewound returns how far target i was taken from the past, and panics if there is none.
func (v *RewindView[T]) Rewound(i int) Rewound {
	v.mustHave("Rewound", i)
	t := v.screen.Target(i)
	now := timesync.ShownAt(v.app.Inputs.Tick(), 0)
	shown := min(t.Shown, now-1<<8) // a screen goes on for a while where the server stands still, with all at rest
	return Rewound{
		Tick: shown.Tick(), Fraction: float64(shown.Fraction()) / 256, By: float64(now-shown) / 256,
		Present: !t.Rewound, Clamped: v.screen.Clamped, Repeated: v.screen.Repeated, Gone: t.Gone,
	}
}

// Find returns the index of a target. It is not ok if the player did not see the entity. The first call of a view looks
// at all of its targets, and any other at a few, also for an entity that is gone since or was never there.
func (v *RewindView[T]) Find(target ecs.Entity) (i int, ok bool) {
	if v.screen.View == nil {
		return 0, false
	}
	return v.screen.Find(columns.PackEntity(target))
}

// Get returns the T of an entity as the player saw it. It is not ok if the player saw no T of it.
func (v *RewindView[T]) Get(target ecs.Entity) (value T, ok bool) {
	i, ok := v.Find(target)
	if !ok {
		return value, false
	}
	_, value, ok = v.At(i)
	return value, ok
}
