package event

import (
	"reflect"

	"github.com/entangle-ecs/entangle"
	"github.com/mlange-42/arche/ecs"
)

// InputHead says of an input whose it is and when it acts.
type InputHead struct {
	Client entangle.ClientID
	Entity ecs.Entity
	Tick   entangle.Tick
	Status InputStatus
}

// InputSink raises an input of its type, which the entity holds at that moment.
type InputSink func(InputHead)

// InputEvents raises the events of one input type. The code that applies inputs does not
// know their types; it holds one InputEvents per input number. While nobody reads them,
// raising is a comparison with nil.
type InputEvents struct {
	world *ecs.World
	id    ecs.ID
	sink  InputSink
}

// AddInput returns the events of an input type of w and makes them known to readers. The
// engine calls it for every registered input before any system of the game is initialised;
// calling it again returns the same events.
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

// OnInput sets what Raise calls. There is one queue per input type, so there is one sink;
// setting it again replaces it.
func (i *InputEvents) OnInput(sink InputSink) { i.sink = sink }

// Wanted reports whether any system reads these inputs.
func (i *InputEvents) Wanted() bool { return i.sink != nil }

// World returns the world whose entities have the inputs, and ID their component there.
func (i *InputEvents) World() *ecs.World { return i.world }

// ID returns the component that holds the inputs.
func (i *InputEvents) ID() ecs.ID { return i.id }

// Raise raises an input that acts in the tick at hand, and that its entity holds.
func (i *InputEvents) Raise(head InputHead) {
	if i.sink != nil {
		i.sink(head)
	}
}
