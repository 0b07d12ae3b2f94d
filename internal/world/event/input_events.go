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
	World *ecs.World // of the entities that have the inputs
	ID    ecs.ID     // the component that holds them
	Sink  InputSink  // nil: no system reads these inputs
}

// AddInput returns the events of an input type of w and makes them available to readers. The engine
// calls it for every registered input before any system of the game is initialised. Calling it
// again returns the same events.
func (h *Hub) AddInput(w *ecs.World, t reflect.Type) *InputEvents {
	return addEvents(h.inputs, t, InputEvents{World: w, ID: ecs.TypeID(w, t)})
}

// Input returns the events of an input type, or nil if it is not registered.
func (h *Hub) Input(t reflect.Type) *InputEvents { return h.inputs[t] }

// Raise raises an input that takes effect in the current tick. Its entity holds the value.
func (i *InputEvents) Raise(head InputHead) {
	raise(i.Sink, head)
}
