package sink

import (
	"testing"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// BenchmarkEndsOfTargets is the end of 500 targets of relations, beside one predicted entity and many others: an end is
// a bit of a message of a hostile server.
func BenchmarkEndsOfTargets(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		p, slots := worldOfTargets(b, 40_000)
		b.StartTimer()
		p.applier.DespawnRun(slots, p.tick+1)
	}
}

// worldOfTargets returns a world with the targets of 500 relations, one predicted entity and some others.
func worldOfTargets(t testing.TB, others int) (p *pair, slots []repl.Slot) {
	p = newPair(t)
	p.sink.wants = func(id repl.ID) bool { return id.Group == 0 }
	p.spawn()
	for range 500 {
		target, holder := p.spawn(), p.spawn(idIn[aheadKnows](p.world))
		p.world.Relations().Set(holder, idIn[aheadKnows](p.world), target)
	}
	for range others {
		p.spawn()
	}
	p.send()
	require.Equal(t, 1, p.applier.prediction.count)
	for s := range p.applier.Replicas.Info {
		if p.applier.Replicas.Info[s].targeted {
			slots = append(slots, repl.Slot(s))
		}
	}
	require.Len(t, slots, 500)
	return p, slots
}

// The holders of a target are found by it exactly as long as they are predicted and have it: the end of a target
// searches no other entities.
//
// Proves: Z17
func TestHoldersOfAConfirmedTarget(t *testing.T) {
	p := newPair(t)
	knows := idIn[aheadKnows](p.world)
	one, two, holder := p.spawn(), p.spawn(), p.spawn(knows)
	aim := func(to ecs.Entity) ecs.Entity {
		p.world.Relations().Set(holder, knows, to)
		p.send()
		return p.there(to)
	}
	heads := func() int { return len(p.applier.relations.holdersOf.Heads) }
	holds := func(to ecs.Entity) bool {
		s, ok := p.applier.relations.holdersOf.First(to)
		return ok && repl.Slot(s) == slotOf(p.applier, p.there(holder))
	}
	assert.True(t, holds(aim(one)))
	assert.True(t, holds(aim(two)))
	assert.Equal(t, 1, heads())
	p.say(holder, false)
	assert.Zero(t, heads())
	p.say(holder, true)
	assert.True(t, holds(p.there(two)))
	p.world.RemoveEntity(two)
	p.send()
	assert.Zero(t, heads())
	assert.True(t, holds(aim(one)))
	p.world.RemoveEntity(holder)
	p.send()
	assert.Zero(t, heads())
}
