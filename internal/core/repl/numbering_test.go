package repl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// A Numbering equals a map, for any number of keys and any keys, again and again.
func TestNumberingIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var n repl.Numbering[uint64]
		for range rapid.IntRange(1, 5).Draw(t, "rounds") {
			want := map[uint64]uint32{}
			step := rapid.SampledFrom([]uint64{1, 64, 1 << 20, 1 << 32, 1 << 62}).Draw(t, "step")
			for range rapid.IntRange(0, 300).Draw(t, "keys") {
				key := rapid.Uint64Range(0, 400).Draw(t, "key") * step
				require.Equal(t, want[key], n.Find(key))
				if want[key] == 0 {
					want[key] = uint32(len(want) + 1)
					require.Equal(t, want[key], n.Add(key))
				}
				require.Len(t, n.Keys(), len(want))
			}
			for key, number := range want {
				require.Equal(t, number, n.Find(key))
			}
			n.Reset()
			require.Zero(t, n.Find(0))
		}
	})
}

// A table of references allocates nothing if it was as large before.
func TestATableOfReferencesKeepsItsMemory(t *testing.T) {
	var table repl.RefTable
	assert.Zero(t, alloctest.Count(20, func() {
		for _, size := range []repl.Slot{3, 100, repl.MaxGroupRefs, 40} {
			table.Reset()
			for s := range size {
				table.Index(7 * s)
			}
		}
	}))
}

// BenchmarkRefTable looks up each of a number of entities once.
func BenchmarkRefTable(b *testing.B) {
	for _, size := range []repl.Slot{4, 16, 64, 4096} {
		b.Run("", func(b *testing.B) {
			var table repl.RefTable
			for b.Loop() {
				table.Reset()
				for s := range size {
					table.Index(s * 3)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size), "ns/ref")
		})
	}
}
