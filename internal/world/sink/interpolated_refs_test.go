package sink

import (
	"fmt"
	"testing"

	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// target returns the target of the relation of an entity in the world.
func (h *past) target(g repl.Handle) ecs.Entity {
	return h.world.Relations().Get(h.entity(g), ecs.ComponentID[pastKnows](h.world))
}

// aimConfirmed returns the reference in the confirmed state of a predicted entity.
func (h *past) aimConfirmed(g repl.Handle) ecs.Entity {
	at := h.applier.Replicas.Info[h.slots[repl.ID{Group: g}]].storeSlot
	require.NotZero(h.t, at)
	value := pastAim{}
	comp := &h.applier.comps[h.comp(value)]
	comp.plan.MapRefs(h.applier.prediction.store.ConfirmedValue(at, comp.number), func(_ int, e ecs.Entity) ecs.Entity { value.Of = e; return e })
	return value.Of
}

// targetConfirmed returns the relation target in the confirmed state of a predicted entity.
func (h *past) targetConfirmed(g repl.Handle) ecs.Entity {
	at := h.applier.Replicas.Info[h.slots[repl.ID{Group: g}]].storeSlot
	return columns.UnpackEntity(h.applier.prediction.store.Confirmed(at).Target)
}

// The references of a predicted entity to an entity that is not shown yet are empty until it appears, also in
// the confirmed state, which a rollback brings into the world.
//
// Proves: N4
func TestAPredictedEntityRefersToNoHiddenEntity(t *testing.T) {
	for name, send := range map[string]func(h *past){
		"as it appears": func(h *past) {
			h.record(func() {
				h.spawn(2)
				h.state(2, pastAim{h.far[1]}, link{1})
				h.applier.Predict(h.slots[repl.ID{Group: 2}], true)
			})
		},
		"by a change": func(h *past) { h.record(func() { h.change(2, pastAim{h.far[1]}, link{1}) }) },
		"by updates":  func(h *past) { h.update(2, pastAim{h.far[1]}); h.update(2, link{1}) },
	} {
		t.Run(name, func(t *testing.T) {
			h := newPast(t)
			h.predict()
			h.applier.KeepTwins()
			if name != "as it appears" {
				h.record(func() {
					h.spawn(2)
					h.state(2, pastAim{}, link{})
					h.applier.Predict(h.slots[repl.ID{Group: 2}], true)
				})
			}
			h.come(1, pastMark{SendEvery: 1})
			h.took()
			send(h)
			require.NotZero(t, h.applier.Replicas.Info[h.slots[repl.ID{Group: 2}]].storeSlot)
			twin := func() pastAim {
				e, ok := h.applier.Twin(h.entity(2))
				require.True(t, ok)
				return *(*pastAim)(h.world.Get(e, ecs.ComponentID[pastAim](h.world)))
			}
			assert.Zero(t, at[pastAim](&h.hand, 2).Of)
			assert.Zero(t, h.target(2))
			assert.Zero(t, h.aimConfirmed(2))
			assert.Zero(t, h.targetConfirmed(2))
			assert.Zero(t, twin())
			assert.Equal(t, 2, h.waiting())
			h.took()
			h.frames(10)
			one := h.entity(1)
			assert.Equal(t, pastAim{one}, *at[pastAim](&h.hand, 2))
			assert.Equal(t, one, h.target(2))
			assert.Equal(t, one, h.aimConfirmed(2))
			assert.Equal(t, one, h.targetConfirmed(2))
			assert.Equal(t, pastAim{one}, twin())
			assert.Zero(t, h.waiting())
			assert.Subset(t, h.took(), []string{"pastAim updated 2", "pastKnows updated 2"})
			h.rest()
		})
	}
}

// A record may change an entity before it states the new one that this refers to.
//
// Proves: N4
func TestARecordRefersToAHiddenEntityThatFollows(t *testing.T) {
	for _, kind := range []string{"replicated", "interpolated", "predicted"} {
		t.Run(kind, func(t *testing.T) {
			h := newPast(t)
			h.predict()
			h.record(func() {
				h.spawn(2)
				h.state(2, pastAim{}, link{})
				h.applier.Predict(h.slots[repl.ID{Group: 2}], kind == "predicted")
			})
			if kind == "interpolated" {
				h.record(func() { h.change(2, pastMark{SendEvery: 1}) })
				h.delay = func(every int) int32 { return int32(5 * every) }
			}
			h.frames(20)
			h.record(func() {
				h.spawn(1)
				h.change(2, pastAim{h.far[1]}, link{1})
				h.state(1, pastMark{SendEvery: 2})
			})
			for range 20 {
				h.frames(1)
				if one := h.entity(1); !h.has(1, pastMark{}) {
					require.Zero(t, at[pastAim](&h.hand, 2).Of)
					require.Zero(t, h.target(2))
				} else {
					require.Equal(t, one, at[pastAim](&h.hand, 2).Of)
					require.Equal(t, one, h.target(2))
				}
			}
			require.True(t, h.has(1, pastMark{}))
			h.rest()
		})
	}
}

// A reference that waits for an entity that is not shown yet follows its holder from the past to the present
// and back.
//
// Proves: N4
func TestAHiddenReferenceFollowsThePrediction(t *testing.T) {
	for _, switches := range [][]bool{{true}, {true, false}, {true, false, true}} {
		t.Run(fmt.Sprint(switches), func(t *testing.T) {
			h := newPast(t)
			h.predict()
			h.delay = func(every int) int32 { return int32(5 * every) }
			h.come(2, pastMark{SendEvery: 1})
			h.frames(20)
			h.come(1, pastMark{SendEvery: 10})
			h.record(func() { h.change(2, pastAim{h.far[1]}, link{1}) })
			for _, on := range switches {
				h.frames(3)
				h.record(func() { h.applier.Predict(h.slots[repl.ID{Group: 2}], on) })
			}
			h.frames(10)
			require.True(t, h.has(2, pastAim{}))
			assert.Zero(t, at[pastAim](&h.hand, 2).Of)
			assert.Zero(t, h.target(2))
			h.frames(60)
			require.True(t, h.has(1, pastMark{}))
			assert.Equal(t, h.entity(1), at[pastAim](&h.hand, 2).Of)
			assert.Equal(t, h.entity(1), h.target(2))
			assert.Zero(t, h.waiting())
			h.rest()
		})
	}
}

// A reference in a blended component has each value from its tick on, and is empty until its entity appears. One
// that waits for its entity stays when that has come.
//
// Proves: N4
func TestReferencesOfABlendedComponent(t *testing.T) {
	h := newPast(t)
	h.delay = func(every int) int32 { return int32(5 * every) }
	h.come(2, pastMark{SendEvery: 1}, pastGoal{})
	h.come(3)
	h.frames(20)
	goal := func() pastGoal { return *at[pastGoal](&h.hand, 2) }
	h.update(2, pastGoal{h.far[3], 8})
	h.applier.Interpolate()
	require.Zero(t, goal().Of)
	h.frames(10)
	require.Equal(t, pastGoal{h.entity(3), 8}, goal())

	h.come(1, pastMark{SendEvery: 10})
	h.update(2, pastGoal{h.far[1], 16})
	blended := false
	for range 30 {
		h.frames(1)
		require.NotEqual(t, h.entity(1), goal().Of, "it is hidden")
		blended = blended || goal().X > 8 && goal().X < 16
	}
	require.True(t, blended)
	require.Equal(t, pastGoal{X: 16}, goal())
	h.frames(30)
	require.True(t, h.has(1, pastMark{}))
	assert.Equal(t, pastGoal{h.entity(1), 16}, goal())

	h.update(2, pastGoal{h.far[4], 16})
	h.frames(10)
	require.Equal(t, pastGoal{X: 16}, goal())
	h.come(4)
	h.frames(10)
	assert.Equal(t, pastGoal{h.entity(4), 16}, goal())
	h.rest()
}

// The target of a blended relation changes at its tick.
//
// Proves: N4
func TestTheTargetOfABlendedRelation(t *testing.T) {
	h := newPast(t)
	h.come(1)
	h.come(3)
	h.come(2, pastMark{SendEvery: 1}, ride{1, 0})
	h.frames(10)
	target := func() ecs.Entity { return h.world.Relations().Get(h.entity(2), ecs.ComponentID[pastRides](h.world)) }
	require.Equal(t, h.entity(1), target())
	h.update(2, ride{3, 8})
	h.frames(3)
	require.Equal(t, h.entity(1), target())
	h.frames(7)
	assert.Equal(t, h.entity(3), target())
	assert.Equal(t, float32(8), at[pastRides](&h.hand, 2).X)
	h.rest()
}
