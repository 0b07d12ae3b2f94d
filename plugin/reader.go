package plugin

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/world/event"
)

// Event is a kind of event that systems can read. The kinds are the types of this package that
// implement it; a game cannot add any.
type Event interface {
	// subscribe makes the hub raise this kind of event.
	subscribe(h *event.Hub)
}

// Reader reads the events of one kind, for one system. Every system makes its own.
type Reader[E Event] struct {
	cursor event.Cursor[E]
}

// NewReader returns a reader of the events of type E that are raised from now on.
// It is made in a system's Initialize and kept:
//
//	joined := plugin.NewReader[plugin.ClientConnected](w)
//
// It panics if no app (Server, Client or Host) is initialised in the world, and if E can never
// occur there, such as ComponentUpdated of a component that is not registered.
func NewReader[E Event](w *ecs.World) Reader[E] {
	hub := event.HubOf(w)
	if hub == nil {
		panic(fmt.Sprintf("plugin: NewReader[%T] in a world without an Entangle app; call it from the Initialize "+
			"of a system that was added to the Server, Client or Host, or after the app is initialised", *new(E)))
	}
	var kind E
	kind.subscribe(hub)
	return Reader[E]{cursor: event.QueueOf[E](hub).Cursor()}
}

// Read returns the events since the last Read, oldest first, each once. The slice is valid until
// the next frame receives; the caller must not change it. A system that reads in every frame, or in
// every tick, misses none. Without events the slice is empty.
//
// In a replay the slice is empty, and the events raised since are read by the next tick that runs
// for the first time. Only InputReceived belongs to its tick: a replay of that tick reads the
// inputs that take effect in it now.
func (r *Reader[E]) Read() []E { return r.cursor.Read() }
