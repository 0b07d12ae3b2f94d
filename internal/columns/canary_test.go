package columns

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/listener"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLostListenerIsNoticed replaces the listener, makes changes of every kind without it, and restores
// it.
func TestLostListenerIsNoticed(t *testing.T) {
	for name, replace := range map[string]func(*ecs.World){
		"none": func(w *ecs.World) { w.SetListener(nil) },
		"another": func(w *ecs.World) {
			l := listener.NewCallback(func(*ecs.World, ecs.EntityEvent) {}, event.All)
			w.SetListener(&l)
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := newTestWorld(t)
			gone, stays, moves := x.spawn(colHealth), x.spawn(colHealth), x.spawn(colHealth)
			x.observe(t)
			x.twin.observe()
			before := x.copy(nil)
			replace(&x.w)
			x.w.RemoveEntity(gone)
			x.w.Add(moves, x.id(colTag))
			(*testHealth)(x.w.Get(stays, x.id(colHealth))).Points = 1
			x.spawn(colFlags)
			for range 2 {
				require.ErrorIs(t, x.table.Observe(2), ErrListenerLost)
				assert.Equal(t, twinDiff{}, onlyFilled(diffOfTable(x.table)))
				assert.Empty(t, x.table.Undo())
			}
			dispatch := listener.NewDispatch(x.table.Listener())
			x.w.SetListener(&dispatch)
			x.observe(t)
			assert.Equal(t, x.twin.observe(), diffOfTable(x.table), "the missed changes are found")
			assert.Len(t, x.table.Undo(), 3)
			undoCopies(t, []undoCopy{before, x.copy(x.table.Undo())})
		})
	}
}

// TestListenerInsideAnotherIsKept wraps the dispatch in another listener, with which no event is
// lost.
func TestListenerInsideAnotherIsKept(t *testing.T) {
	x := newTestWorld(t)
	x.observe(t)
	notified := 0
	own := listener.NewCallback(func(*ecs.World, ecs.EntityEvent) { notified++ }, event.All)
	both := listener.NewDispatch(&own, x.table.Listener())
	x.w.SetListener(&both)
	for range 10 {
		x.observe(t)
	}
	assert.Equal(t, 2, notified, "one empty entity was created and removed, at the first Observe only")
}

// TestListenerOfUncomparableType checks that a listener of an uncomparable type causes no panic.
func TestListenerOfUncomparableType(t *testing.T) {
	x := newTestWorld(t)
	x.w.SetListener(sliceListener{x.table.Listener()})
	for range 2 {
		x.observe(t)
	}
	x.w.SetListener(sliceListener{})
	assert.ErrorIs(t, x.table.Observe(3), ErrListenerLost)
}

type sliceListener []ecs.Listener

func (l sliceListener) Notify(w *ecs.World, e ecs.EntityEvent) {
	for _, inner := range l {
		inner.Notify(w, e)
	}
}
func (sliceListener) Subscriptions() event.Subscription { return event.All }
func (sliceListener) Components() *ecs.Mask             { return nil }

// TestWithoutPeekEveryObserveProbes covers versions of Arche without the field that peek reads.
func TestWithoutPeekEveryObserveProbes(t *testing.T) {
	x := newTestWorld(t)
	require.True(t, x.table.canary.peeks, "the field of the Arche in go.mod is found")
	x.table.canary.peeks = false
	x.spawn()
	x.observe(t)
	x.observe(t)
	x.w.SetListener(nil)
	assert.ErrorIs(t, x.table.Observe(3), ErrListenerLost)
}

// TestResetIsFinal resets the world, after which ids restart and old entities look alive again.
func TestResetIsFinal(t *testing.T) {
	x := newTestWorld(t)
	for range 5 {
		x.spawn(colHealth)
	}
	x.observe(t)
	x.w.Reset()
	require.ErrorIs(t, x.table.Observe(2), ErrWorldReset)
	for range 5 {
		x.spawn(colHealth)
	}
	require.ErrorIs(t, x.table.Sync(), ErrWorldReset)

	fresh, err := New(&x.w, x.marker, x.cols)
	require.NoError(t, err)
	dispatch := listener.NewDispatch(x.table.Listener(), fresh.Listener())
	x.w.SetListener(&dispatch)
	require.NoError(t, fresh.Observe(3))
	assert.Len(t, fresh.Spawned(), 5)
	assert.ErrorIs(t, x.table.Observe(3), ErrWorldReset, "even after a new table was made")
}

func TestLockedWorldIsRefused(t *testing.T) {
	x := newTestWorld(t)
	x.spawn()
	filter := ecs.All()
	q := x.w.Query(&filter)
	require.ErrorIs(t, x.table.Observe(1), ErrWorldLocked)
	q.Close()
	x.observe(t)
	assert.Len(t, x.table.Spawned(), 1)
}

// TestCanaryIsNoEntity counts the entities that a filter for everything finds.
func TestCanaryIsNoEntity(t *testing.T) {
	x := newTestWorld(t)
	x.observe(t)
	filter := ecs.All()
	q := x.w.Query(&filter)
	assert.Zero(t, q.Count())
	q.Close()
}

// TestTwoTablesShareAWorld checks that two tables of one world follow a marker each.
func TestTwoTablesShareAWorld(t *testing.T) {
	x := newTestWorld(t)
	second, err := New(&x.w, x.local, nil)
	require.NoError(t, err)
	dispatch := listener.NewDispatch(x.table.Listener(), second.Listener())
	x.w.SetListener(&dispatch)
	x.spawn()
	x.w.NewEntity(x.local)
	x.w.NewEntity(x.local, x.marker)
	x.observe(t)
	require.NoError(t, second.Observe(1))
	assert.Len(t, x.table.Spawned(), 2)
	assert.Len(t, second.Spawned(), 2)
}
