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
	benchTag    struct{}
	benchFloat  struct{ V float32 }
	benchNumber struct{ V uint64 }
	benchBlock  struct{ V [15]float32 }
	benchMixed  struct {
		V float32
		N int
		A uint8
		C uint32
	}
)

// BenchmarkUpdateBlock measures how an applier applies a tick that changes each of 1,000 entities. One
// operation applies the frames of that tick.
func BenchmarkUpdateBlock(b *testing.B) {
	b.Run("pose", func(b *testing.B) {
		benchmarkRun(b, func(n int) (benchPosition, benchRotation) {
			return benchPosition{float32(n), 1, 2}, benchRotation{[4]float32{0.5, 0.5, 0.5, float32(n%100) / 200}}
		})
	})
	b.Run("float32", func(b *testing.B) { benchmarkRun(b, oneOf(func(n int) benchFloat { return benchFloat{float32(n)} })) })
	b.Run("uint64", func(b *testing.B) {
		benchmarkRun(b, oneOf(func(n int) benchNumber { return benchNumber{uint64(n) & 1} }))
	})
	b.Run("uint64/large", func(b *testing.B) { benchmarkRun(b, oneOf(func(n int) benchNumber { return benchNumber{^uint64(n)} })) })
	b.Run("mixed", func(b *testing.B) {
		benchmarkRun(b, oneOf(func(n int) benchMixed { return benchMixed{float32(n), n, uint8(n), 1} }))
	})
	b.Run("block", func(b *testing.B) {
		benchmarkRun(b, oneOf(func(n int) benchBlock { return benchBlock{[15]float32{float32(n)}} }))
	})
}

// oneOf makes a function of one component one of two, of which the second is a tag.
func oneOf[A any](value func(n int) A) func(n int) (A, benchTag) {
	return func(n int) (A, benchTag) { return value(n), benchTag{} }
}

func benchmarkRun[A, B any](b *testing.B, value func(n int) (A, B)) {
	const entities = 1000
	p := protocol.New(protocol.Config{Name: "copy benchmark"})
	protocol.Component[benchHealth](p)
	protocol.Component[A](p)
	protocol.Component[B](p)
	require.NoError(b, registry.Seal(p))
	from, to := ecs.NewWorld(entities), ecs.NewWorld(entities)
	collector, err := source.NewCollector(&from, registry.Of(p).Components, slog.New(slog.DiscardHandler))
	require.NoError(b, err)
	peer := collector.World.NewPeer()
	applier := NewApplier(&to, event.NewHub(), registry.Of(p).Components, func(ecs.Entity) {}, func(ecs.Entity) {})
	r := receiver.New(applier, 3)
	first, second := ecs.ComponentID[A](&from), ecs.ComponentID[B](&from)
	marker, health := ecs.ComponentID[components.Replicate](&from), ecs.ComponentID[benchHealth](&from)
	all := make([]ecs.Entity, entities)
	for i := range all {
		all[i] = from.NewEntity(marker, first, second, health)
	}
	require.NoError(b, collector.Observe(1))
	for n := uint16(0); peer.ActionsDue(); n++ {
		message := peer.AppendActions(nil, 60000)
		peer.ActionsSent(n)
		require.NoError(b, r.HandleActions(message))
		peer.HandleDelivered(n)
	}
	for i, e := range all {
		*(*A)(from.Get(e, first)), *(*B)(from.Get(e, second)) = value(i + 2)
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
			if err := r.HandleUpdates(tick, frame); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/entities, "ns/record")
}
