package endpoint

import (
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
)

// owned is a world of entities that clients control.
type owned struct {
	ecs.World
	entities *OwnedEntities
	owner    generic.Map1[components.ControlledBy]
}

func newOwned() *owned {
	o := &owned{World: ecs.NewWorld()}
	o.entities, o.owner = NewOwnedEntities(&o.World), generic.NewMap1[components.ControlledBy](&o.World)
	return o
}

func (o *owned) of(client entangle.ClientID) ecs.Entity {
	return o.owner.NewWith(&components.ControlledBy{Client: client})
}

// A client that reconnects within the tick loses the entities that it owned before, except those
// that have another owner since, or none.
//
// Proves: R18
func TestAClientThatIsBackLosesOnlyWhatIsStillItsOwn(t *testing.T) {
	o := newOwned()
	lost, given, freed, kept, removed := o.of(1), o.of(1), o.of(1), o.of(1), o.of(1)
	o.owner.Get(kept).Keep = true
	o.entities.Leave(1)
	o.entities.Leave(1) // the client had connected again, and left again
	o.owner.Get(given).Client = 2
	o.owner.Remove(freed)
	o.RemoveEntity(removed)
	others, next := o.of(2), o.of(1)
	o.entities.Clear(func(client entangle.ClientID) bool { return client != entangle.Nobody })
	assert.False(t, o.Alive(lost))
	for _, e := range []ecs.Entity{given, freed, kept, others, next} {
		assert.True(t, o.Alive(e))
	}
	o.entities.Clear(func(entangle.ClientID) bool { return false })
	for _, e := range []ecs.Entity{given, kept, others, next} {
		assert.True(t, o.Alive(e), "nobody has left since")
	}
}

// changing is a listener of a game that is called when an entity is removed.
type changing func()

func (changing) Subscriptions() event.Subscription { return event.EntityRemoved }

func (changing) Components() *ecs.Mask { return nil }

func (c changing) Notify(_ *ecs.World, _ ecs.EntityEvent) { c() }

// A listener that is called for the removal of one entity can set Keep on another entity of the
// same client, which then stays.
//
// Proves: R18
func TestWhatAListenerRescuesStays(t *testing.T) {
	o := newOwned()
	first, second := o.of(1), o.of(1)
	o.SetListener(changing(func() {
		o.owner.Get(second).Keep = true
	}))
	o.entities.Leave(1)
	o.entities.Clear(func(entangle.ClientID) bool { return false })
	assert.False(t, o.Alive(first))
	assert.True(t, o.Alive(second))
}
