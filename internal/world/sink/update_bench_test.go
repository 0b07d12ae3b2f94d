package sink

import (
	"log/slog"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/require"
)

type (
	benchPosition struct {
		X, Y, Z float32 `net:"range=-512..512,step=0.01"`
	}
	benchRotation struct {
		Q [4]float32 `net:"quat"`
	}
	benchHealth struct{ Points uint16 }
)

// BenchmarkUpdateRun measures how an applier applies a tick that moves and turns each of 1,000
// entities. One operation applies the frames of that tick.
func BenchmarkUpdateRun(b *testing.B) {
	const entities = 1000
	p := protocol.New(protocol.Config{Name: "copy benchmark"})
	protocol.Component[benchHealth](p)
	protocol.Component[benchPosition](p)
	protocol.Component[benchRotation](p)
	require.NoError(b, registry.Seal(p))
	from, to := ecs.NewWorld(entities), ecs.NewWorld(entities)
	collector, err := source.NewCollector(&from, registry.Of(p).Components, slog.New(slog.DiscardHandler))
	require.NoError(b, err)
	peer := collector.World().NewPeer()
	applier := NewApplier(&to, event.NewHub(), registry.Of(p).Components, func(ecs.Entity) {}, func(ecs.Entity) {})
	r := receiver.New(applier, nil, 3)
	position, rotation := ecs.ComponentID[benchPosition](&from), ecs.ComponentID[benchRotation](&from)
	marker, health := ecs.ComponentID[components.Replicate](&from), ecs.ComponentID[benchHealth](&from)
	all := make([]ecs.Entity, entities)
	for i := range all {
		all[i] = from.NewEntity(marker, position, rotation, health)
	}
	require.NoError(b, collector.Observe(1))
	for n := uint16(0); peer.ActionsDue(); n++ {
		message := peer.AppendActions(nil, 60000)
		peer.ActionsSent(n)
		require.NoError(b, r.HandleActions(message))
		peer.HandleDelivered(n)
	}
	for i, e := range all {
		*(*benchPosition)(from.Get(e, position)) = benchPosition{float32(i), 1, 2}
		*(*benchRotation)(from.Get(e, rotation)) = benchRotation{[4]float32{0.5, 0.5, 0.5, float32(i%100) / 200}}
	}
	require.NoError(b, collector.Observe(2))
	var frames [][]byte
	for n := uint16(0); ; n++ {
		frame := peer.AppendUpdates(nil, repl.MaxUpdateBytes, n)
		if len(frame) == 0 {
			break
		}
		frames = append(frames, frame)
		peer.HandleAcked(n)
	}
	b.ReportAllocs()
	for tick := entangle.Tick(2); b.Loop(); tick++ { // a frame states the age of its baseline, not its tick
		for _, frame := range frames {
			require.NoError(b, r.HandleUpdates(tick, frame))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/entities, "ns/record")
}
