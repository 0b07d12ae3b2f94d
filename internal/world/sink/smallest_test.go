package sink

import (
	"log/slog"
	"runtime"
	"testing"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type smallest struct{}

// An entity without values that is like the previous one takes one bit of a message, the minimum.
// The memory that it costs on the client is limited: no message creates more entities than it has
// bits, and no entity costs more than a KiB.
//
// Proves: Z7
func TestWhatTheSmallestEntitiesCostAClient(t *testing.T) {
	const room, entities = 1100, 14_000
	p := protocol.New(protocol.Config{Name: "smallest"})
	protocol.Component[smallest](p)
	require.NoError(t, registry.Seal(p))
	from, to := ecs.NewWorld(1024), ecs.NewWorld(1024)
	collector, err := source.NewCollector(&from, registry.Of(p).Components, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	peer := collector.World.NewPeer()
	marker := ecs.ComponentID[components.Replicate](&from)
	for range entities {
		from.NewEntity(marker)
	}
	require.NoError(t, collector.Observe(1))
	applier := NewApplier(&to, event.NewHub(), registry.Of(p).Components, func(ecs.Entity) {}, func(ecs.Entity) {})
	r := receiver.New(applier, 1)
	for n := uint16(0); peer.ActionsDue(); n++ {
		message := peer.AppendActions(nil, room)
		peer.ActionsSent(n)
		had := applier.Replicas.Len()
		allocated := allocatedBy(func() { require.NoError(t, r.HandleActions(message)) })
		peer.HandleDelivered(n)
		made := applier.Replicas.Len() - had
		assert.LessOrEqual(t, made, 8*len(message))
		assert.LessOrEqual(t, allocated, uint64(made<<10), "%d entities of %d bytes", made, len(message))
	}
	assert.Equal(t, entities, applier.Replicas.Len())
}

// allocatedBy returns how many bytes a function allocates.
func allocatedBy(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
