package plugin_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// An entity has the same SID on all sides, from the first tick that computes with it. This holds
// for entities that existed before the server, that were spawned between two ticks, and within one.
func TestASharedIDIsThereFromTheFirstTick(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "sids"})
	protocol.Component[components.SID](p)
	now := time.Unix(0, 0)
	server, err := plugin.NewServer(plugin.ServerConfig{Protocol: p, TickPerUpdate: true, Clock: func() time.Time { return now }})
	require.NoError(t, err)
	w := ecs.NewWorld()
	ids := generic.NewMap1[components.SID](&w)
	before, own := ids.New(), ids.NewWith(&components.SID{ID: -7})
	var within ecs.Entity
	server.AddSystem(plugin.FixedMain, plugin.Func(func(*ecs.World) func() {
		return func() {
			for _, e := range []ecs.Entity{before, own} {
				assert.Negative(t, ids.Get(e).ID)
			}
			if within.IsZero() {
				within = ids.New()
			}
		}
	}))
	server.Initialize(&w)
	server.Step(now)
	first := ids.Get(within).ID
	assert.Negative(t, first)
	assert.EqualValues(t, -7, ids.Get(own).ID, "the game's own number is left alone")
	later := ids.New()
	w.RemoveEntity(ids.New())
	server.Step(now)
	assert.Equal(t, first, ids.Get(within).ID)
	assert.NotEqual(t, first, ids.Get(later).ID)
	assert.Negative(t, ids.Get(later).ID)
}
