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

// Confirmed reads component T as the server said it, beside what a client predicts: to draw
// both, to measure how far they are apart, or to decide by what is certain. Nothing but the
// server changes it.
type Confirmed[T any] struct {
	world *ecs.World
	id    ecs.ID
	copy  *sink.Copy // of a client
	comp  int
	time  *components.Time
}

// NewConfirmed returns what reads T as the server said it. It is made in a system's
// Initialize and kept. It panics if no app is initialised in the world, and if T is not
// registered as a component.
func NewConfirmed[T any](w *ecs.World) Confirmed[T] {
	t := reflect.TypeFor[T]()
	d := mustDoor(w, fmt.Sprintf("NewConfirmed[%v]", t))
	c := Confirmed[T]{world: w, id: ecs.ComponentID[T](w), copy: d.copy, time: ecs.GetResource[components.Time](w)}
	var ok bool
	if d.copy != nil {
		c.comp, ok = d.copy.Component(c.id)
		d.copy.KeepLastWords()
	} else {
		_, ok = d.publisher.Component(t)
	}
	if !ok {
		panic(fmt.Sprintf("plugin: NewConfirmed[%[1]v], of which the server says nothing; "+
			"register it with protocol.Component[%[1]v](p) before the app is made", t))
	}
	return c
}

// Get returns an entity's T as the server said it last, and the server's tick that it is of.
// It is not ok if the entity has none by what the server said, or is none of the server's.
//
// Of an entity that is predicted, the game's own T may be another, and there may be none, or
// one where Get is not ok. Of one with components.Remote it is what is in the world. Of one
// that was predicted and is despawned, it answers for as long as EntityDespawned is there to
// be read. On a server and on a host, it is what is in the world, as of the present tick.
func (c *Confirmed[T]) Get(e ecs.Entity) (value T, at entangle.Tick, ok bool) {
	if c.copy == nil {
		if !c.world.Alive(e) || !c.world.Has(e, c.id) {
			return value, 0, false
		}
		if memory := c.world.Get(e, c.id); memory != nil { // else it is a tag
			value = *(*T)(memory)
		}
		return value, c.time.Tick, true
	}
	memory, at, ok := c.copy.Confirmed(e, c.comp)
	if !ok {
		return value, 0, false
	}
	return columns.ValueOf[T](memory), at, true
}

// Twin returns the entity that shows what the server says of one that is predicted. It is not
// ok for another, and without ClientConfig.ConfirmedTwins.
func (c *Client) Twin(e ecs.Entity) (twin ecs.Entity, ok bool) { return c.copy.Twin(e) }
