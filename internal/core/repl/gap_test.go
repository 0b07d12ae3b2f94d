package repl

import (
	"testing"

	"github.com/stretchr/testify/require"

	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// A gap from the table has the same bits as one that is written in pieces, and the stated width.
func TestGapsComeBack(t *testing.T) {
	for gap := uint64(1); gap < 3*uint64(len(shortGaps)); gap++ {
		var w, plain pack.Writer
		appendGap(&w, gap)
		appendLongGap(&plain, gap)
		require.Equal(t, plain.LenBits(), w.LenBits(), "gap %d", gap)
		require.Equal(t, GapBits(gap), w.LenBits(), "gap %d", gap)
		b := w.Finish()
		require.Equal(t, plain.Finish(), b, "gap %d", gap)
		var r pack.Reader
		r.Reset(b)
		require.Equal(t, gap, readGap(&r))
	}
}
