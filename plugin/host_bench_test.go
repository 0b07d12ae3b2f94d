package plugin_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// BenchmarkAGameForOne measures a game of 1,000 moving entities: its system alone, in a host
// without remote clients, and in such a host with systems that read the changes.
func BenchmarkAGameForOne(b *testing.B) {
	fill := func(w *ecs.World) {
		m := generic.NewMap3[spot, name, components.Replicate](w)
		for id := range uint32(1000) {
			m.NewWith(&spot{}, &name{id}, &components.Replicate{})
		}
	}
	move := func(w *ecs.World) func() {
		filter := generic.NewFilter1[spot]()
		return func() {
			for q := filter.Query(w); q.Next(); {
				q.Get().X++
			}
		}
	}
	b.Run("system", func(b *testing.B) {
		w := ecs.NewWorld()
		fill(&w)
		for step := move(&w); b.Loop(); {
			step()
		}
	})
	for name, systems := range map[string][]plugin.System{"host": nil, "readers": {
		plugin.Func(func(w *ecs.World) func() {
			updated := plugin.NewReader[plugin.ComponentUpdated[spot]](w)
			return func() { updated.Read() }
		}),
	}} {
		b.Run(name, func(b *testing.B) {
			h := newHosted(b, systems...)
			fill(h.world)
			h.play()
			step := move(h.world)
			for b.Loop() {
				step()
				h.now = h.now.Add(time.Second / 60)
				h.host.Step(h.now)
			}
		})
	}
}
