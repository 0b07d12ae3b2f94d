package plugin

import (
	"fmt"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/message"
)

// ReplicateResource replicates the resource of type T of a server's world to the clients of a
// target, from the next tick on: the newest value, whenever it has changed. The resource may be
// added to the world later; when it is removed there, it is removed on the clients. Clients that
// connect later receive it, too. Owner means Nobody here, and NotOwner means Everyone.
//
// A second call changes the target: clients that are no longer in it lose the resource.
//
// The value is compared once per tick, and sent whole. A client is sent the next value when it has
// acknowledged the previous one. A value that cannot be sent, because it takes more than 64 KiB or
// a text or slice in it exceeds its limit, is logged, raised as ResourceRefused, and skipped:
// clients keep the previous value.
//
// It panics if no server is initialised in the world, and if T is not registered.
func ReplicateResource[T any](w *ecs.World, target components.Target) {
	if !resourcesOf[T](w, "ReplicateResource").Replicate(reflect.TypeFor[T](), target) {
		panic(unregisteredResource[T]("ReplicateResource"))
	}
}

// StopResource pauses the resource of type T: clients keep their last value, and clients that
// connect later get none, until ReplicateResource is called again. Then all clients of the target
// receive the present value.
//
// It panics like ReplicateResource.
func StopResource[T any](w *ecs.World) {
	if !resourcesOf[T](w, "StopResource").Stop(reflect.TypeFor[T]()) {
		panic(unregisteredResource[T]("StopResource"))
	}
}

// resourcesOf returns the replicated resources. It formats text only to panic, because a game may
// call ReplicateResource in every tick.
func resourcesOf[T any](w *ecs.World, call string) *message.Resources {
	app := apps.Of(w)
	switch {
	case app == nil:
		mustHaveApp(w, fmt.Sprintf("%s[%v]", call, reflect.TypeFor[T]()))
	case app.Resources == nil:
		panic(fmt.Sprintf("plugin: %s[%v] in the world of a client; the server replicates, a client only receives", call, reflect.TypeFor[T]()))
	}
	return app.Resources
}

func unregisteredResource[T any](call string) string {
	return fmt.Sprintf("plugin: %[1]s[%[2]v], which is not registered; "+
		"register it with protocol.Resource[%[2]v](p) before the app is made", call, reflect.TypeFor[T]())
}

// ResourceInserted is raised on a client when the network has added the resource of type T to the
// world, or has written to a resource that the game had added: for the first time on this
// connection, or for the first time after ResourceRemoved. A resource that the network has added is
// removed when the connection ends. A resource of the game stays, with its last value.
//
// Fields that are not sent are zero in every received value.
type ResourceInserted[T any] struct{}

// ResourceUpdated is raised when the network has changed the value of the resource of type T in
// place: pointers to it stay valid. It is also raised when an entity to which the value refers has
// arrived.
type ResourceUpdated[T any] struct{}

// ResourceRemoved is raised when the network has removed the resource of type T from the world,
// including at the end of the connection.
type ResourceRemoved[T any] struct{}

// ResourceRefused is raised on a server when the value of a replicated resource cannot be sent,
// once for each such value. Clients keep the previous value.
type ResourceRefused struct {
	// Name is the resource's type, with its package path.
	Name string
	// Err says why.
	Err error
}

func (ResourceInserted[T]) subscribe(h *event.Hub) {
	q := event.QueueOf[ResourceInserted[T]](h)
	resourceEvents[T](h).Inserted = func() { q.Push(ResourceInserted[T]{}) }
}

func (ResourceUpdated[T]) subscribe(h *event.Hub) {
	q := event.QueueOf[ResourceUpdated[T]](h)
	resourceEvents[T](h).Updated = func() { q.Push(ResourceUpdated[T]{}) }
}

func (ResourceRemoved[T]) subscribe(h *event.Hub) {
	q := event.QueueOf[ResourceRemoved[T]](h)
	resourceEvents[T](h).Removed = func() { q.Push(ResourceRemoved[T]{}) }
}

func (ResourceRefused) subscribe(*event.Hub) {}

// resourceEvents returns the events of resource T. It panics if this side does not receive T.
func resourceEvents[T any](h *event.Hub) *event.ResourceEvents {
	t := reflect.TypeFor[T]()
	events := h.Resource(t)
	if events == nil {
		panic(fmt.Sprintf("plugin: a reader of events of the resource %v, which this side does not receive; on a client, "+
			"register it with protocol.Resource[%v](p) before the app is made; a server receives no resources", t, t))
	}
	return events
}
