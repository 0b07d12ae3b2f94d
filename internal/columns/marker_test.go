package columns

import (
	"encoding/binary"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func (x *testWorld) setGroup(e ecs.Entity, group uint32) {
	(*testMarker)(x.w.Get(e, x.marker)).Group = group
}

func (x *testWorld) group(s Slot) uint32 { return binary.LittleEndian.Uint32(x.table.Marker(s)[4:]) }

func TestMarkerChangedFollowsTheChange(t *testing.T) {
	for _, n := range []int{1, smallRows + 1, 500} {
		x := newTestWorld(t)
		all := make([]ecs.Entity, n)
		for i := range all {
			all[i] = x.spawn()
		}
		x.observe(t)
		e := all[n/2]
		slot := x.slot(t, e)
		x.setGroup(e, 3)
		x.observe(t)
		assert.Equal(t, []Slot{slot}, x.table.MarkerChanged())
		assert.Equal(t, uint32(3), x.group(slot))

		x.setGroup(e, 4)
		x.setGroup(e, 3)
		x.observe(t)
		assert.Empty(t, x.table.MarkerChanged(), "a change undone before Observe leaves no trace")
	}
}

// TestMarkerOfTheSpawnedIsNoChange writes the marker before and after the Sync that finds the entity.
func TestMarkerOfTheSpawnedIsNoChange(t *testing.T) {
	x := newTestWorld(t)
	e := x.spawn()
	x.setGroup(e, 3)
	require.NoError(t, x.table.Sync())
	x.setGroup(e, 4)
	x.observe(t)
	assert.Len(t, x.table.Spawned(), 1)
	assert.Empty(t, x.table.MarkerChanged())
	x.observe(t)
	assert.Empty(t, x.table.MarkerChanged(), "the value was known with the spawn")
}

// TestMarkerOfThePausedIsCompared checks that the marker is compared with its value before the
// pause when the entity has the marker again, in one Observe or in several.
func TestMarkerOfThePausedIsCompared(t *testing.T) {
	for name, c := range map[string]struct {
		again   uint32
		between bool
		changed int
	}{
		"same":             {3, true, 0},
		"another":          {4, true, 1},
		"same, at once":    {3, false, 0},
		"another, at once": {4, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			x := newTestWorld(t)
			e := x.spawn(colHealth)
			x.setGroup(e, 3)
			x.observe(t)
			slot := x.slot(t, e)
			x.setGroup(e, 9)
			x.w.Remove(e, x.marker)
			if c.between {
				x.observe(t)
				assert.Equal(t, []Slot{slot}, x.table.Paused())
				assert.Empty(t, x.table.MarkerChanged(), "the value of a removed component is gone")
				assert.Nil(t, x.table.Marker(slot))
			}
			x.w.Add(e, x.marker)
			x.setGroup(e, c.again)
			x.observe(t)
			assert.Len(t, x.table.MarkerChanged(), c.changed)
			assert.Equal(t, c.between, len(x.table.Resumed()) == 1)
			assert.Equal(t, c.again, x.group(slot))
		})
	}
}
