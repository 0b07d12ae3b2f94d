package predict

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/prespawn"
)

// intend fires an entity in the present tick, that is assembled in another one. It reports whether that is possible.
func (g *firing) intend(hash uint32, tick entangle.Tick) (e ecs.Entity, ok bool) {
	if !g.p.BeginIntent() {
		return e, false
	}
	e = g.world.NewEntity(append(g.p.IntentMarks(), g.kit)...)
	g.p.Intend(e, hash, tick)
	return e, true
}

// An entity that the player fires is in all ticks, so that no rollback takes it away. What else has changed in the tick
// is not: components and children are there from that tick on.
//
// Proves: T12
func TestOnlyTheFiredEntityWasAlwaysThere(t *testing.T) {
	g := newFiring(t)
	e := g.spawns("a", 1001, fcPlace{X: 10}, fcPace{X: 1})
	g.run(2)
	var shot ecs.Entity
	type state struct{ fuel, children, shots int }
	count := func(id ecs.ID) int {
		q := g.world.Query(ecs.All(id))
		defer q.Close()
		return q.Count()
	}
	there := map[entangle.Tick]state{}
	g.after = append(g.after, func() {
		if g.time.Tick == 1005 {
			g.world.Add(e, g.fuel)
			g.hang(g.world.NewEntity(g.heat), e)
			if !g.time.Replaying { // it is fired before the simulation, and no replay repeats that
				shot, _ = g.intend(7, 1012)
			}
		}
		there[g.time.Tick] = state{count(g.fuel), count(g.child), count(g.kit)}
	})
	g.run(3)
	was := there
	assert.Equal(t, state{1, 1, 1}, was[1006])
	there = map[entangle.Tick]state{}
	g.p.Request(1002)
	g.check()
	assert.Equal(t, map[entangle.Tick]state{1003: {0, 0, 1}, 1004: {0, 0, 1}, 1005: {1, 1, 1}, 1006: {1, 1, 1}}, there)
	assert.True(t, g.world.Alive(shot))
}

// A fired entity waits for the server's up to its tick, and as long as the state of that has not arrived.
//
// Proves: T13
func TestAMisfireIsRemovedAfterItsTick(t *testing.T) {
	g := newFiring(t)
	shot, ok := g.intend(7, 1006)
	assert.True(t, ok)
	g.run(4)
	g.confirmTick(1004)
	g.run(3)
	assert.True(t, g.world.Alive(shot), "the server's may still arrive")
	g.confirmTick(1006)
	g.run(1)
	assert.False(t, g.world.Alive(shot))
	assert.Equal(t, prespawn.Stats{Unmatched: 1}, g.p.Prespawned())

	g.synced = false
	_, ok = g.intend(8, 1020)
	assert.False(t, ok, "before the clock is set no tick is known")
}
