package event

import (
	"reflect"

	"github.com/entangle-ecs/entangle"
	"github.com/mlange-42/arche/ecs"
)

// InputHead holds the client, the entity and the tick of an input.
type InputHead struct {
	Client entangle.ClientID
	Entity ecs.Entity
	Tick   entangle.Tick
	Status InputStatus
}

// InputSink raises an input of its type. The entity of the head holds the value.
type InputSink func(InputHead)

// InputEvents raises the events of one input type. The code that applies inputs does not know their
// types: it holds one InputEvents per input number. Without a reader, raising an event costs one
// comparison with nil.
type InputEvents struct {
	world *ecs.World
	id    ecs.ID
	sink  InputSink
}

// AddInput returns the events of an input type of w and makes them available to readers. The engine
// calls it for every registered input before any system of the game is initialised. Calling it
// again returns the same events.
func (h *Hub) AddInput(w *ecs.World, t reflect.Type) *InputEvents {
	if i, ok := h.inputs[t]; ok {
		return i
	}
	i := &InputEvents{world: w, id: ecs.TypeID(w, t)}
	h.inputs[t] = i
	return i
}

// Input returns the events of an input type, or false if it is not registered.
func (h *Hub) Input(t reflect.Type) (*InputEvents, bool) {
	i, ok := h.inputs[t]
	return i, ok
}

// OnInput sets the function that Raise calls. Each input type has one queue and so one sink;
// setting it again replaces it.
func (i *InputEvents) OnInput(sink InputSink) { i.sink = sink }

// Wanted reports whether any system reads these inputs.
func (i *InputEvents) Wanted() bool { return i.sink != nil }

// World returns the world of the entities that have the inputs.
func (i *InputEvents) World() *ecs.World { return i.world }

// ID returns the component that holds the inputs.
func (i *InputEvents) ID() ecs.ID { return i.id }

// Raise raises an input that takes effect in the current tick. Its entity holds the value.
func (i *InputEvents) Raise(head InputHead) {
	if i.sink != nil {
		i.sink(head)
	}
}
