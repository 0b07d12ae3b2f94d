package netsim

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/entangle-ecs/entangle/protocol"
)

// ownedOnly is the relevance of a game without rooms, in which only owned entities are relevant.
type ownedOnly struct{}

func (ownedOnly) Matters(_ entangle.ClientID, _ ecs.Entity, owned bool) bool { return owned }

func (ownedOnly) InRoom(components.Room, entangle.ClientID) bool { return false }

// theater is a world that is partly visible to clients 1 and 2.
type theater struct {
	ecs.World
	t       *testing.T
	matters mattering
}

func (h *theater) marked(target components.Target, group components.Group) ecs.Entity {
	return h.NewEntityWith(ecs.Component{
		ID:   ecs.ComponentID[components.Replicate](&h.World),
		Comp: &components.Replicate{Target: target, Group: group},
	})
}

func (h *theater) below(e, parent ecs.Entity) {
	id := ecs.ComponentID[components.ChildOf](&h.World)
	if !h.Has(e, id) {
		h.Add(e, id)
	}
	h.Relations().Set(e, id, parent)
}

func (h *theater) sight() *sight {
	p := protocol.New(protocol.Config{Name: "theater"})
	protocol.Component[components.ChildOf](p)
	return newSight(&h.World, registry.Of(p).Components, h.matters)
}

func (h *theater) seenBy(e ecs.Entity, clients ...entangle.ClientID) {
	h.t.Helper()
	var see []entangle.ClientID
	all := h.look()
	for client := range entangle.ClientID(3) {
		if all[e].seen[client].sees {
			see = append(see, client)
		}
	}
	assert.Equal(h.t, clients, see)
}

// look returns the visibility of all entities.
func (h *theater) look() map[ecs.Entity]*version {
	var m inspect.Mirror
	for q := h.Query(ecs.All()); q.Next(); {
		m.Entities = append(m.Entities, inspect.Mirrored{
			Entity: q.Entity(), Paused: !q.Has(ecs.ComponentID[components.Replicate](&h.World)),
		})
	}
	return h.sight().look(&m, nil, []entangle.ClientID{1, 2}).members
}

func TestTargetsSayWhoSees(t *testing.T) {
	h := &theater{World: ecs.NewWorld(), t: t, matters: ownedOnly{}}
	h.seenBy(h.marked(components.Default, 0), 1, 2)
	h.seenBy(h.marked(components.Everyone, 0), 1, 2)
	h.seenBy(h.marked(components.Nobody, 0))
	h.seenBy(h.marked(components.Server, 0))
	h.seenBy(h.marked(components.Owner, 0))
	h.seenBy(h.marked(components.NotOwner, 0), 1, 2)
	for target, see := range map[components.Target][]entangle.ClientID{components.Owner: {2}, components.NotOwner: {1}} {
		e := h.marked(target, 0)
		h.Assign(e, ecs.Component{ID: ecs.ComponentID[components.ControlledBy](&h.World), Comp: &components.ControlledBy{Client: 2}})
		h.seenBy(e, see...)
	}
	sets := &components.Targets{}
	ecs.AddResource(&h.World, sets)
	h.seenBy(h.marked(sets.Only(1), 0), 1)
	h.seenBy(h.marked(sets.Except(1), 0), 2)
}

func TestChildrenAreSeenWhereTheirParentIs(t *testing.T) {
	h := &theater{World: ecs.NewWorld(), t: t, matters: ownedOnly{}}
	sets := &components.Targets{}
	ecs.AddResource(&h.World, sets)
	parent, child, grandchild, own := h.marked(sets.Only(1), 0), h.marked(0, 0), h.marked(0, 0), h.marked(components.Everyone, 4)
	h.below(child, parent)
	h.below(grandchild, child)
	h.below(own, child)
	s := h.sight()
	for _, e := range []ecs.Entity{parent, child, grandchild, own} {
		h.seenBy(e, 1)
		assert.Equal(t, group{alone: parent}, s.group(e))
	}
	s.marker(own).Target = sets.Only(2)
	h.seenBy(own)
	s.marker(parent).Target = components.Everyone
	h.seenBy(own, 2)
	s.marker(parent).Group = 7
	assert.Equal(t, group{name: 7}, s.group(grandchild))

	h.Add(child, ecs.ComponentID[components.NoReplicateChildren](&h.World))
	assert.Equal(t, group{alone: grandchild}, s.group(grandchild))
	assert.Equal(t, group{name: 4}, s.group(own))
	assert.Equal(t, group{name: 7}, s.group(child))
	h.Remove(child, ecs.ComponentID[components.NoReplicateChildren](&h.World), ecs.ComponentID[components.Replicate](&h.World))
	assert.Equal(t, group{name: 4}, s.group(own), "its parent is paused")
}
