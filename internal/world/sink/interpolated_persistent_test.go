package sink

import (
	"testing"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A persistent entity stays as it is shown when the connection ends, unless the server has despawned it already. The
// next connection finds nothing of it.
//
// Proves: R19
func TestAPersistentEntityThatIsInterpolated(t *testing.T) {
	for name, test := range map[string]struct {
		end   func(h *past)
		stays bool
	}{
		"with changes that wait":    {func(h *past) { h.record(func() { h.change(1, pastFlag{}, pastScore{9}) }) }, true},
		"that the server despawns":  {func(h *past) { h.record(func() { h.despawn(1) }) }, false},
		"that the server orphans":   {func(h *past) { h.record(func() { h.release(1) }) }, true},
		"that is not interpolated":  {func(h *past) { h.record(func() { h.remove(1, pastMark{}) }) }, true},
		"that the client predicts":  {func(h *past) { h.record(func() { h.applier.Predict(h.slots[repl.ID{Group: 1}], true) }) }, true},
		"that changes, and is gone": {func(h *past) { h.record(func() { h.change(1, pastFlag{}) }); h.record(func() { h.despawn(1) }) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newPast(t)
			h.predict()
			h.come(2)
			h.come(1, pastMark{SendEvery: 1}, pastPlace{1}, pastScore{1}, link{2})
			h.frames(10)
			e := h.entity(1)
			h.mark(e)
			test.end(h)
			h.applier.Clear()
			h.rest()
			require.Equal(t, test.stays, h.world.Alive(e))
			if test.stays {
				assert.False(t, h.world.Has(e, h.applier.remote))
				assert.False(t, h.world.Has(e, h.applier.interpolation.marker))
				assert.False(t, h.world.Has(e, ecs.ComponentID[pastFlag](h.world)), "it is not shown")
				assert.Equal(t, pastScore{1}, *(*pastScore)(h.world.Get(e, ecs.ComponentID[pastScore](h.world))))
				assert.Zero(t, h.world.Relations().Get(e, ecs.ComponentID[pastKnows](h.world)), "the target is gone")
			}
			clear(h.slots)
			h.come(1, pastMark{SendEvery: 1}, pastPlace{50})
			h.frames(10)
			assert.NotEqual(t, e, h.entity(1))
			assert.Equal(t, pastPlace{50}, *at[pastPlace](&h.hand, 1))
			if test.stays {
				assert.Equal(t, pastPlace{1}, *(*pastPlace)(h.world.Get(e, ecs.ComponentID[pastPlace](h.world))))
			}
			h.rest()
		})
	}
}
