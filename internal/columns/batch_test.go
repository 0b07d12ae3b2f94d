package columns

import (
	"testing"
	"unsafe"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/listener"
	"github.com/stretchr/testify/assert"
)

type (
	batchSign struct{ Entity ecs.Entity }
	batchWide struct {
		A uint64
		B uint32
	}
	batchWord struct{ N uint64 }
	batchTag  struct{}
)

// A batch has the same effect for few and for many entities: they are in the world with all values and
// their signatures when a listener is called.
func TestBatchSpawnsWithValues(t *testing.T) {
	for _, n := range []int{1, leastBatch - 1, leastBatch, 300} {
		w := ecs.NewWorld()
		sign, wide, word, tag := ecs.ComponentID[batchSign](&w), ecs.ComponentID[batchWide](&w), ecs.ComponentID[batchWord](&w), ecs.ComponentID[batchTag](&w)
		notified := 0
		l := listener.NewCallback(func(w *ecs.World, e ecs.EntityEvent) {
			notified++
			assert.Equal(t, e.Entity, (*batchSign)(w.Get(e.Entity, sign)).Entity)
			assert.Equal(t, uint64(notified), (*batchWord)(w.Get(e.Entity, word)).N)
			assert.Equal(t, batchWide{uint64(2 * notified), uint32(3 * notified)}, *(*batchWide)(w.Get(e.Entity, wide)))
			assert.True(t, w.Has(e.Entity, tag))
		}, event.EntityCreated)
		w.SetListener(&l)
		b := NewWriter(&w).NewBatch(sign, []ecs.ID{wide, tag, word}, []int{int(unsafe.Sizeof(batchWide{})), 0, 8})
		values := make([]byte, n*b.Stride())
		for i := range n {
			row := values[i*b.Stride():]
			copy(b.Cell(row, 0), MemoryOf(&batchWide{uint64(2 * (i + 1)), uint32(3 * (i + 1))}))
			copy(b.Cell(row, 2), MemoryOf(&batchWord{uint64(i + 1)}))
		}
		entities := make([]ecs.Entity, n)
		b.Spawn(entities, values)
		assert.Equal(t, n, notified)
		assert.False(t, w.IsLocked())
		for i, e := range entities {
			assert.Equal(t, uint64(i+1), (*batchWord)(w.Get(e, word)).N)
		}
	}
}
