package source

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/protocol"
)

type (
	psPlace struct{ X float32 }     // compared
	psTint  struct{ Colour uint32 } // not compared
	psHeld  struct{ ecs.Relation }  // a hierarchy of the game
	psOther struct{ ecs.Relation }  // no hierarchy
)

// spawning is a world in which a tick's simulation spawns entities.
type spawning struct {
	*Prespawns
	world ecs.World
	log   bytes.Buffer
}

func newSpawning(t *testing.T, registered bool) *spawning {
	p := protocol.New(protocol.Config{Name: "spawning"})
	protocol.Component[psPlace](p).Predict(protocol.Full)
	protocol.Component[psTint](p)
	protocol.Component[psHeld](p).Hierarchy()
	protocol.Component[psOther](p)
	protocol.Component[components.ControlledBy](p)
	if registered {
		protocol.Component[components.Prespawned](p)
	}
	require.NoError(t, registry.Seal(p))
	s := &spawning{world: ecs.NewWorld()}
	spawns, err := NewPrespawns(&s.world, registry.Of(p).Components, slog.New(slog.NewTextHandler(&s.log, nil)))
	require.NoError(t, err)
	s.Prespawns = spawns
	return s
}

// spawn spawns a prespawned entity with further components.
func (s *spawning) spawn(more ...ecs.ID) ecs.Entity {
	return s.world.NewEntity(append(more, ecs.ComponentID[components.Prespawned](&s.world))...)
}

func (s *spawning) id(of string) ecs.ID {
	return map[string]ecs.ID{
		"place": ecs.ComponentID[psPlace](&s.world), "tint": ecs.ComponentID[psTint](&s.world),
		"held": ecs.ComponentID[psHeld](&s.world), "other": ecs.ComponentID[psOther](&s.world),
	}[of]
}

// owner spawns an entity that a client controls.
func (s *spawning) owner(client entangle.ClientID) ecs.Entity {
	control := ecs.ComponentID[components.ControlledBy](&s.world)
	e := s.world.NewEntity(control)
	(*components.ControlledBy)(s.world.Get(e, control)).Client = client
	return e
}

// The hash of a spawn is of the components that are compared, and of no other, and of the owner of its ancestors by
// any relation that is a hierarchy.
//
// Proves: E1
func TestAHashIsOfComparedComponentsAndTheOwner(t *testing.T) {
	hash := func(do func(s *spawning) ecs.Entity) uint32 {
		s := newSpawning(t, true)
		s.Begin()
		e := do(s)
		s.End(1000)
		require.Equal(t, []ecs.Entity{e}, s.Spawned())
		return s.HashOf(e)
	}
	child := func(relation string, client entangle.ClientID) func(s *spawning) ecs.Entity {
		return func(s *spawning) ecs.Entity {
			id := s.id(relation)
			e := s.spawn(id)
			s.world.Relations().Set(e, id, s.owner(client))
			return e
		}
	}
	plain := hash(func(s *spawning) ecs.Entity { return s.spawn() })
	assert.NotZero(t, plain)
	assert.Equal(t, plain, hash(func(s *spawning) ecs.Entity { return s.spawn(s.id("tint")) }))
	assert.NotEqual(t, plain, hash(func(s *spawning) ecs.Entity { return s.spawn(s.id("place")) }))
	assert.Equal(t, plain, hash(child("other", 1)), "that is no parent")
	assert.NotEqual(t, plain, hash(child("held", 1)))
	assert.NotEqual(t, hash(child("held", 2)), hash(child("held", 1)))
}

// The entities of a tick are those that its simulation has spawned and left with components.Prespawned. A hash that the
// game has set stays.
//
// Proves: E1
func TestTheSpawnsOfATickAreThoseOfItsSimulation(t *testing.T) {
	s := newSpawning(t, true)
	s.Begin()
	first := s.spawn()
	s.End(1000)
	assert.Equal(t, []ecs.Entity{first}, s.Spawned())
	s.Begin()
	own, lost, gone := s.spawn(), s.spawn(), s.spawn()
	later := s.world.NewEntity(s.id("place"))
	s.world.Add(later, ecs.ComponentID[components.Prespawned](&s.world))
	s.values.Get(own).Hash = 99
	s.world.Remove(lost, ecs.ComponentID[components.Prespawned](&s.world))
	s.world.RemoveEntity(gone)
	s.world.Add(own, s.id("tint"))
	s.End(1001)
	assert.Equal(t, []ecs.Entity{own, later}, s.Spawned())
	assert.EqualValues(t, 99, s.HashOf(own))
	assert.NotZero(t, s.HashOf(later))
	s.Begin()
	s.Cancel()
	s.End(1002)
	assert.Empty(t, s.Spawned())
	assert.Empty(t, s.log.String())
}

// A components.Prespawned without effect is reported once: outside of the simulation, and if it is not registered.
//
// Proves: E13
func TestASpawnWithoutEffectIsReported(t *testing.T) {
	for registered, says := range map[bool]string{true: "plugin.FixedMain", false: "is not registered"} {
		s := newSpawning(t, registered)
		if !registered {
			s.Begin()
		}
		e := s.spawn()
		s.spawn()
		assert.Equal(t, 1, strings.Count(s.log.String(), "level=WARN"))
		assert.Contains(t, s.log.String(), says)
		s.Begin()
		s.End(1000)
		assert.Empty(t, s.Spawned())
		assert.Zero(t, s.HashOf(e))
	}
}
