package event

import (
	"reflect"
)

// ResourceEvents raises the events of one resource type, like ComponentEvents.
type ResourceEvents struct {
	Inserted, Updated, Removed func()
}

// AddResource returns the events of a resource type and makes them available to readers. The engine
// calls it for every registered resource before any system of the game is initialised. Calling it
// again returns the same events.
func (h *Hub) AddResource(t reflect.Type) *ResourceEvents {
	if e, ok := h.resources[t]; ok {
		return e
	}
	e := &ResourceEvents{}
	h.resources[t] = e
	return e
}

// Resource returns the events of a resource type, or false if the engine does not raise any for it:
// the type is not registered, or this side does not receive it.
func (h *Hub) Resource(t reflect.Type) (*ResourceEvents, bool) {
	e, ok := h.resources[t]
	return e, ok
}

func (*ResourceEvents) Raise(emit func()) {
	if emit != nil {
		emit()
	}
}

// OnInserted sets the function that is called when the network has added the resource or has taken
// over an existing one. Each kind of event has one queue and so one function; setting it again
// replaces it.
func (e *ResourceEvents) OnInserted(emit func()) { e.Inserted = emit }

// OnUpdated sets the function that is called when the network has changed the value.
func (e *ResourceEvents) OnUpdated(emit func()) { e.Updated = emit }

// OnRemoved sets the function that is called when the network has removed the resource.
func (e *ResourceEvents) OnRemoved(emit func()) { e.Removed = emit }
