package event

import (
	"reflect"

	"github.com/mlange-42/arche/ecs"
)

// ComponentEvents raises the events of one component type. The code that applies received data does
// not know that type: it holds one ComponentEvents per component number and calls it with the
// entity. Each kind of event has one queue, and so one function that is called; raising a kind that
// has no reader costs one comparison with nil.
type ComponentEvents struct {
	OnInserted, OnUpdated, OnRemoved func(e ecs.Entity)
	OnCorrected                      func(*Correction)
}

// AddComponent returns the events of a component type and makes them available to readers. The
// engine calls it for every registered component before any system of the game is initialised.
// Calling it again returns the same events.
func (h *Hub) AddComponent(t reflect.Type) *ComponentEvents {
	return addEvents(h.components, t, ComponentEvents{})
}

// Component returns the events of a component type, or nil if the type is not registered.
func (h *Hub) Component(t reflect.Type) *ComponentEvents { return h.components[t] }

// Inserted raises the event that the network added the component to an entity.
func (c *ComponentEvents) Inserted(e ecs.Entity) { raise(c.OnInserted, e) }

// ReadsUpdates reports whether the events of Updated have a reader.
func (c *ComponentEvents) ReadsUpdates() bool { return c.OnUpdated != nil }

// Updated raises the event that the network changed the component's value.
func (c *ComponentEvents) Updated(e ecs.Entity) { raise(c.OnUpdated, e) }

// Removed raises the event that the network removed the component from an entity.
func (c *ComponentEvents) Removed(e ecs.Entity) { raise(c.OnRemoved, e) }

// Corrected raises the event that a rollback has corrected a value.
func (c *ComponentEvents) Corrected(of *Correction) { raise(c.OnCorrected, of) }

func raise[E any](emit func(E), event E) {
	if emit != nil {
		emit(event)
	}
}
