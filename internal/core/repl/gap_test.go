package repl

import (
	"testing"

	"github.com/stretchr/testify/require"

	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// A gap is read as it was written, and takes the stated width.
func TestGapsComeBack(t *testing.T) {
	for gap := uint64(1); gap < 300; gap++ {
		var w pack.Writer
		appendGap(&w, gap)
		require.Equal(t, GapBits(gap), w.LenBits(), "gap %d", gap)
		var r pack.Reader
		r.Reset(w.Finish())
		require.Equal(t, gap, readGap(&r))
	}
}
