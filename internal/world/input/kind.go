package input

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/mlange-42/arche/ecs"
)

// inputKind is a registered input type in a world.
type inputKind struct {
	number int
	id     ecs.ID
	cells  columns.Cells
	codec  *inputCodec
	events *event.InputEvents
}

func newInputKind(w *ecs.World, hub *event.Hub, info *registry.Input) inputKind {
	id := ecs.TypeID(w, info.Type)
	return inputKind{
		number: info.Number, id: id, cells: columns.NewWriter(w).Cells(id),
		codec: newInputCodec(info.Plan), events: hub.AddInput(w, info.Type),
	}
}

// driven returns a filter for entities that have the input, and the component that marks controlled
// ones.
func (k *inputKind) driven(w *ecs.World, by ecs.ID) ecs.CachedFilter {
	filter := ecs.All(k.id, by)
	return w.Cache().Register(&filter)
}

// memoryOf returns the memory of an entity's input.
func (k *inputKind) memoryOf(e ecs.Entity) []byte { return k.cells.Bytes(k.cells.At(e)) }

// act sets an entity's input for the current tick. Before the first input arrives the component is
// left alone.
func (k *inputKind) act(e ecs.Entity, value []byte, status input.Status) event.InputStatus {
	switch status {
	case input.Fresh, input.Repeated:
		copy(k.memoryOf(e), value)
	case input.None:
		clear(k.memoryOf(e))
	}
	return event.StatusOf(status)
}

// raise raises an event for the input that an entity holds in the current tick.
func (k *inputKind) raise(client entangle.ClientID, e ecs.Entity, tick entangle.Tick, status event.InputStatus) {
	if status != event.NoInput {
		k.events.Raise(event.InputHead{Client: client, Entity: e, Tick: tick, Status: status})
	}
}

// clearInput clears an entity's input when its stream ends, so that the entity does not repeat the
// last one.
func (k *inputKind) clearInput(w *ecs.World, e ecs.Entity) {
	if w.Alive(e) && w.Has(e, k.id) {
		clear(k.memoryOf(e))
	}
}
