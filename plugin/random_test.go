package plugin_test

import (
	"fmt"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/plugin"
)

// drawn returns a client's world with random numbers.
func drawn(t *testing.T, seed uint64) (*ecs.World, *components.Time, plugin.Random) {
	client, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol()})
	require.NoError(t, err)
	w := ecs.NewWorld()
	client.Initialize(&w)
	return &w, ecs.GetResource[components.Time](&w), plugin.NewRandom(&w, seed)
}

// Random numbers follow from seed, tick and key, regardless of the order and the number of draws.
//
// Proves: B31
func TestRandomNumbersFollowFromSeedTickAndKey(t *testing.T) {
	_, here, a := drawn(t, 7)
	_, there, b := drawn(t, 7)
	_, other, c := drawn(t, 8)
	seen := map[uint64]bool{}
	for range 50 {
		here.Tick++
		there.Tick, other.Tick = here.Tick, here.Tick
		for key := range uint64(20) {
			n := a.Of(key).Uint64()
			assert.False(t, seen[n], "tick %d, key %d", here.Tick, key)
			seen[n] = true
			b.Of(19 - key).Uint64()
			assert.Equal(t, n, b.Of(key).Uint64())
			assert.NotEqual(t, n, c.Of(key).Uint64())
		}
	}
	assert.Zero(t, alloctest.Count(100, func() { a.Of(5).Float64() }))
}

// An entity's random numbers follow from its SID, not from its id in a world.
func TestRandomNumbersOfEntitiesFollowFromTheirSID(t *testing.T) {
	w, _, a := drawn(t, 7)
	v, _, b := drawn(t, 7)
	sid := func(w *ecs.World, id int32) ecs.Entity {
		e := w.NewEntity(ecs.ComponentID[components.SID](w))
		(*components.SID)(w.Get(e, ecs.ComponentID[components.SID](w))).ID = id
		return e
	}
	x, y := sid(w, -5), sid(w, -6)
	other, same := sid(v, -6), sid(v, -5)
	assert.NotEqual(t, x, same, "ids differ")
	assert.Equal(t, a.For(x).Uint64(), b.For(same).Uint64())
	assert.Equal(t, a.For(y).Uint64(), b.For(other).Uint64())
	assert.NotEqual(t, a.For(x).Uint64(), a.For(y).Uint64())
	assert.Equal(t, a.For(w.NewEntity()).Uint64(), b.For(v.NewEntity()).Uint64())
}

func TestRandomNumbersNeedAnApp(t *testing.T) {
	w := ecs.NewWorld()
	assert.PanicsWithValue(t, "plugin: NewRandom in a world without an Entangle app; call it from a system's Initialize, which the app calls",
		func() { plugin.NewRandom(&w, 1) })
}

// Every bit of seed, tick, key and SID affects the numbers, and an entity has other numbers than
// any key of 32 bits.
//
// Proves: B31
func TestRandomNumbersFollowFromAllBits(t *testing.T) {
	w, now, _ := drawn(t, 0)
	e := w.NewEntity(ecs.ComponentID[components.SID](w))
	first := func(seed, key uint64) uint64 {
		r := plugin.NewRandom(w, seed)
		return r.Of(key).Uint64()
	}
	seen := map[uint64]string{}
	draw := func(name string, n uint64) {
		assert.Empty(t, seen[n], name)
		seen[n] = name
	}
	for bit := range 64 {
		draw(fmt.Sprint("seed bit ", bit), first(1<<bit, 3))
		if bit != 32 { // the bit of entities without a SID
			draw(fmt.Sprint("key bit ", bit), first(0, 1<<bit))
		}
	}
	r := plugin.NewRandom(w, 0)
	for bit := range 32 {
		(*components.SID)(w.Get(e, ecs.ComponentID[components.SID](w))).ID = int32(uint32(1) << bit)
		draw(fmt.Sprint("SID bit ", bit), r.For(e).Uint64())
		now.Tick = 1 << bit
		draw(fmt.Sprint("tick bit ", bit), first(0, 3))
		now.Tick = 0
	}
	draw("no SID", r.For(w.NewEntity()).Uint64())
}
