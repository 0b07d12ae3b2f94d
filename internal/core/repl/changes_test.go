package repl_test

import (
	"encoding/hex"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Lists of changes read back as they were written.
func TestChangesReadBackAsTheyWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfDistinct(rapid.OneOf(rapid.Uint16Range(0, 40), rapid.Uint16Range(0, repl.MaxMembers-1)), rapid.ID).Draw(t, "numbers")
		slices.Sort(numbers)
		sets, masks := repl.NewSets(3), make([]set.Mask, len(numbers))
		var w bits.Writer
		var list repl.Changes
		for i, n := range numbers {
			masks[i] = set.Mask{rapid.SampledFrom([]uint64{0, 1, 1, 1, 5}).Draw(t, "set")}
			if !list.Append(&w, repl.Member(n), &masks[i]) {
				sets.Append(&w, &masks[i])
			}
		}
		list.End(&w)
		var r bits.Reader
		r.Reset(w.Finish())
		var in repl.Changes
		for i, n := range numbers {
			got, same, more, ok := in.Read(&r)
			require.True(t, ok && more)
			require.Equal(t, repl.Member(n), got)
			var comps set.Mask
			require.True(t, in.ReadSet(&r, sets, &comps, same))
			require.Equal(t, masks[i], comps)
		}
		_, _, more, ok := in.Read(&r)
		require.True(t, ok && !more)
		require.NoError(t, r.End())
	})
}

// FuzzChanges reads lists of changes from any bytes: accepted lists rise, stay within the bound and
// have only that encoding.
func FuzzChanges(f *testing.F) {
	f.Add([]byte{0x02})
	f.Add([]byte{0x01, 0x42, 0xff, 0x10})
	f.Fuzz(func(t *testing.T, b []byte) {
		var r bits.Reader
		r.Reset(b)
		var w bits.Writer
		var in, out repl.Changes
		sets := repl.NewSets(3)
		for last := -1; ; {
			n, same, more, ok := in.Read(&r)
			if !ok {
				return
			}
			if !more {
				out.End(&w)
				sameBits(t, b, &r, &w)
				return
			}
			require.Greater(t, int(n), last)
			require.Less(t, int(n), repl.MaxMembers)
			last = int(n)
			var comps set.Mask
			if !in.ReadSet(&r, sets, &comps, same) {
				return
			}
			if !out.Append(&w, n, &comps) {
				sets.Append(&w, &comps)
			}
		}
	})
}

func TestGoldenChanges(t *testing.T) {
	var w bits.Writer
	var list repl.Changes
	comps := set.MaskOf(0)
	assert.False(t, list.Append(&w, 0, &comps))
	assert.True(t, list.Append(&w, 1, &comps))
	assert.True(t, list.Append(&w, 4, &comps))
	list.End(&w)
	assert.Equal(t, packed("0 0 00000", "1", "0 1 01000", "0 1 00000"), hex.EncodeToString(w.Finish()))
}
