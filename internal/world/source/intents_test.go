package source

import (
	"math"
	"testing"
	"unsafe"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/protocol"
)

type (
	inRound struct { // a blueprint
		components.At
		Gun int32
	}
	inSmoke  struct{ components.At } // another one
	inHull   struct{ Size int32 }
	inCloud  struct{ Size int32 }
	inButton struct{ Fire, Smoke int8 } // an input
)

// gunners is a world with intents and one shooter.
type gunners struct {
	world   ecs.World
	intents *Intents
	shooter ecs.Entity
	accept  func(gun int32) bool
	fired   []ecs.Entity
	hashes  []uint32
}

func newGunners(t *testing.T, server bool) *gunners {
	g := &gunners{world: ecs.NewWorld(), accept: func(int32) bool { return true }}
	p := protocol.New(protocol.Config{Name: "gunners"})
	protocol.Component[components.ControlledBy](p)
	protocol.Component[components.Prespawned](p)
	protocol.Blueprint(p, func(*ecs.World, ecs.Entity, inRound) struct{ inHull } { return struct{ inHull }{} })
	protocol.Blueprint(p, func(*ecs.World, ecs.Entity, inSmoke) struct{ inCloud } { return struct{ inCloud }{} })
	protocol.Input[inButton](p)
	protocol.Intent(p, func(_ ecs.Entity, in inButton) (inRound, bool) { return inRound{Gun: int32(in.Fire)}, in.Fire > 0 },
		components.Replicate{Predict: components.Everyone}).Accept(func(_ *ecs.World, _ ecs.Entity, b inRound) bool { return g.accept(b.Gun) })
	protocol.Intent(p, func(_ ecs.Entity, in inButton) (inSmoke, bool) { return inSmoke{}, in.Smoke > 0 }, components.Replicate{})
	require.NoError(t, registry.Seal(p))
	g.intents = NewIntents(&g.world, registry.Of(p), server)
	g.intents.OnSpawned = func(e ecs.Entity, hash uint32, _ entangle.Tick) {
		g.fired, g.hashes = append(g.fired, e), append(g.hashes, hash)
	}
	g.shooter = g.world.NewEntity()
	return g
}

// fire fires what an input says, and returns the hashes of the entities.
func (g *gunners) fire(shot Shot, in inButton) (hashes []uint32, refused int) {
	shot.Shooter, g.hashes = g.shooter, nil
	all := g.intents.Fire(shot, 0, unsafe.Slice((*byte)(unsafe.Pointer(&in)), unsafe.Sizeof(in)), math.MaxInt)
	if all.Spawned != len(g.hashes) {
		panic("the number of entities is wrong")
	}
	return g.hashes, all.Refused
}

// Both sides compute the same hash of what an input fires, whatever was fired before: of the blueprint, the tick, the
// player, and the whole network id of the shooter.
//
// Proves: T12
func TestAShotHasTheSameHashOnBothSides(t *testing.T) {
	shot := Shot{ID: repl.ID{Group: 3, Generation: 5, Member: 2}, Owner: 7, Tick: 1000}
	server, client := newGunners(t, true), newGunners(t, false)
	hashes := map[uint32]bool{}
	add := func(shot Shot, in inButton) {
		got, _ := server.fire(shot, in)
		require.Len(t, got, 1)
		assert.False(t, hashes[got[0]], "%+v, %+v", shot, in)
		hashes[got[0]] = true
		other, _ := newGunners(t, false).fire(shot, in)
		assert.Equal(t, got, other, "%+v, %+v", shot, in)
	}
	add(shot, inButton{Fire: 1})
	add(shot, inButton{Smoke: 1})
	for _, change := range []func(*Shot){
		func(s *Shot) { s.Tick++ }, func(s *Shot) { s.Owner++ },
		func(s *Shot) { s.ID.Group++ }, func(s *Shot) { s.ID.Generation++ }, func(s *Shot) { s.ID.Member++ },
	} {
		other := shot
		change(&other)
		add(other, inButton{Fire: 1})
	}
	both, _ := client.fire(shot, inButton{Fire: 2, Smoke: 2})
	require.Len(t, both, 2)
	assert.True(t, hashes[both[0]] && hashes[both[1]], "the values of a blueprint do not count")
}

// An entity that was fired has its blueprint with the tick, its player, its hash and its shooter, and what is
// replicated on a server.
//
// Proves: T10, T11
func TestAShotHasItsShooter(t *testing.T) {
	for _, server := range []bool{true, false} {
		g := newGunners(t, server)
		w := &g.world
		hashes, _ := g.fire(Shot{Owner: 7, Tick: 1000}, inButton{Fire: 4})
		e := g.fired[0]
		assert.Equal(t, inRound{At: components.At{Tick: 1000}, Gun: 4}, *(*inRound)(w.Get(e, ecs.ComponentID[inRound](w))))
		assert.Equal(t, components.ControlledBy{Client: 7}, *(*components.ControlledBy)(w.Get(e, ecs.ComponentID[components.ControlledBy](w))))
		assert.Equal(t, hashes[0], (*components.Prespawned)(w.Get(e, ecs.ComponentID[components.Prespawned](w))).Hash)
		assert.Equal(t, g.shooter, w.Relations().Get(e, ecs.ComponentID[components.IntentOf](w)))
		replicate := (*components.Replicate)(w.Get(e, ecs.ComponentID[components.Replicate](w)))
		if server {
			assert.Equal(t, components.Replicate{Predict: components.Everyone}, *replicate)
		} else {
			assert.Nil(t, replicate)
		}
		assert.False(t, w.Has(e, ecs.ComponentID[inHull](w)), "its tick has not come")
	}
}

// The game's function refuses a shot on the server, and nowhere else. It may remove the shooter: nothing is fired then.
//
// Proves: T13
func TestTheGameRefusesAShot(t *testing.T) {
	for _, server := range []bool{true, false} {
		g := newGunners(t, server)
		g.accept = func(gun int32) bool { return gun != 2 }
		hashes, refused := g.fire(Shot{Tick: 1000}, inButton{Fire: 2, Smoke: 1})
		if server {
			assert.Len(t, hashes, 1, "the other one is fired")
			assert.Equal(t, 1, refused)
		} else {
			assert.Len(t, hashes, 2)
			assert.Zero(t, refused)
		}
	}
	g := newGunners(t, true)
	g.accept = func(int32) bool {
		g.world.RemoveEntity(g.shooter)
		return true
	}
	hashes, refused := g.fire(Shot{Tick: 1000}, inButton{Fire: 1, Smoke: 1})
	assert.Empty(t, hashes)
	assert.Zero(t, refused)
	assert.Empty(t, g.fired)
}

// A shot that is there already is not fired again, and another one is.
//
// Proves: T12
func TestAShotThatIsThereIsNotFiredAgain(t *testing.T) {
	g := newGunners(t, false)
	hashes, _ := g.fire(Shot{Tick: 1000}, inButton{Fire: 1})
	require.Len(t, hashes, 1)
	g.intents.IsSpawned = func(hash uint32) bool { return hash == hashes[0] }
	again, _ := g.fire(Shot{Tick: 1000}, inButton{Fire: 1, Smoke: 1})
	assert.Len(t, again, 1)
	assert.NotContains(t, again, hashes[0])
	assert.Len(t, g.fired, 2)
}
