package columns

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
)

// BenchmarkObserveHierarchies observes 1,000 parents with three children each, which Arche keeps in an
// archetype per parent. Nothing changes.
func BenchmarkObserveHierarchies(b *testing.B) {
	x := newTestWorld(b, 1024, 4)
	children := ecs.NewBuilder(&x.w, x.marker, x.id(colPosition), x.id(colHealth), x.id(colFlags), x.id(colBody), x.other).WithRelation(x.other)
	for range 1000 {
		children.NewBatch(3, x.spawn(colPosition, colHealth, colFlags, colBody))
	}
	for b.Loop() {
		if err := x.table.Observe(1); err != nil {
			b.Fatal(err)
		}
	}
}
