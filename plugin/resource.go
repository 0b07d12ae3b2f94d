package plugin

import (
	"fmt"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/message"
)

// ReplicateResource has the clients of a target get the resource of type T of a
// server's world, from the next tick on: the newest value, whenever it differs from
// the one before. The world need not have it yet; where it is removed, it is removed
// on the clients. Clients that connect later get it too. Owner is Nobody here, and
// NotOwner is Everyone.
//
// Called again it changes the target: who is no longer in it loses the resource.
//
// The value is looked at once per tick and sent whole, the next one when a client has
// acknowledged the one before. One that can't be sent, because it takes more than
// 64 KiB or text or a slice is above its limit, is logged, raised as ResourceRefused,
// and left out: clients keep the one before.
//
// It panics if no server is initialised in the world, and if T is not registered.
func ReplicateResource[T any](w *ecs.World, target components.Target) {
	if !resourcesOf[T](w, "ReplicateResource").Replicate(reflect.TypeFor[T](), target) {
		panic(unregisteredResource[T]("ReplicateResource"))
	}
}

// StopResource leaves the resource of type T on the clients as they have it: nothing
// more is sent of it, and who connects gets none, until ReplicateResource is called
// again. Then everybody gets what became of it meanwhile.
//
// It panics like ReplicateResource.
func StopResource[T any](w *ecs.World) {
	if !resourcesOf[T](w, "StopResource").Stop(reflect.TypeFor[T]()) {
		panic(unregisteredResource[T]("StopResource"))
	}
}

// resourcesOf makes no text unless it needs it: a game may say in every tick who gets
// what.
func resourcesOf[T any](w *ecs.World, call string) *message.Resources {
	d, _ := w.Resources().Get(ecs.ResourceID[door](w)).(*door)
	switch {
	case d == nil:
		doorOf(w, fmt.Sprintf("%s[%v]", call, reflect.TypeFor[T]()))
	case d.resources == nil:
		panic(fmt.Sprintf("plugin: %s[%v] in the world of a client; the server replicates, a client only receives", call, reflect.TypeFor[T]()))
	}
	return d.resources
}

func unregisteredResource[T any](call string) string {
	return fmt.Sprintf("plugin: %[1]s[%[2]v], which is not registered; "+
		"register it with protocol.Resource[%[2]v](p) before the app is made", call, reflect.TypeFor[T]())
}

// ResourceInserted is raised on a client when the network has added the resource of
// type T to the world, or has written to the one that the game had there, for the first
// time on this connection or since it was removed. A resource that the network has
// added goes with the connection; one that the game had there stays, with its last value.
//
// Fields that are not sent are zero in every value that arrives.
type ResourceInserted[T any] struct{}

// ResourceUpdated is raised when the network has changed the value of the resource of
// type T, in its place: pointers to it stay good. It is also raised when an entity that
// the value names has come.
type ResourceUpdated[T any] struct{}

// ResourceRemoved is raised when the network has taken the resource of type T out of the
// world, also at the end of the connection.
type ResourceRemoved[T any] struct{}

// ResourceRefused is raised on a server when the value of a replicated resource can't
// be sent, once for each such value. Clients keep the value before.
type ResourceRefused struct {
	// Name is the resource's type, with its package path.
	Name string
	// Err says why.
	Err error
}

func (ResourceInserted[T]) subscribe(h *event.Hub) {
	q := event.QueueOf[ResourceInserted[T]](h)
	resourceEvents[T](h).OnInserted(func() { q.Push(ResourceInserted[T]{}) })
}

func (ResourceUpdated[T]) subscribe(h *event.Hub) {
	q := event.QueueOf[ResourceUpdated[T]](h)
	resourceEvents[T](h).OnUpdated(func() { q.Push(ResourceUpdated[T]{}) })
}

func (ResourceRemoved[T]) subscribe(h *event.Hub) {
	q := event.QueueOf[ResourceRemoved[T]](h)
	resourceEvents[T](h).OnRemoved(func() { q.Push(ResourceRemoved[T]{}) })
}

func (ResourceRefused) subscribe(*event.Hub) {}

// resourceEvents returns the events of resource T, or panics if the network does not
// bring T here.
func resourceEvents[T any](h *event.Hub) *event.ResourceEvents {
	t := reflect.TypeFor[T]()
	events, ok := h.Resource(t)
	if !ok {
		panic(fmt.Sprintf("plugin: a reader of events of the resource %v, which this side does not receive; on a client, "+
			"register it with protocol.Resource[%v](p) before the app is made; a server receives no resources", t, t))
	}
	return events
}
