package sink

import (
	"runtime"
	"testing"

	"github.com/mlange-42/arche/ecs"
)

// The cost of a server tick for one peer, with 1,000 parents that have 3 children each, and with as
// many entities without a hierarchy.
func BenchmarkHierarchies(b *testing.B) {
	for name, c := range map[string]struct{ hierarchies, moving bool }{
		"hierarchies, still": {true, false}, "hierarchies, moving": {true, true},
		"alone, still": {false, false}, "alone, moving": {false, true},
	} {
		b.Run(name, func(b *testing.B) {
			k := newRelatives(b)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			all := k.populate(c.hierarchies)
			k.send()
			runtime.GC()
			runtime.ReadMemStats(&after)
			var frame []byte
			sent := 0
			b.ReportAllocs()
			for b.Loop() {
				if c.moving {
					b.StopTimer()
					for _, e := range all {
						(*relativeBody)(k.world.Get(e, k.body)).N++
					}
					b.StartTimer()
				}
				k.observe()
				k.peer.Prepare()
				for frame = k.peer.AppendUpdates(frame[:0], 1100, k.packet); len(frame) > 0; frame = k.peer.AppendUpdates(frame[:0], 1100, k.packet) {
					sent += len(frame)
					k.peer.HandleAcked(k.packet)
					k.packet++
				}
			}
			b.ReportMetric(float64(sent)/float64(b.N), "bytes/tick")
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB/world")
		})
	}
}

// populate makes 4,000 entities.
func (k *relatives) populate(hierarchies bool) (all []ecs.Entity) {
	for range 1000 {
		parent := k.spawn()
		all = append(all, parent)
		for range 3 {
			if hierarchies {
				all = append(all, k.child(parent))
			} else {
				all = append(all, k.spawn())
			}
		}
	}
	return all
}
