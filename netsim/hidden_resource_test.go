package netsim_test

import (
	"fmt"
	"testing"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

type (
	// quest refers to entities that not all clients may see.
	quest struct {
		Stage  uint8
		Leader ecs.Entity
		Band   []ecs.Entity
	}
	// siege is a quest that is registered with Rollback.
	siege struct {
		Stage  uint8
		Leader ecs.Entity
		Band   [4]ecs.Entity
	}
)

// If a resource refers to an entity that is hidden from a client, the client gets the same bytes at
// the same times as if the reference were empty. This is so when the entity is despawned, is
// replicated or becomes visible to others, and for clients that receive the resource, or another
// value of it, later.
//
// Proves: V13
func TestAHiddenEntityInAResourceChangesNoByte(t *testing.T) {
	type hidden struct{ e, plain ecs.Entity }
	for name, behind := range map[string]func(b *backstage, h hidden){
		"it ends":                 func(b *backstage, h hidden) { b.world.RemoveEntity(h.e) },
		"it is replicated":        func(b *backstage, h hidden) { b.tagFor(h.plain, b.targets.Only(1)) },
		"it is paused":            func(b *backstage, h hidden) { b.world.Remove(h.e, ecs.ComponentID[components.Replicate](b.world)) },
		"one that is not ends":    func(b *backstage, h hidden) { b.world.RemoveEntity(h.plain) },
		"it is nobody's from now": func(b *backstage, h hidden) { b.tag(h.e).Target = components.Nobody },
	} {
		for _, later := range []string{"as it is", "sent later", "changed later"} {
			run := func(of func(*backstage, hidden)) []string {
				var h hidden
				var q *quest
				var s *siege
				return runResources(t, func(b *backstage) {
					switch {
					case b.tick == 20:
						h = hidden{b.spawn(b.targets.Only(1), 0), b.world.NewEntity()}
						own := b.spawn(b.targets.Only(2), 0)
						q = &quest{Leader: h.e, Band: []ecs.Entity{b.open[0], h.plain, own, h.e, b.open[4]}}
						s = &siege{Leader: h.plain, Band: [4]ecs.Entity{own, h.e, b.open[1], h.plain}}
						ecs.AddResource(b.world, q)
						ecs.AddResource(b.world, s)
					case b.tick == 80:
						of(b, h)
					}
					if b.tick == 20 && later != "sent later" || b.tick == 120 {
						plugin.ReplicateResource[quest](b.world, components.Everyone)
						plugin.ReplicateResource[siege](b.world, components.Everyone)
					}
					if b.tick >= 120 && b.tick%10 == 0 && later == "changed later" {
						q.Stage++
						s.Stage++
					}
					if b.tick == 130 { // shows that handles are the same with and without the hidden entity
						b.spawn(b.targets.Only(2), 0)
					}
				})
			}
			t.Run(fmt.Sprintf("%s, %s", name, later), func(t *testing.T) {
				requireSameDatagrams(t, run(func(*backstage, hidden) {}), run(behind))
			})
		}
	}
}

// tagFor makes an entity replicated to the clients of a target.
func (b *backstage) tagFor(e ecs.Entity, target components.Target) {
	b.m.Assign(e, &Spot{}, &Health{}, &components.Replicate{Target: target})
}

// runResources is runBackstage with resources in the protocol.
func runResources(t *testing.T, behind func(*backstage)) []string {
	return runBackstageOf(t, func() *protocol.Protocol {
		p := spotProtocol()
		protocol.Resource[quest](p)
		protocol.Resource[siege](p).Rollback()
		return p
	}, behind)
}
