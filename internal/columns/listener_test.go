package columns

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/listener"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestListenerBeforeOursChangesTheWorld lets an earlier listener spawn, remove and change entities, so that
// events reach the table late, nested, and in part never: Arche skips entities of a batch that have moved.
func TestListenerBeforeOursChangesTheWorld(t *testing.T) {
	x := newTestWorld(t, 1)
	depth, count := 0, 0
	meddler := listener.NewCallback(func(w *ecs.World, e ecs.EntityEvent) {
		count++
		if depth > 2 || !w.Alive(e.Entity) || e.Contains(event.EntityRemoved) || w.IsLocked() {
			return
		}
		depth++
		defer func() { depth-- }()
		switch count % 4 {
		case 0:
			w.RemoveEntity(e.Entity)
		case 1:
			x.spawn(colHealth)
		case 2:
			if !w.Has(e.Entity, x.local) {
				w.Add(e.Entity, x.local)
			}
		}
	}, event.All)
	both := listener.NewDispatch(&meddler, x.table.Listener())
	x.w.SetListener(&both)
	copies := []undoCopy{x.copy(nil)}
	for round := range 40 {
		for range 5 {
			x.spawn(colHealth)
		}
		ecs.NewBuilder(&x.w, x.marker, x.id(colHealth), x.id(colFlags)).NewBatch(20)
		if round%3 == 2 {
			mask := ecs.All(x.marker, x.id(colHealth), x.id(colFlags))
			filter := mask.Exclusive()
			x.w.Batch().Exchange(&filter, []ecs.ID{x.id(colTag)}, []ecs.ID{x.id(colFlags)})
		}
		x.observe(t)
		require.Equal(t, x.twin.observe(), diffOfTable(x.table), round)
		copies = append(copies, x.copy(x.table.Undo()))
	}
	undoCopies(t, copies)
}

// meddle makes an earlier listener change the world at the next event.
func (x *testWorld) meddle(once func(ecs.Entity)) {
	meddler := listener.NewCallback(func(_ *ecs.World, e ecs.EntityEvent) {
		if do := once; do != nil {
			once = nil
			do(e.Entity)
		}
	}, event.All)
	both := listener.NewDispatch(&meddler, x.table.Listener())
	x.w.SetListener(&both)
}

// TestEntityGoneBeforeItsEvent removes an entity before the table receives the event of its creation, after
// it has made Arche move the columns of another one.
func TestEntityGoneBeforeItsEvent(t *testing.T) {
	x := newTestWorld(t, 1)
	stays := x.spawn(colHealth)
	x.meddle(nil)
	x.observe(t)
	x.meddle(x.w.RemoveEntity)
	x.table.canary.listener = listenerOf(&x.w)
	x.spawn(colHealth)
	(*testHealth)(x.w.Get(stays, x.id(colHealth))).Points = 1
	x.observe(t)
	assert.Equal(t, []Slot{x.slot(t, stays)}, x.table.Changed(colHealth))
}

// listenerOf lets a test replace the listener without a probe.
func listenerOf(w *ecs.World) ecs.Listener {
	c := canary{}
	c.install(w)
	l, _ := c.peek(w)
	return l
}

// TestSkippedByBatch uses a listener that removes the first entity of a batch and spawns another
// one in the same archetype, so that Arche never reports the last entity.
func TestSkippedByBatch(t *testing.T) {
	for name, batch := range map[string]func(*testWorld){
		"spawn": func(x *testWorld) {
			ecs.NewBuilder(&x.w, x.marker, x.id(colHealth), x.id(colTag)).NewBatch(3)
		},
		"exchange": func(x *testWorld) {
			mask := ecs.All(x.marker, x.id(colHealth))
			filter := mask.Exclusive()
			x.w.Batch().Exchange(&filter, []ecs.ID{x.id(colTag)}, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := newTestWorld(t)
			for range 3 {
				x.spawn(colHealth)
			}
			x.observe(t)
			x.twin.observe()
			x.meddle(func(e ecs.Entity) {
				x.w.RemoveEntity(e)
				x.spawn(colHealth, colTag)
			})
			x.table.canary.listener = listenerOf(&x.w)
			batch(x)
			x.observe(t)
			assert.Equal(t, x.twin.observe(), diffOfTable(x.table))
		})
	}
}

// TestLoadedEntitiesAreFound checks World.LoadEntities, which sends no events. It works only on an
// empty world, and the loaded entities have no components.
func TestLoadedEntitiesAreFound(t *testing.T) {
	saved := ecs.NewWorld()
	entities := []ecs.Entity{saved.NewEntity(), saved.NewEntity(), saved.NewEntity()}
	saved.RemoveEntity(entities[1])
	dump := saved.DumpEntities()

	x := newTestWorld(t)
	x.w.LoadEntities(&dump)
	x.w.Add(entities[0], x.marker, x.id(colHealth))
	x.observe(t)
	x.w.Add(entities[2], x.marker)
	x.observe(t)
	assert.Equal(t, []Slot{x.slot(t, entities[2])}, x.table.Spawned())
	assert.Equal(t, Form{Alive: true}, x.table.Undo()[0].Was)
	assert.Equal(t, 2, x.table.Len())

	assert.PanicsWithValue(t, "can set entity data only on a fresh or reset world", func() { x.w.LoadEntities(&dump) })
	x.w.Reset()
	x.w.LoadEntities(&dump)
	assert.ErrorIs(t, x.table.Observe(3), ErrWorldReset)
	assert.ErrorContains(t, x.table.Sync(), "load it if you have a save, and start a new plugin")
}

// TestExistingEntitiesAreFound creates the table after the entities.
func TestExistingEntitiesAreFound(t *testing.T) {
	x := newTestWorld(t)
	for range 200 {
		x.spawn(colHealth)
	}
	late, err := New(&x.w, x.marker, x.cols)
	require.NoError(t, err)
	dispatch := listener.NewDispatch(late.Listener())
	x.w.SetListener(&dispatch)
	require.NoError(t, late.Observe(1))
	assert.Len(t, late.Spawned(), 200)
}
