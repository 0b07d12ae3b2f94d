package event_test

import (
	"reflect"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/world/event"
)

type position struct{ X, Y float32 }

func TestComponentEventsReachTheirFunctions(t *testing.T) {
	hub := event.NewHub()
	assert.Nil(t, hub.Component(reflect.TypeFor[position]()))

	events := hub.AddComponent(reflect.TypeFor[position]())
	assert.Same(t, events, hub.AddComponent(reflect.TypeFor[position]()))
	assert.Same(t, events, hub.Component(reflect.TypeFor[position]()))

	w := ecs.NewWorld()
	e := w.NewEntity()
	events.Inserted(e) // no reader
	events.Updated(e)
	events.Removed(e)

	var log []string
	events.OnInserted = func(got ecs.Entity) { assert.Equal(t, e, got); log = append(log, "inserted") }
	events.OnUpdated = func(got ecs.Entity) { assert.Equal(t, e, got); log = append(log, "updated") }
	events.OnRemoved = func(got ecs.Entity) { assert.Equal(t, e, got); log = append(log, "removed") }
	events.Inserted(e)
	events.Updated(e)
	events.Removed(e)
	assert.Equal(t, []string{"inserted", "updated", "removed"}, log)
}

func TestHubIsAResourceOfItsWorld(t *testing.T) {
	a, b := ecs.NewWorld(), ecs.NewWorld()
	assert.Nil(t, event.HubOf(&a))
	hub := event.InstallHub(&a)
	assert.Same(t, hub, event.InstallHub(&a))
	assert.Same(t, hub, event.HubOf(&a))
	assert.Nil(t, event.HubOf(&b))
}
