package tick

import (
	"errors"

	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/listener"
)

// ErrListener explains the remedy where an existing listener would be lost.
var ErrListener = errors.New("the world has a listener, and there can be only one: add yours to a listener.Dispatch, " +
	"call World.SetListener with that, and ecs.AddResource it to the world, so that both can hear; or leave all of it to the app and add yours to its Dispatch later")

// ShareListener shares the world's one listener: all listeners for changes of structure are in a
// listener.Dispatch, which is a resource of the world.
func ShareListener(w *ecs.World, hear ...ecs.Listener) error {
	id := ecs.ResourceID[listener.Dispatch](w)
	dispatch, _ := w.Resources().Get(id).(*listener.Dispatch)
	if dispatch == nil {
		if columns.HasListener(w) {
			return ErrListener
		}
		fresh := listener.NewDispatch()
		dispatch = &fresh
		w.Resources().Add(id, dispatch)
		w.SetListener(dispatch)
	}
	for _, l := range hear {
		dispatch.AddListener(l)
	}
	return nil
}
