package netsim_test

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/plugin"
)

// shadow counts the events of a client: entities that spawned and have not despawned must be those
// in the world, and likewise for each component.
type shadow struct {
	t       require.TestingT
	client  *plugin.Client
	world   *ecs.World
	there   map[ecs.Entity]int // spawned less despawned
	counted []*counted
	kept    []ecs.Entity // persistent, of connections that have ended
	remote  ecs.ID
	predict ecs.ID

	prespawned ecs.ID
	shots      map[ecs.Entity]bool // entities that are, or were, prespawned
	persist    ecs.ID
}

// counted is one component type.
type counted struct {
	id    ecs.ID
	there map[ecs.Entity]int // inserted less removed
	read  func()
}

func newShadow(t require.TestingT, c *plugin.Client) *shadow {
	return &shadow{t: t, client: c, there: map[ecs.Entity]int{}, shots: map[ecs.Entity]bool{}}
}

func (s *shadow) system() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		s.world, s.remote, s.persist = w, ecs.ComponentID[components.Remote](w), ecs.ComponentID[components.Persistent](w)
		s.predict, s.prespawned = ecs.ComponentID[components.Predicted](w), ecs.ComponentID[components.Prespawned](w)
		spawned, despawned := plugin.NewReader[plugin.EntitySpawned](w), plugin.NewReader[plugin.EntityDespawned](w)
		s.counted = []*counted{
			count[place](w), count[life](w), count[marked](w), count[bulk](w), count[link](w), count[stamp](w),
			count[chart](w), count[path](w), count[counter](w), count[tied](w), count[components.ControlledBy](w),
			count[components.ChildOf](w),
		}
		return func() {
			for _, e := range spawned.Read() {
				s.there[e.Entity]++
				s.shots[e.Entity] = s.shots[e.Entity] || w.Alive(e.Entity) && w.Has(e.Entity, s.prespawned)
			}
			for _, e := range despawned.Read() {
				s.there[e.Entity]--
			}
			for _, c := range s.counted {
				c.read()
			}
		}
	})
}

func count[C any](w *ecs.World) *counted {
	c := &counted{id: ecs.ComponentID[C](w), there: map[ecs.Entity]int{}}
	inserted, removed := plugin.NewReader[plugin.ComponentInserted[C]](w), plugin.NewReader[plugin.ComponentRemoved[C]](w)
	c.read = func() {
		for _, e := range inserted.Read() {
			c.there[e.Entity]++
		}
		for _, e := range removed.Read() {
			c.there[e.Entity]--
		}
	}
	return c
}

// checkEvents compares the counts with the world.
func (s *shadow) checkEvents() {
	s.checkKept()
	for e, count := range s.there {
		if count == 1 && s.world.Alive(e) && !s.replicated(e) && s.world.Has(e, s.persist) {
			s.kept = append(s.kept, e)
			count = 0
		}
		if count == 0 {
			s.forgetEntity(e)
			continue
		}
		if count != 1 || !s.world.Alive(e) {
			require.Failf(s.t, "events and world differ", "%v spawned %d times more than it despawned, alive: %v", e, count, s.world.Alive(e))
		}
		if s.world.Has(e, s.predict) {
			continue // the world is predicted ahead of the confirmed state, and so of the events
		}
		for _, c := range s.counted {
			if has := s.world.Has(e, c.id); has != (c.there[e] == 1) || c.there[e]>>1 != 0 {
				require.Failf(s.t, "events and world differ", "component %v of %v was inserted %d times more than removed, there: %v", c.id, e, c.there[e], has)
			}
		}
	}
	n := s.despawnedAhead()
	for _, mark := range []ecs.ID{s.remote, s.predict} {
		q := s.world.Query(ecs.All(mark))
		for q.Next() {
			e := q.Entity()
			// A rollback takes the components off a prespawned entity, until it has run its tick again.
			_, replica := apps.Of(s.world).Applier.Replicas.Slot(e)
			s.shots[e] = s.shots[e] || q.Has(s.prespawned) || !replica
			if n++; s.shots[e] && s.there[e] == 0 {
				n-- // the server's has not arrived
			}
		}
	}
	if n != len(s.there) {
		require.Failf(s.t, "events and world differ", "%d entities, %d by their events", n, len(s.there))
	}
}

// despawnedAhead returns the number of shots that end ahead of the server. Nothing marks such a shot until the server's ends.
func (s *shadow) despawnedAhead() (n int) {
	for e := range s.there {
		if s.shots[e] && s.world.Alive(e) && !s.replicated(e) {
			n++
		}
	}
	return n
}

// replicated reports whether an entity is replicated.
func (s *shadow) replicated(e ecs.Entity) bool {
	return s.world.Has(e, s.remote) || s.world.Has(e, s.predict)
}

// checkKept checks that persistent entities of ended connections stay in the world.
func (s *shadow) checkKept() {
	for _, e := range s.kept {
		if !s.world.Alive(e) || s.replicated(e) || s.there[e] != 0 {
			require.Failf(s.t, "a persistent entity is not the game's own", "%v, alive: %v", e, s.world.Alive(e))
		}
	}
}

func (s *shadow) forgetEntity(e ecs.Entity) {
	delete(s.there, e)
	for _, c := range s.counted {
		delete(c.there, e)
	}
}
