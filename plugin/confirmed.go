package plugin

import (
	"fmt"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/world/sink"
)

// Confirmed reads the confirmed state of component T on a client, next to the predicted value: to
// draw both, to measure their distance, or to decide by certain values only. Only the server
// changes it.
type Confirmed[T any] struct {
	world   *ecs.World
	id      ecs.ID
	applier *sink.Applier // nil on a server
	comp    int
	time    *components.Time
}

// NewConfirmed returns a reader of the confirmed state of T. It is made in a system's Initialize
// and kept. It panics if no app is initialised in the world, or if T is not registered as a
// component.
func NewConfirmed[T any](w *ecs.World) Confirmed[T] {
	t := reflect.TypeFor[T]()
	app := mustHaveApp(w, fmt.Sprintf("NewConfirmed[%v]", t))
	c := Confirmed[T]{world: w, id: ecs.ComponentID[T](w), applier: app.Applier, time: ecs.GetResource[components.Time](w)}
	var ok bool
	if app.Applier != nil {
		c.comp, ok = app.Applier.Component(c.id)
		app.Applier.KeepLastConfirmed()
	} else {
		_, ok = app.Collector.Sent.Component(t)
	}
	if !ok {
		panic(fmt.Sprintf("plugin: NewConfirmed[%[1]v], of which the server says nothing; "+
			"register it with protocol.Component[%[1]v](p) before the app is made", t))
	}
	return c
}

// Get returns the confirmed T of an entity, and the server's tick to which it belongs. It is not ok
// if the entity has no T in the confirmed state, or does not come from the server.
//
// The predicted T in the world may differ, may be missing, or may exist where Get is not ok. For an
// entity with components.Remote, Get returns the value in the world, except for one that is
// interpolated: there it returns the newest value, which the world shows later. It is not ok for an
// orphaned entity, which the server has removed while it was paused. For a despawned entity that was
// predicted, Get answers for as long as EntityDespawned can be read. On a server and on a host it
// returns the value in the world, as of the current tick.
func (c *Confirmed[T]) Get(e ecs.Entity) (value T, at entangle.Tick, ok bool) {
	if c.applier == nil {
		if !c.world.Alive(e) || !c.world.Has(e, c.id) {
			return value, 0, false
		}
		if memory := c.world.Get(e, c.id); memory != nil { // else it is a tag
			value = *(*T)(memory)
		}
		return value, c.time.Tick, true
	}
	memory, at, ok := c.applier.Confirmed(e, c.comp)
	if !ok {
		return value, 0, false
	}
	return columns.ValueOf[T](memory), at, true
}

// Twin returns the confirmed twin of a predicted entity. It is not ok for other entities, and
// without ClientConfig.ConfirmedTwins.
func (c *Client) Twin(e ecs.Entity) (twin ecs.Entity, ok bool) { return c.applier.Twin(e) }
