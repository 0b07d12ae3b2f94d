package event

import (
	"reflect"
)

// ResourceEvents has the functions that raise the events of one resource type; nil for a kind without
// a reader. Each kind of event has one queue, and so one function.
type ResourceEvents struct {
	Inserted func() // the network has added the resource, or has taken over an existing one
	Updated  func() // the network has changed the value
	Removed  func() // the network has removed the resource
}

// AddResource returns the events of a resource type and makes them available to readers. The engine
// calls it for every registered resource before any system of the game is initialised. Calling it
// again returns the same events.
func (h *Hub) AddResource(t reflect.Type) *ResourceEvents {
	return addEvents(h.resources, t, ResourceEvents{})
}

// Resource returns the events of a resource type, or nil if the engine does not raise any for it:
// the type is not registered, or this side does not receive it.
func (h *Hub) Resource(t reflect.Type) *ResourceEvents { return h.resources[t] }

// Raise calls one of the functions of ResourceEvents, if it is set.
func (*ResourceEvents) Raise(emit func()) {
	if emit != nil {
		emit()
	}
}
