package plugin

import (
	"fmt"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/input"
)

// InputStatus is the status of an entity's input in the current tick.
type InputStatus uint8

// The statuses of an input.
const (
	// NoInput: the entity has no input, because the player declared so, has sent none yet, or has
	// been silent for a second. The component is zero then. Before the first input arrives, the
	// plugin does not touch the component.
	NoInput = InputStatus(event.NoInput)
	// FreshInput: the player's input of this tick.
	FreshInput = InputStatus(event.FreshInput)
	// RepeatedInput: the input did not arrive in time. The last input that arrived replaces it,
	// without its fields tagged `net:"event"`.
	RepeatedInput = InputStatus(event.RepeatedInput)
)

// String returns the name of the status.
func (s InputStatus) String() string { return event.InputStatus(s).String() }

// InputReceived is raised when an input of type T takes effect: in its tick, before the systems of
// FixedMain run. On a server it is raised for all players, on a client for its own player and for
// those whose inputs are rebroadcast.
type InputReceived[T any] struct {
	// Client is the player that drives the entity.
	Client entangle.ClientID
	Entity ecs.Entity
	// Tick is the tick in which the input takes effect, the same on every machine.
	Tick  entangle.Tick
	Input T
	// Status is FreshInput or RepeatedInput.
	Status InputStatus
}

func (InputReceived[T]) subscribe(h *event.Hub) {
	t := reflect.TypeFor[T]()
	events := h.Input(t)
	if events == nil {
		panic(fmt.Sprintf("plugin: a reader of inputs of %[1]v, which is not registered; "+
			"register it with protocol.Input[%[1]v](p) before the app is made", t))
	}
	if events.Sink == nil {
		queue := event.QueueOf[InputReceived[T]](h)
		queue.Replays()
		events.Sink = inputSink[T](queue, events.World, events.ID)
	}
}

// inputSink raises events with the inputs that entities hold.
func inputSink[T any](q *event.Queue[InputReceived[T]], w *ecs.World, id ecs.ID) event.InputSink {
	return func(head event.InputHead) {
		q.Push(InputReceived[T]{
			Client: head.Client, Entity: head.Entity, Tick: head.Tick, Status: InputStatus(head.Status),
			Input: *(*T)(w.Get(head.Entity, id)),
		})
	}
}

// Inputs gives one system details about inputs of type T. A system that only moves entities by them
// does not need it: the input of the tick is the component T of the entity.
type Inputs[T any] struct {
	inputs *input.Inputs
	number int
}

// NewInputs returns the Inputs of type T. It is made in a system's Initialize and kept. It panics
// if no app is initialised in the world, or if T is not registered as an input.
func NewInputs[T any](w *ecs.World) Inputs[T] {
	t := reflect.TypeFor[T]()
	app := mustHaveApp(w, fmt.Sprintf("NewInputs[%v]", t))
	number, ok := app.Inputs.Number(t)
	if !ok {
		panic(fmt.Sprintf("plugin: NewInputs[%[1]v], which is not registered as an input; "+
			"register it with protocol.Input[%[1]v](p) before the app is made", t))
	}
	return Inputs[T]{inputs: app.Inputs, number: number}
}

// Status returns the status of an entity's input in the current tick: NoInput for an entity that no
// player drives. It is for systems in FixedMain; after those it returns the status of the last
// tick.
func (i *Inputs[T]) Status(e ecs.Entity) InputStatus {
	return InputStatus(i.inputs.Status(i.number, e))
}

// Seen returns the time of the server at which the screen of the player that drives e showed the entity of,
// when the player made the input that acts on e in this tick: the last tick, and the fraction of the next
// one that had passed, from 0 up to 1, in whole 256ths. It is for systems in FixedMain of a Server or Host.
//
// It is what the screen showed before the client's frame in which the input was written: the client draws a
// frame, the player looks at it and presses a key, and FixedInput of the next frame writes the input. So it
// is Client.InterpolationTime of the frame that was drawn last, for the interval of the entity's group. It
// is exact, whichever packet the input arrives in, and with any input delay: then it is the time of the
// moment when the key was pressed. If a client claims a time that it cannot have seen, Seen returns the
// nearest possible one; see InputStats.SeenClamped. It is never after the newest tick that had run when the input
// arrived: a screen goes on for half a second while the server stands still.
//
// ok is false
//   - if the player is not shown the entity in the past: it predicts the entity, it is not in the entity's
//     Replicate.Interpolate, or it does not have the entity now;
//   - if the status of the input is not FreshInput: a missing input repeats an earlier one, and nobody knows
//     what was on the screen then;
//   - on a client, for a bot, and for the player of a Host, who sees the present.
func (i *Inputs[T]) Seen(e, of ecs.Entity) (tick entangle.Tick, fraction float64, ok bool) {
	shown, ok := i.inputs.Seen(i.number, e, of)
	if !ok {
		return 0, 0, false
	}
	return shown.Tick(), float64(shown.Fraction()) / 256, true
}

// None declares that an entity has no input in this tick. This differs from a zero input: nothing
// takes effect, nothing is repeated, and the status is NoInput on both sides. Call it in
// FixedInput, in each tick without an input. For an entity that this player does not control it
// does nothing. It panics outside of FixedInput, and on a Server, which has no player.
func (i *Inputs[T]) None(e ecs.Entity) {
	if !i.inputs.Plays() {
		panic("plugin: Inputs.None on a Server, which has no player; call it on a Client or a Host")
	}
	if !i.inputs.None(i.number, e) {
		panic("plugin: Inputs.None outside of FixedInput, where it would have no effect; call it from a system of that set")
	}
}
