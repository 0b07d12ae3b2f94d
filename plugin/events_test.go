package plugin

import (
	"reflect"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/world/event"
)

type health struct{ Points int32 }

type shield struct{ Points int32 }

func TestReaderReadsEachEventOnce(t *testing.T) {
	w := ecs.NewWorld()
	hub := event.InstallHub(&w)
	a, b := NewReader[ClientConnected](&w), NewReader[ClientConnected](&w)
	event.QueueOf[ClientConnected](hub).Push(ClientConnected{Client: 7})
	event.QueueOf[ClientDisconnected](hub).Push(ClientDisconnected{Client: 7})
	assert.Equal(t, []ClientConnected{{Client: 7}}, a.Read())
	assert.Empty(t, a.Read())
	hub.BeginFrame(1)
	assert.Equal(t, []ClientConnected{{Client: 7}}, b.Read())
	assert.Empty(t, b.Read())
}

// Events of a component reach the readers of that component and that kind of event, and no others,
// for any number of readers.
func TestComponentEventsReachTheReadersOfTheirType(t *testing.T) {
	w := ecs.NewWorld()
	hub := event.InstallHub(&w)
	ofHealth := hub.AddComponent(reflect.TypeFor[health]())
	ofShield := hub.AddComponent(reflect.TypeFor[shield]())
	inserted, updated := NewReader[ComponentInserted[health]](&w), NewReader[ComponentUpdated[health]](&w)
	again, removed := NewReader[ComponentInserted[health]](&w), NewReader[ComponentRemoved[health]](&w)

	e, f := w.NewEntity(), w.NewEntity()
	ofHealth.Inserted(e)
	ofHealth.Inserted(f)
	ofHealth.Updated(f)
	ofHealth.Removed(e)
	ofShield.Inserted(e)
	ofShield.Removed(e)

	assert.Equal(t, []ComponentInserted[health]{{e}, {f}}, inserted.Read())
	assert.Equal(t, []ComponentInserted[health]{{e}, {f}}, again.Read())
	assert.Equal(t, []ComponentUpdated[health]{{f}}, updated.Read())
	assert.Equal(t, []ComponentRemoved[health]{{e}}, removed.Read())
}

func TestReaderInAWorldWithoutAnAppSaysWhatToDo(t *testing.T) {
	w := ecs.NewWorld()
	assert.PanicsWithValue(t, "plugin: NewReader[plugin.EntitySpawned] in a world without an Entangle app; "+
		"call it from the Initialize of a system that was added to the Server, Client or Host, or after the app is initialised",
		func() { NewReader[EntitySpawned](&w) })
}

func TestReaderOfAnUnregisteredComponentSaysWhatToDo(t *testing.T) {
	w := ecs.NewWorld()
	event.InstallHub(&w)
	assert.PanicsWithValue(t, "plugin: a reader of events of plugin.shield, which this side does not receive; on a client, "+
		"register it with protocol.Component[plugin.shield](p) before the app is made; a server receives no components",
		func() { NewReader[ComponentUpdated[shield]](&w) })
}

func TestComponentEventsAllocateNothing(t *testing.T) {
	w := ecs.NewWorld()
	hub := event.InstallHub(&w)
	events := hub.AddComponent(reflect.TypeFor[health]())
	reader := NewReader[ComponentUpdated[health]](&w)
	e, seen := w.NewEntity(), 0
	frame := func() {
		hub.BeginFrame(1)
		for range 1000 {
			events.Updated(e)
			events.Inserted(e)
		}
		seen += len(reader.Read())
	}
	frame()
	frame()
	assert.Zero(t, alloctest.Count(100, frame))
	assert.GreaterOrEqual(t, seen, 103*1000)
}
