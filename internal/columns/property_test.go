package columns

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestEqualsTwin makes random changes to a world and compares the reports, slots and views of the table with
// a simple copy of the world.
//
// Proves: R16, R33
func TestEqualsTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.SampledFrom([][]int{{1}, {2, 1}, {128}, {8, 2}}).Draw(t, "capacity")
		worlds := []*randomWorld{newRandomWorld(t, capacity), newRandomWorld(t, capacity)}
		for range rapid.IntRange(1, 12).Draw(t, "ticks") {
			x := worlds[rapid.IntRange(0, 1).Draw(t, "world")]
			for range rapid.IntRange(0, 25).Draw(t, "operations") {
				x.step(t)
			}
			require.NoError(t, x.table.Observe(x.table.Tick()+1))
			require.Equal(t, x.twin.observe(), diffOfTable(x.table))
			x.checkReads(t)
		}
	})
}

// randomWorld is a testWorld under random operations.
type randomWorld struct {
	*testWorld
	alive []ecs.Entity
	sync  func() error
}

func newRandomWorld(t *rapid.T, capacity []int) *randomWorld {
	x := &randomWorld{testWorld: newTestWorld(t, capacity...)}
	x.sync = x.table.Sync
	return x
}

func (x *randomWorld) step(t *rapid.T) {
	type operation struct {
		name string
		do   func(*rapid.T)
	}
	operations := []operation{
		{"spawn", x.stepSpawn},
		{"spawn", x.stepSpawn},
		{"batch", x.stepBatch},
		{"despawn", x.stepDespawn},
		{"exchange", x.stepExchange},
		{"exchange", x.stepExchange},
		{"target", x.stepTarget},
		{"write", x.stepWrite},
		{"write", x.stepWrite},
		{"write", x.stepWrite},
		{"batchExchange", x.stepBatchExchange},
		{"batchTarget", x.stepBatchTarget},
		{"batchRemove", x.stepBatchRemove},
		{"sync", x.stepSync},
		{"run", x.stepRun},
	}
	op := rapid.SampledFrom(operations).Draw(t, "operation")
	op.do(t)
}

func (x *randomWorld) ids() []ecs.ID {
	ids := []ecs.ID{x.marker, x.marker, x.local}
	for _, c := range x.cols {
		ids = append(ids, c.ID)
	}
	return append(ids, x.other)
}

// drawIDs returns some distinct ids with at most one relation.
func (x *randomWorld) drawIDs(t *rapid.T, marked bool) []ecs.ID {
	var out []ecs.ID
	var seen ecs.Mask
	if marked {
		out = append(out, x.marker)
		seen.Set(x.marker, true)
	}
	for _, id := range rapid.SliceOfN(rapid.SampledFrom(x.ids()), 0, 5).Draw(t, "ids") {
		relation := id == x.parent || id == x.other
		if seen.Get(id) || relation && (seen.Get(x.parent) || seen.Get(x.other)) {
			continue
		}
		seen.Set(id, true)
		out = append(out, id)
	}
	return out
}

func (x *randomWorld) drawAlive(t *rapid.T) (ecs.Entity, bool) {
	if len(x.alive) == 0 {
		return ecs.Entity{}, false
	}
	return rapid.SampledFrom(x.alive).Draw(t, "entity"), true
}

func (x *randomWorld) stepSpawn(t *rapid.T) {
	x.alive = append(x.alive, x.w.NewEntity(x.drawIDs(t, rapid.IntRange(0, 3).Draw(t, "marked") > 0)...))
}

func (x *randomWorld) stepBatch(t *rapid.T) {
	builder := ecs.NewBuilder(&x.w, x.drawIDs(t, true)...)
	q := builder.NewBatchQ(rapid.SampledFrom([]int{1, 2, 7, 70, 130}).Draw(t, "count"))
	for q.Next() {
		x.alive = append(x.alive, q.Entity())
	}
}

func (x *randomWorld) stepDespawn(t *rapid.T) {
	if e, ok := x.drawAlive(t); ok {
		x.w.RemoveEntity(e)
		x.forgetDead()
	}
}

func (x *randomWorld) forgetDead() {
	kept := x.alive[:0]
	for _, e := range x.alive {
		if x.w.Alive(e) {
			kept = append(kept, e)
		}
	}
	x.alive = kept
}

// split divides ids into those that can be added to an entity and those that can be removed.
func (x *randomWorld) split(mask ecs.Mask, ids []ecs.ID) (add, remove []ecs.ID) {
	related := mask.Get(x.parent) || mask.Get(x.other)
	for _, id := range ids {
		switch {
		case mask.Get(id):
			remove = append(remove, id)
		case (id == x.parent || id == x.other) && related:
		default:
			add = append(add, id)
		}
	}
	return add, remove
}

func (x *randomWorld) stepExchange(t *rapid.T) {
	e, ok := x.drawAlive(t)
	if !ok {
		return
	}
	add, remove := x.split(x.w.Mask(e), x.drawIDs(t, false))
	x.wr.Exchange(e, add, remove, nil)
}

func (x *randomWorld) stepTarget(t *rapid.T) {
	e, ok := x.drawAlive(t)
	if !ok {
		return
	}
	target, _ := x.drawAlive(t)
	for _, relation := range []ecs.ID{x.parent, x.other} {
		if x.w.Has(e, relation) && e != target { // Arche panics when an entity that is its own target is removed
			x.wr.SetTarget(e, relation, target)
		}
	}
}

func (x *randomWorld) stepWrite(t *rapid.T) {
	e, ok := x.drawAlive(t)
	if !ok {
		return
	}
	ids := x.w.Ids(e)
	if len(ids) == 0 {
		return
	}
	x.write(t, e, rapid.SampledFrom(ids).Draw(t, "id"))
}

func (x *randomWorld) write(t *rapid.T, e ecs.Entity, id ecs.ID) {
	if b := x.wr.Bytes(e, id); len(b) > 0 {
		b[rapid.IntRange(0, len(b)-1).Draw(t, "byte")] = rapid.Byte().Draw(t, "value")
	}
}

// stepRun writes to many entities, so that blocks have dense changes, too.
func (x *randomWorld) stepRun(t *rapid.T) {
	id := rapid.SampledFrom(x.ids()).Draw(t, "id")
	every := rapid.IntRange(1, 5).Draw(t, "every")
	value := rapid.Byte().Draw(t, "value")
	for i := 0; i < len(x.alive); i += every {
		if x.w.Has(x.alive[i], id) {
			if b := x.wr.Bytes(x.alive[i], id); len(b) > 0 {
				b[len(b)-1] = value
			}
		}
	}
}

func (x *randomWorld) stepBatchExchange(t *rapid.T) {
	e, ok := x.drawAlive(t)
	if !ok {
		return
	}
	mask := x.w.Mask(e)
	add, remove := x.split(mask, x.drawIDs(t, false))
	filter := mask.Exclusive()
	if len(add)+len(remove) > 0 {
		x.w.Batch().Exchange(&filter, add, remove)
	}
}

func (x *randomWorld) stepBatchTarget(t *rapid.T) {
	target, _ := x.drawAlive(t)
	relation := rapid.SampledFrom([]ecs.ID{x.parent, x.other}).Draw(t, "relation")
	filter := ecs.All(relation)
	if !target.IsZero() && x.w.Has(target, relation) {
		return // it would become its own target
	}
	if rapid.Bool().Draw(t, "query") {
		q := x.w.Batch().SetRelationQ(&filter, relation, target)
		q.Close()
		return
	}
	x.w.Batch().SetRelation(&filter, relation, target)
}

func (x *randomWorld) stepBatchRemove(t *rapid.T) {
	e, ok := x.drawAlive(t)
	if !ok || rapid.IntRange(0, 3).Draw(t, "seldom") > 0 {
		return
	}
	mask := x.w.Mask(e)
	filter := mask.Exclusive()
	x.w.Batch().RemoveEntities(&filter)
	x.forgetDead()
}

func (x *randomWorld) stepSync(t *rapid.T) { require.NoError(t, x.sync()) }

// checkReads compares every getter with the world.
func (x *randomWorld) checkReads(t require.TestingT) {
	tracked := 0
	for e, want := range x.twin.now {
		s, ok := x.table.SlotOf(e)
		require.True(t, ok)
		require.Equal(t, e, x.table.Entity(s))
		require.Equal(t, want.target, x.table.Target(s))
		require.Equal(t, want.marker, x.table.Marker(s))
		mask := x.table.Mask(s)
		for c := range x.cols {
			value, has := want.values[c]
			require.Equal(t, has, mask.Has(c))
			require.Equal(t, len(value), len(x.table.Value(s, c)))
			require.Equal(t, string(value), string(x.table.Value(s, c)))
		}
		tracked++
	}
	require.Equal(t, tracked+len(x.twin.paused), x.table.Len())
	x.checkSegments(t, tracked)
}

func (x *randomWorld) checkSegments(t require.TestingT, tracked int) {
	for i := range x.table.Segments() {
		rows, mask := x.table.Rows(i)
		tracked -= len(rows)
		for c, col := range x.cols {
			data := x.table.ColumnRows(i, c)
			if !mask.Has(c) || len(rows) == 0 || col.Size == 0 {
				require.Nil(t, data)
				continue
			}
			for r, s := range rows {
				require.Equal(t, x.table.Value(s, c), data[r*col.Size:(r+1)*col.Size])
			}
		}
	}
	require.Zero(t, tracked)
}
