package oracle

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

// visibilityFixture is a world that is partly visible to clients 1 and 2.
type visibilityFixture struct {
	ecs.World
	t         *testing.T
	relevance Relevance
}

func (h *visibilityFixture) newEntity(target components.Target, group components.Group) ecs.Entity {
	return h.NewEntityWith(ecs.Component{
		ID:   ecs.ComponentID[components.Replicate](&h.World),
		Comp: &components.Replicate{Target: target, Group: group},
	})
}

func (h *visibilityFixture) setParent(e, parent ecs.Entity) {
	id := ecs.ComponentID[components.ChildOf](&h.World)
	if !h.Has(e, id) {
		h.Add(e, id)
	}
	h.Relations().Set(e, id, parent)
}

func (h *visibilityFixture) rules() *visibility {
	p := protocol.New(protocol.Config{Name: "theater"})
	protocol.Component[components.ChildOf](p)
	return newVisibility(&h.World, registry.Of(p).Components, h.relevance)
}

func (h *visibilityFixture) expectViewers(e ecs.Entity, clients ...entangle.ClientID) {
	h.t.Helper()
	var see []entangle.ClientID
	all := h.views()
	for client := range entangle.ClientID(3) {
		if all[e].views[client].sees {
			see = append(see, client)
		}
	}
	assert.Equal(h.t, clients, see)
}

// look returns the visibility of all entities.
func (h *visibilityFixture) views() map[ecs.Entity]*version {
	var m inspect.Mirror
	for q := h.Query(ecs.All()); q.Next(); {
		m.Entities = append(m.Entities, inspect.Mirrored{
			Entity: q.Entity(), Paused: !q.Has(ecs.ComponentID[components.Replicate](&h.World)),
		})
	}
	return h.rules().compute(&m, nil, []entangle.ClientID{1, 2}).versions
}

func TestTargetsDecideVisibility(t *testing.T) {
	h := &visibilityFixture{World: ecs.NewWorld(), t: t, relevance: ownedOnly{}}
	h.expectViewers(h.newEntity(components.Default, 0), 1, 2)
	h.expectViewers(h.newEntity(components.Everyone, 0), 1, 2)
	h.expectViewers(h.newEntity(components.Nobody, 0))
	h.expectViewers(h.newEntity(components.Server, 0))
	h.expectViewers(h.newEntity(components.Owner, 0))
	h.expectViewers(h.newEntity(components.NotOwner, 0), 1, 2)
	for target, see := range map[components.Target][]entangle.ClientID{components.Owner: {2}, components.NotOwner: {1}} {
		e := h.newEntity(target, 0)
		h.Assign(e, ecs.Component{ID: ecs.ComponentID[components.ControlledBy](&h.World), Comp: &components.ControlledBy{Client: 2}})
		h.expectViewers(e, see...)
	}
	sets := &components.Targets{}
	ecs.AddResource(&h.World, sets)
	h.expectViewers(h.newEntity(sets.Only(1), 0), 1)
	h.expectViewers(h.newEntity(sets.Except(1), 0), 2)
}

func TestChildrenAreSeenWhereTheirParentIs(t *testing.T) {
	h := &visibilityFixture{World: ecs.NewWorld(), t: t, relevance: ownedOnly{}}
	sets := &components.Targets{}
	ecs.AddResource(&h.World, sets)
	parent, child, grandchild, own := h.newEntity(sets.Only(1), 0), h.newEntity(0, 0), h.newEntity(0, 0), h.newEntity(components.Everyone, 4)
	h.setParent(child, parent)
	h.setParent(grandchild, child)
	h.setParent(own, child)
	rules := h.rules()
	for _, e := range []ecs.Entity{parent, child, grandchild, own} {
		h.expectViewers(e, 1)
		assert.Equal(t, group{alone: parent}, rules.groupOf(e))
	}
	rules.replicateOf(own).Target = sets.Only(2)
	h.expectViewers(own)
	rules.replicateOf(parent).Target = components.Everyone
	h.expectViewers(own, 2)
	rules.replicateOf(parent).Group = 7
	assert.Equal(t, group{name: 7}, rules.groupOf(grandchild))

	h.Add(child, ecs.ComponentID[components.NoReplicateChildren](&h.World))
	assert.Equal(t, group{alone: grandchild}, rules.groupOf(grandchild))
	assert.Equal(t, group{name: 4}, rules.groupOf(own))
	assert.Equal(t, group{name: 7}, rules.groupOf(child))
	h.Remove(child, ecs.ComponentID[components.NoReplicateChildren](&h.World), ecs.ComponentID[components.Replicate](&h.World))
	assert.Equal(t, group{name: 4}, rules.groupOf(own), "its parent is paused")
}
