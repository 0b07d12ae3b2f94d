package interest

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/set"
)

// Marks have the members of a plain set.
func TestMarksEqualAPlainSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m marks
		var plain set.Bitset
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			rows := rapid.IntRange(1, 10_000).Draw(t, "rows")
			m.grow(rows)
			plain.Grow(rows)
			word, bits := rapid.IntRange(0, (rows-1)/64).Draw(t, "word"), 1+rapid.Uint64().Draw(t, "bits")>>1
			m.addBits(word, bits)
			plain[word] |= bits
			if rapid.IntRange(0, 5).Draw(t, "reset") == 0 {
				m.reset()
				plain.Reset()
			}
			require.Equal(t, plain, m.set)
			for i, want := m.next(0), plain.Next(0); i >= 0 || want >= 0; i, want = m.next(i+1), plain.Next(want+1) {
				require.Equal(t, want, i)
			}
			from := rapid.IntRange(0, 11_000).Draw(t, "from")
			require.Equal(t, plain.Next(from), m.next(from))
		}
	})
}
