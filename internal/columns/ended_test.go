package columns

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// EndedWithoutMarker reports whether an entity had its marker when it was removed, whether it had the marker at
// the last Observe or not.
func TestEntitiesThatEndWithoutTheMarkerAreReported(t *testing.T) {
	remove := func(x *testWorld, e ecs.Entity) { x.w.Remove(e, x.marker) }
	add := func(x *testWorld, e ecs.Entity) { x.w.Add(e, x.marker) }
	sync := func(x *testWorld, _ ecs.Entity) { require.NoError(t, x.table.Sync()) }
	observe := func(x *testWorld, _ ecs.Entity) { x.observe(t) }
	for name, c := range map[string]struct {
		do   []func(*testWorld, ecs.Entity)
		bare bool
	}{
		"with it":            {nil, false},
		"taken off":          {[]func(*testWorld, ecs.Entity){remove}, true},
		"taken off, seen":    {[]func(*testWorld, ecs.Entity){remove, sync}, true},
		"paused":             {[]func(*testWorld, ecs.Entity){remove, observe}, true},
		"paused for long":    {[]func(*testWorld, ecs.Entity){remove, observe, observe}, true},
		"resumed":            {[]func(*testWorld, ecs.Entity){remove, observe, add}, false},
		"resumed, seen":      {[]func(*testWorld, ecs.Entity){remove, observe, add, sync}, false},
		"resumed and paused": {[]func(*testWorld, ecs.Entity){remove, observe, add, remove}, true},
		"off and on":         {[]func(*testWorld, ecs.Entity){remove, add}, false},
	} {
		t.Run(name, func(t *testing.T) {
			x := newTestWorld(t)
			e := x.spawn(colHealth)
			x.observe(t)
			slot := x.slot(t, e)
			for _, do := range c.do {
				do(x, e)
			}
			x.w.RemoveEntity(e)
			x.observe(t)
			require.Equal(t, []Slot{slot}, x.table.Despawned())
			assert.Equal(t, c.bare, x.table.EndedWithoutMarker(slot))
		})
	}
}

func TestEndedWithoutMarkerInABatch(t *testing.T) {
	x := newTestWorld(t)
	off, on := x.spawn(colHealth), x.spawn(colHealth)
	x.observe(t)
	was := map[ecs.Entity]Slot{off: x.slot(t, off), on: x.slot(t, on)}
	x.w.Remove(off, x.marker)
	x.w.Batch().RemoveEntities(ecs.All(x.id(colHealth)))
	x.observe(t)
	assert.True(t, x.table.EndedWithoutMarker(was[off]))
	assert.False(t, x.table.EndedWithoutMarker(was[on]))
}
