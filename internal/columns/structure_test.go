package columns

import (
	"fmt"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/listener"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hierarchyWorld is the initial world of every case of TestEachKindOfStructure.
type hierarchyWorld struct {
	*testWorld
	parents  []ecs.Entity // health
	children []ecs.Entity // health and a parent: three of each, in turns
	plain    []ecs.Entity // health and flags
}

func newHierarchyWorld(t *testing.T) *hierarchyWorld {
	f := &hierarchyWorld{testWorld: newTestWorld(t, 8, 2)}
	for range 3 {
		f.parents = append(f.parents, f.spawn(colHealth))
	}
	for i := range 9 {
		f.plain = append(f.plain, f.spawn(colHealth, colFlags))
		f.children = append(f.children, f.spawn(colHealth, colParent))
		f.wr.SetTarget(f.children[i], f.parent, f.parents[i%3])
	}
	for i, e := range append(append([]ecs.Entity{}, f.children...), f.plain...) {
		f.write(e, i)
	}
	return f
}

func (f *hierarchyWorld) write(e ecs.Entity, points int) {
	(*testHealth)(f.w.Get(e, f.id(colHealth))).Points = int32(points)
}

func (f *hierarchyWorld) filter(cols ...int) *ecs.Mask {
	m := ecs.All(f.marker)
	for _, c := range cols {
		m.Set(f.id(c), true)
	}
	return &m
}

func (f *hierarchyWorld) ids(cols ...int) (ids []ecs.ID) {
	for _, c := range cols {
		ids = append(ids, f.id(c))
	}
	return ids
}

// afterUs adds a listener after the table's, which calls a function at each event of one kind.
func (f *hierarchyWorld) afterUs(kind event.Subscription, do func(ecs.Entity)) {
	last := listener.NewCallback(func(_ *ecs.World, e ecs.EntityEvent) { do(e.Entity) }, kind)
	both := listener.NewDispatch(f.table.Listener(), &last)
	f.w.SetListener(&both)
}

// structureKinds are all ways in which the structure of a world can change, as the steps of one tick.
var structureKinds = map[string][]func(*hierarchyWorld){
	"batch spawn": {
		func(f *hierarchyWorld) {
			ecs.NewBuilder(&f.w, append(f.ids(colHealth, colTag), f.marker)...).NewBatch(20)
		},
		func(f *hierarchyWorld) {
			q := ecs.NewBuilder(&f.w, append(f.ids(colHealth), f.marker)...).NewBatchQ(20)
			for q.Next() {
				(*testHealth)(q.Get(f.id(colHealth))).Points = 5
			}
		},
	},
	"batch spawn with a target": {
		func(f *hierarchyWorld) { f.childBuilder().NewBatch(5, f.parents[0]) },
		func(f *hierarchyWorld) { q := f.childBuilder().NewBatchQ(5, f.plain[0]); q.Close() },
	},
	"batch removal": {
		func(f *hierarchyWorld) { f.w.Batch().RemoveEntities(f.filter(colHealth, colFlags)) },
		func(f *hierarchyWorld) { f.w.Batch().RemoveEntities(f.filter()) },
	},
	"batch removal of a target's children": {
		func(f *hierarchyWorld) {
			filter := ecs.NewRelationFilter(f.filter(colParent), f.parents[1])
			f.w.Batch().RemoveEntities(&filter)
		},
	},
	"batch add and remove": {
		func(f *hierarchyWorld) { f.w.Batch().Add(f.filter(colFlags), f.id(colTag)) },
		func(f *hierarchyWorld) { q := f.w.Batch().AddQ(f.filter(colParent), f.id(colBody)); q.Close() },
		func(f *hierarchyWorld) { f.w.Batch().Remove(f.filter(colTag), f.id(colHealth)) },
		func(f *hierarchyWorld) { q := f.w.Batch().RemoveQ(f.filter(colBody), f.id(colParent)); q.Close() },
	},
	"batch exchange": {
		func(f *hierarchyWorld) {
			f.w.Batch().Exchange(f.filter(colFlags), f.ids(colThirteen), f.ids(colFlags))
		},
		func(f *hierarchyWorld) {
			q := f.w.Batch().ExchangeQ(f.filter(colParent), f.ids(colTag), f.ids(colHealth))
			q.Close()
		},
	},
	"batch pause": {
		func(f *hierarchyWorld) { f.w.Batch().Remove(f.filter(colFlags), f.marker) },
		func(f *hierarchyWorld) { q := f.w.Batch().RemoveQ(f.filter(colParent), f.marker); q.Close() },
	},
	"batch retarget": {
		func(f *hierarchyWorld) { f.w.Batch().SetRelation(f.filter(colParent), f.parent, f.parents[2]) },
		func(f *hierarchyWorld) {
			q := f.w.Batch().SetRelationQ(f.filter(colParent), f.parent, f.parents[0])
			q.Close()
		},
	},
	"retarget": {
		func(f *hierarchyWorld) { f.wr.SetTarget(f.children[0], f.parent, f.parents[1]) },
		func(f *hierarchyWorld) { f.wr.SetTarget(f.children[1], f.parent, ecs.Entity{}) },
		func(f *hierarchyWorld) { f.wr.SetTarget(f.children[1], f.parent, f.parents[1]) },
	},
	"removed target": {
		func(f *hierarchyWorld) { f.w.RemoveEntity(f.parents[0]) },
		func(f *hierarchyWorld) { f.write(f.children[0], 99) },
		func(f *hierarchyWorld) { f.wr.SetTarget(f.children[3], f.parent, f.parents[1]) },
		func(f *hierarchyWorld) { f.w.RemoveEntity(f.children[0]) },
	},
	"removed target with its children": {
		func(f *hierarchyWorld) { f.w.RemoveEntity(f.parents[0]) },
		func(f *hierarchyWorld) {
			for i := 0; i < 9; i += 3 {
				f.w.RemoveEntity(f.children[i])
			}
		},
		func(f *hierarchyWorld) { f.childBuilder().New(f.plain[0]) }, // reuses the archetype
	},
	"target removed and recycled": {
		func(f *hierarchyWorld) { f.w.RemoveEntity(f.parents[0]) },
		func(f *hierarchyWorld) { f.childBuilder().New(f.spawn(colHealth)) },
	},
	"relation lost": {
		func(f *hierarchyWorld) { f.w.Remove(f.children[0], f.parent) },
		func(f *hierarchyWorld) { f.w.Exchange(f.children[1], []ecs.ID{f.other}, []ecs.ID{f.parent}) },
	},
	"swap-remove": {
		func(f *hierarchyWorld) { f.w.RemoveEntity(f.plain[0]) },
		func(f *hierarchyWorld) { f.write(f.plain[8], 99) }, // fills the gap
		func(f *hierarchyWorld) { f.w.RemoveEntity(f.plain[8]) },
		func(f *hierarchyWorld) { f.w.RemoveEntity(f.plain[3]) },
	},
	"through archetypes and back": {
		func(f *hierarchyWorld) { f.w.Add(f.plain[4], f.id(colTag)) },
		func(f *hierarchyWorld) { f.w.Remove(f.plain[4], f.id(colFlags)) },
		func(f *hierarchyWorld) { f.write(f.plain[4], 99) },
		func(f *hierarchyWorld) { f.w.Exchange(f.plain[4], f.ids(colFlags), f.ids(colTag)) },
	},
	"through archetypes to the end": {
		func(f *hierarchyWorld) { f.w.Add(f.plain[4], f.id(colTag)) },
		func(f *hierarchyWorld) { f.w.Remove(f.plain[4], f.marker) },
		func(f *hierarchyWorld) { f.w.RemoveEntity(f.plain[4]) },
	},
	"removed and recycled": {
		func(f *hierarchyWorld) { f.w.RemoveEntity(f.plain[4]) },
		func(f *hierarchyWorld) { f.write(f.spawn(colHealth, colFlags), 99) },
		func(f *hierarchyWorld) {
			f.w.RemoveEntity(f.plain[5])
			f.w.RemoveEntity(f.spawn(colHealth))
			f.spawn(colTag)
		},
	},
	"listener that spawns": {
		func(f *hierarchyWorld) {
			f.afterUs(event.TargetChanged, func(ecs.Entity) { f.spawn(colHealth, colFlags) })
			f.wr.SetTarget(f.children[0], f.parent, f.parents[1])
		},
	},
	"listener that removes": {
		func(f *hierarchyWorld) {
			f.afterUs(event.EntityCreated, func(e ecs.Entity) { f.w.RemoveEntity(e) })
			f.spawn(colHealth, colFlags)
		},
	},
	"listener that exchanges": {
		func(f *hierarchyWorld) {
			f.afterUs(event.TargetChanged, func(e ecs.Entity) { f.w.Exchange(e, f.ids(colTag), f.ids(colHealth)) })
			f.w.Batch().SetRelation(f.filter(colParent), f.parent, f.parents[2])
		},
	},
}

func (f *hierarchyWorld) childBuilder() *ecs.Builder {
	return ecs.NewBuilder(&f.w, f.marker, f.id(colHealth), f.parent).WithRelation(f.parent)
}

// TestEachKindOfStructure compares the reports and undo records of each kind of change with copies of the world, with
// and without a Sync after every step.
func TestEachKindOfStructure(t *testing.T) {
	for name, steps := range structureKinds {
		for _, sync := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/sync=%v", name, sync), func(t *testing.T) {
				f := newHierarchyWorld(t)
				f.observe(t)
				f.twin.observe()
				copies := []undoCopy{f.copy(nil)}
				for _, step := range steps {
					step(f)
					if sync {
						require.NoError(t, f.table.Sync())
						copies = append(copies, f.copy(f.table.Undo()))
					}
				}
				f.table.canary.listener = listenerOf(&f.w)
				f.observe(t)
				assert.Equal(t, f.twin.observe(), diffOfTable(f.table))
				(&randomWorld{testWorld: f.testWorld}).checkReads(t)
				undoCopies(t, append(copies, f.copy(f.table.Undo())))
			})
		}
	}
}

// TestOpenBatchQueryIsRefused checks that a batch query must not be open, because its events are
// sent when it closes.
func TestOpenBatchQueryIsRefused(t *testing.T) {
	f := newHierarchyWorld(t)
	f.observe(t)
	f.twin.observe()
	q := f.childBuilder().NewBatchQ(5, f.parents[0])
	require.ErrorIs(t, f.table.Sync(), ErrWorldLocked)
	require.ErrorContains(t, f.table.Observe(2), "Close it")
	assert.Empty(t, f.table.Undo())
	q.Close()
	f.observe(t)
	assert.Equal(t, f.twin.observe(), diffOfTable(f.table))
	assert.Len(t, f.table.Undo(), 5)
}
