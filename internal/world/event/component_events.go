package event

import (
	"reflect"

	"github.com/mlange-42/arche/ecs"
)

// ComponentEvents raises the events of one component type. The code that applies received data does
// not know that type: it holds one ComponentEvents per component number and calls it with the
// entity. Raising an event of a kind that has no reader costs one comparison with nil.
type ComponentEvents struct {
	inserted, OnUpdate, removed func(e ecs.Entity)
	corrected                   func(*Correction)
}

// AddComponent returns the events of a component type and makes them available to readers. The
// engine calls it for every registered component before any system of the game is initialised.
// Calling it again returns the same events.
func (h *Hub) AddComponent(t reflect.Type) *ComponentEvents {
	if c, ok := h.components[t]; ok {
		return c
	}
	c := &ComponentEvents{}
	h.components[t] = c
	return c
}

// Component returns the events of a component type, or false if the type is not registered.
func (h *Hub) Component(t reflect.Type) (*ComponentEvents, bool) {
	c, ok := h.components[t]
	return c, ok
}

// Inserted raises the event that the network added the component to an entity.
func (c *ComponentEvents) Inserted(e ecs.Entity) { raise(c.inserted, e) }

// ReadsUpdates reports whether the events of Updated have a reader.
func (c *ComponentEvents) ReadsUpdates() bool { return c.OnUpdate != nil }

// Updated raises the event that the network changed the component's value.
func (c *ComponentEvents) Updated(e ecs.Entity) { raise(c.OnUpdate, e) }

// Removed raises the event that the network removed the component from an entity.
func (c *ComponentEvents) Removed(e ecs.Entity) { raise(c.removed, e) }

func raise(emit func(e ecs.Entity), e ecs.Entity) {
	if emit != nil {
		emit(e)
	}
}

// OnInserted sets the function that Inserted calls. Each kind of event has one queue and so one
// function; setting it again replaces it.
func (c *ComponentEvents) OnInserted(emit func(e ecs.Entity)) { c.inserted = emit }

// OnUpdated sets the function that Updated calls.
func (c *ComponentEvents) OnUpdated(emit func(e ecs.Entity)) { c.OnUpdate = emit }

// OnRemoved sets the function that Removed calls.
func (c *ComponentEvents) OnRemoved(emit func(e ecs.Entity)) { c.removed = emit }

// Corrected raises the event that a rollback has corrected a value.
func (c *ComponentEvents) Corrected(of *Correction) {
	if c.corrected != nil {
		c.corrected(of)
	}
}

// OnCorrected sets the function that Corrected calls.
func (c *ComponentEvents) OnCorrected(emit func(*Correction)) { c.corrected = emit }
