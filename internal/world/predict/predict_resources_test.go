package predict

import (
	"fmt"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fcTide rises by its rate in every tick.
type fcTide struct{ Level, Rate int32 }

// tidal is a forecast with a resource that rolls back.
type tidal struct {
	*forecast
	shelf *message.ResourceCopy
}

func newTidal(t testing.TB) *tidal {
	w := &tidal{}
	w.forecast = newForecast(t, func(cfg *PredictionConfig) {
		p := protocol.New(protocol.Config{Name: "tidal"})
		protocol.Resource[fcTide](p).Rollback()
		require.NoError(t, registry.Seal(p))
		w.shelf = message.NewResourceCopy(cfg.World, cfg.Hub, registry.Of(p).Resources, sink.NewApplier(cfg.World, event.NewHub(), nil, nobodySpawns, nobodySpawns))
		cfg.Resources = w.shelf
	})
	w.main(func() {
		if tide := w.tide(); tide != nil {
			tide.Level += tide.Rate
		}
	})
	return w
}

func nobodySpawns(ecs.Entity) {}

func (w *tidal) tide() *fcTide {
	v, _ := w.world.Resources().Get(ecs.ResourceID[fcTide](w.world)).(*fcTide)
	return v
}

// says sets the confirmed value of the resource, as of a tick.
func (w *tidal) says(tick entangle.Tick, v fcTide) {
	r := &w.shelf.List[0]
	*r.Scratch.(*fcTide) = v
	r.Tick = tick
	w.shelf.Write(r)
}

// confirmedAt sets the confirmed tick.
func (w *tidal) confirmedAt(tick entangle.Tick) { w.f, w.set = tick, true }

// replayed returns the steps of a rollback from the present to a tick.
func (w *tidal) replayed(from entangle.Tick) (steps []string) {
	steps = append(steps, fmt.Sprint("restore ", from))
	for tick := from + 1; tick <= w.time.Tick; tick++ {
		steps = append(steps, fmt.Sprint("tick ", tick))
	}
	return steps
}

// startedTidal returns a world with a tide that the server began some ticks ago.
func startedTidal(t testing.TB) *tidal {
	w := newTidal(t)
	w.run(5)
	w.says(w.time.Tick, fcTide{Level: 100, Rate: 1})
	w.run(10)
	require.Equal(t, fcTide{Level: 110, Rate: 1}, *w.tide())
	return w
}

// A confirmed value of a resource is compared at its tick, and the ticks since are replayed from it.
//
// Proves: B15
func TestAResourceGoesBackToItsTick(t *testing.T) {
	w := startedTidal(t)
	now := w.time.Tick
	w.says(now-4, fcTide{Level: 106, Rate: 1})
	assert.Empty(t, w.check(), "it was predicted")
	w.says(now-3, fcTide{Level: 50, Rate: 2})
	assert.Equal(t, w.replayed(now-3), w.check())
	assert.Equal(t, fcTide{Level: 56, Rate: 2}, *w.tide())
	assert.Empty(t, w.check())
	assert.Equal(t, uint64(1), w.p.stats.Rollbacks[ByResource])
	for range 20 {
		w.run(1)
		w.says(w.time.Tick-3, fcTide{Level: w.tide().Level - 6, Rate: 2})
		w.confirmedAt(w.time.Tick - 3)
	}
	assert.Equal(t, fcTide{Level: 96, Rate: 2}, *w.tide())
	assert.Equal(t, uint64(1), w.p.stats.Rollbacks[ByResource], "and nothing more")
}

// A confirmed value that arrives late is replayed from its tick, too.
//
// Proves: B15
func TestAResourceThatComesIsOfThePresent(t *testing.T) {
	w := newTidal(t)
	w.run(10)
	w.says(w.time.Tick-4, fcTide{Level: 10, Rate: 3})
	assert.Equal(t, w.replayed(w.time.Tick-4), w.check())
	assert.Equal(t, fcTide{Level: 22, Rate: 3}, *w.tide())
}

// A confirmed value of the present is written into it, and one of a future tick when that runs.
//
// Proves: B15
func TestAResourceOfThePresentAndTheFuture(t *testing.T) {
	w := startedTidal(t)
	w.says(w.time.Tick, fcTide{Level: 5, Rate: 1})
	assert.Empty(t, w.check())
	assert.Equal(t, fcTide{Level: 5, Rate: 1}, *w.tide())
	w.says(w.time.Tick+3, fcTide{Level: 70, Rate: 1})
	assert.Empty(t, w.check())
	w.run(2)
	assert.Equal(t, fcTide{Level: 7, Rate: 1}, *w.tide())
	w.run(1)
	assert.Equal(t, fcTide{Level: 70, Rate: 1}, *w.tide())
	w.run(20)
	assert.Zero(t, w.p.stats.Rollbacks[ByResource])
}

// If the game has changed a resource that the server does not change, the confirmed value is
// applied before its tick is no longer held.
//
// Proves: B15
func TestAResourceThatTheServerLeavesAlone(t *testing.T) {
	w := newTidal(t)
	w.says(w.time.Tick, fcTide{Level: 100})
	w.run(20)
	w.tide().Level = 7
	w.run(40)
	assert.Equal(t, int32(7), w.tide().Level, "a client that receives nothing keeps the old value")
	for range 20 {
		w.run(1)
		w.confirmedAt(w.time.Tick - 3)
	}
	assert.Equal(t, fcTide{Level: 100}, *w.tide())
	assert.Equal(t, uint64(1), w.p.stats.Rollbacks[ByResource])
	assert.LessOrEqual(t, w.p.stats.Deepest, 16)
}

// A rollback because of an entity restores resources too, and inserts their confirmed values at their
// ticks.
//
// Proves: B15
func TestAResourceGoesBackWithTheEntities(t *testing.T) {
	w := startedTidal(t)
	now := w.time.Tick
	w.says(now-2, fcTide{Level: 108, Rate: 1})
	w.check()
	w.p.Request(now - 6)
	assert.Equal(t, w.replayed(now-6), w.check())
	assert.Equal(t, fcTide{Level: 110, Rate: 1}, *w.tide())
	assert.Equal(t, fcTide{Level: 110, Rate: 1}, *w.tide())

	w.p.Request(now - 6)
	w.says(now-2, fcTide{Level: 40, Rate: 1})
	w.check()
	assert.Equal(t, fcTide{Level: 42, Rate: 1}, *w.tide())
}

// While the clock is not synced, confirmed values are taken over as they arrive.
func TestAResourceBeforeTheClockIsSet(t *testing.T) {
	w := newTidal(t)
	w.synced = false
	w.run(3)
	for level := range int32(3) {
		w.says(50, fcTide{Level: level})
		w.run(1)
		assert.Equal(t, fcTide{Level: level}, *w.tide())
	}
	w.synced = true
	w.run(3)
	w.says(w.time.Tick-2, fcTide{Level: 60, Rate: 2})
	w.check()
	assert.Equal(t, fcTide{Level: 64, Rate: 2}, *w.tide())
}

// When the connection ends, resources that only the game writes stay unchanged.
func TestAResourceAfterTheConnection(t *testing.T) {
	w := startedTidal(t)
	w.p.Clear()
	w.shelf.Clear()
	assert.Nil(t, w.tide())
	ecs.AddResource(w.world, &fcTide{Level: 3})
	w.run(40)
	assert.Equal(t, fcTide{Level: 3}, *w.tide())
}
