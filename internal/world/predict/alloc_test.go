package predict

import (
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
)

// manyForetold is a world with many predicted entities with confirmed state, each at another place.
func manyForetold(t *testing.T, n int) (f *forecast, all []ecs.Entity) {
	f = newForecast(t, nil)
	f.run(1)
	f.confirmTick(1001)
	for i := range n {
		all = append(all, f.spawns("", 1001, fcPlace{int32(i), 0}, fcPace{1, 2}))
	}
	f.run(20)
	f.p.trace = nil
	return f, all
}

// Correctly predicted ticks allocate nothing, and neither does confirmed state of them.
func TestPredictingAllocatesNothing(t *testing.T) {
	f, all := manyForetold(t, 100)
	at := func(i int, tick entangle.Tick) fcPlace {
		n := int32(tick - 1001)
		return fcPlace{int32(i) + n, 2 * n}
	}
	tick := fcStart + 12
	step := func() {
		for i, e := range all {
			f.says(e, tick, at(i, tick), fcPace{1, 2})
		}
		f.confirmTick(tick)
		tick++
		f.run(1)
	}
	for range 70 {
		step()
	}
	assert.Zero(t, alloctest.Count(100, step))
	assert.Zero(t, f.p.Stats().Rollbacks)
}

// A rollback of eight ticks allocates nothing, even if structure has changed in them.
func TestARollbackAllocatesNothing(t *testing.T) {
	f, all := manyForetold(t, 100)
	flip := []ecs.ID{f.pace}
	f.main(func() {
		for i, e := range all {
			if (i+int(f.time.Tick))%10 != 0 {
				continue
			}
			if f.world.Has(e, f.pace) {
				f.world.Exchange(e, nil, flip)
			} else {
				f.world.Exchange(e, flip, nil)
			}
		}
	})
	push := int32(0)
	step := func() {
		tick := f.time.Tick - 8
		push++
		for i, e := range all {
			f.says(e, tick, fcPlace{int32(i), push}, fcPace{1, 2})
		}
		f.confirmTick(tick)
		f.run(1)
	}
	for range 70 {
		step()
	}
	was := f.p.Stats().Ticks
	assert.Zero(t, alloctest.Count(100, step))
	assert.GreaterOrEqual(t, f.p.Stats().Ticks-was, uint64(101*8))
}

// Finding children allocates nothing, nor does looking for what refers to an entity that a replay has spawned again.
func TestFindingChildrenAllocatesNothing(t *testing.T) {
	f, all := manyForetold(t, 10)
	none := func(ecs.Entity) {}
	find := func() {
		f.p.children.each(all[0], none)
		f.p.prespawned.mapTargets(all[0], all[1])
	}
	assert.Zero(t, alloctest.Count(100, find))
}
