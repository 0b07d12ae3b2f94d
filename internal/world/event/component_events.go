package event

import (
	"reflect"

	"github.com/mlange-42/arche/ecs"
)

// ComponentEvents raises the events of one component type. The code that applies
// what the network brought does not know that type; it holds one ComponentEvents
// per component number and calls it with the entity. While nobody reads a kind,
// raising it is a comparison with nil.
type ComponentEvents struct {
	inserted, OnUpdate, removed func(e ecs.Entity)
	corrected                   func(*Correction)
}

// AddComponent returns the events of a component type and makes them known to
// readers. The engine calls it for every registered component before any system
// of the game is initialised; calling it again returns the same events.
func (h *Hub) AddComponent(t reflect.Type) *ComponentEvents {
	if c, ok := h.components[t]; ok {
		return c
	}
	c := &ComponentEvents{}
	h.components[t] = c
	return c
}

// Component returns the events of a component type, or false if the engine does
// not raise any for it: it is not registered.
func (h *Hub) Component(t reflect.Type) (*ComponentEvents, bool) {
	c, ok := h.components[t]
	return c, ok
}

// Inserted raises that the network gave the component to an entity.
func (c *ComponentEvents) Inserted(e ecs.Entity) { raise(c.inserted, e) }

// ReadsUpdates reports whether anything reads the events of Updated.
func (c *ComponentEvents) ReadsUpdates() bool { return c.OnUpdate != nil }

// Updated raises that the network changed the component's value.
func (c *ComponentEvents) Updated(e ecs.Entity) { raise(c.OnUpdate, e) }

// Removed raises that the network took the component from an entity.
func (c *ComponentEvents) Removed(e ecs.Entity) { raise(c.removed, e) }

func raise(emit func(e ecs.Entity), e ecs.Entity) {
	if emit != nil {
		emit(e)
	}
}

// OnInserted sets what Inserted calls. There is one queue per kind of event, so
// there is one function; setting it again replaces it.
func (c *ComponentEvents) OnInserted(emit func(e ecs.Entity)) { c.inserted = emit }

// OnUpdated sets what Updated calls.
func (c *ComponentEvents) OnUpdated(emit func(e ecs.Entity)) { c.OnUpdate = emit }

// OnRemoved sets what Removed calls.
func (c *ComponentEvents) OnRemoved(emit func(e ecs.Entity)) { c.removed = emit }

// Corrected raises that a rollback has set a value right.
func (c *ComponentEvents) Corrected(of *Correction) {
	if c.corrected != nil {
		c.corrected(of)
	}
}

// OnCorrected sets what Corrected calls.
func (c *ComponentEvents) OnCorrected(emit func(*Correction)) { c.corrected = emit }
