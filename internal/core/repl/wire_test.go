package repl_test

import (
	"encoding/hex"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// A sequence is told ahead or behind within the four actions that may be under way,
// from every place in the cycle.
func TestSequencesAreToldApartWithinTheWindow(t *testing.T) {
	for s := range repl.Seq(repl.SeqCycle) {
		ahead := s
		for n := range repl.MaxActionsInFlight + 1 {
			assert.Equal(t, n, ahead.Ahead(s))
			if n < repl.MaxActionsInFlight {
				assert.Equal(t, -n, s.Ahead(ahead))
			}
			ahead = ahead.Next()
		}
	}
}

// Mask and Bitset are sets: against a map.
func TestSetsAgainstAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOf(rapid.IntRange(0, repl.MaxComponents-1)).Draw(t, "numbers")
		gone := rapid.SliceOf(rapid.IntRange(0, repl.MaxComponents-1)).Draw(t, "gone")
		m, b, want := repl.MaskOf(numbers...), repl.Bitset{}, map[int]bool{}
		b.Grow(repl.MaxComponents)
		for _, n := range numbers {
			want[n] = true
			b.Set(n)
		}
		for _, n := range gone {
			delete(want, n)
			b.Clear(n)
		}
		m = m.Without(repl.MaskOf(gone...))
		require.Equal(t, len(want), m.Len())
		require.Equal(t, len(want) == 0, m.IsZero())
		require.Equal(t, len(want) == 0, b.Empty())
		var inMask, inBits []int
		for n := m.Next(0); n >= 0; n = m.Next(n + 1) {
			inMask = append(inMask, n)
			require.True(t, want[n] && m.Has(n) && b.Has(n))
		}
		for n := b.Next(0); n >= 0; n = b.Next(n + 1) {
			inBits = append(inBits, n)
		}
		require.Len(t, inMask, len(want))
		require.Equal(t, inMask, inBits)
		require.True(t, slices.IsSorted(inMask))
		other := repl.MaskOf(gone...)
		require.Equal(t, other.Union(m), m.Union(other))
		var joined repl.Bitset
		joined.Grow(repl.MaxComponents)
		joined.Join(b)
		require.Equal(t, b, joined)
		joined.Reset()
		require.True(t, joined.Empty())
	})
	var none repl.Bitset
	assert.Equal(t, -1, none.Next(0))
	assert.False(t, none.Has(1000))
}

// Component sets read back as they were written, as flags and as lists, and each has
// one encoding.
func TestComponentSetsHaveOneEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		comps := rapid.SampledFrom([]int{0, 1, 2, 12, 13, 16, 17, 224}).Draw(t, "comps")
		sets := repl.NewSets(comps)
		var m repl.Mask
		if comps > 0 {
			m = repl.MaskOf(rapid.SliceOfN(rapid.IntRange(0, comps-1), 0, 20).Draw(t, "set")...)
		}
		var w bits.Writer
		sets.Append(&w, &m)
		var r bits.Reader
		r.Reset(w.Finish())
		var got repl.Mask
		require.True(t, sets.Read(&r, &got))
		require.Equal(t, m, got)
		require.NoError(t, r.End())

		noise := rapid.SliceOfN(rapid.Byte(), 0, 30).Draw(t, "noise")
		r.Reset(noise)
		if !sets.Read(&r, &got) {
			return
		}
		n := len(noise)*8 - r.RemainingBits()
		var again bits.Writer
		sets.Append(&again, &got)
		require.Equal(t, n, again.LenBits())
		require.Equal(t, hex.EncodeToString(firstBits(noise, n)), hex.EncodeToString(again.Finish()))
	})
	sets := repl.NewSets(13)
	for name, numbers := range map[string][]uint64{"falling": {7, 3}, "twice": {5, 5}, "too large": {13}} {
		var w bits.Writer
		for _, n := range numbers {
			w.Bool(true)
			w.Bits(n, 4)
		}
		w.Bool(false)
		var r bits.Reader
		r.Reset(w.Finish())
		var m repl.Mask
		assert.False(t, sets.Read(&r, &m), name)
	}
}

// firstBits returns the first n bits, padded with zeros.
func firstBits(b []byte, n int) []byte {
	var r bits.Reader
	r.Reset(b)
	dst := make([]byte, (n+7)/8)
	r.Copy(dst, n)
	return dst
}

// A reference has one encoding, within the bound that room is reckoned by, and a
// table is read only if its entries can all be there.
func TestReferencesHaveOneEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ref := repl.Ref{Yours: rapid.Bool().Draw(t, "yours"), ID: repl.ID{
			Group:  repl.Handle(rapid.IntRange(0, 2*repl.MaxGroups-1).Draw(t, "group")),
			Member: repl.Member(rapid.IntRange(0, repl.MaxMembers-1).Draw(t, "member")),
		}}
		var w bits.Writer
		repl.AppendRef(&w, ref)
		require.LessOrEqual(t, w.LenBits(), repl.MaxRefBits)
		var r bits.Reader
		r.Reset(w.Finish())
		got, ok := repl.ReadRef(&r)
		require.True(t, ok)
		require.Equal(t, ref, got)
	})
	for _, number := range [][2]uint64{{repl.MaxGroups, 0}, {0, repl.MaxMembers}} {
		var w bits.Writer
		w.Bits(0, 2) // not the receiver's own, public
		w.Uvarint(number[0])
		w.Bool(number[1] != 0)
		if number[1] != 0 {
			w.Uvarint(number[1] - 1)
		}
		var r bits.Reader
		r.Reset(w.Finish())
		_, ok := repl.ReadRef(&r)
		assert.False(t, ok)
	}
	for _, n := range []uint64{100, repl.MaxRefs + 1, 1 << 60} {
		var w bits.Writer
		w.Uvarint(n)
		w.Bits(0, 64)
		var r bits.Reader
		r.Reset(w.Finish())
		refs, ok := repl.ReadRefs(&r, nil)
		assert.False(t, ok)
		assert.Zero(t, cap(refs), "nothing is made for entries that can't be there")
	}
}

// A table holds each entity once, and none beyond its limit.
func TestATableOfReferences(t *testing.T) {
	var table repl.RefTable
	assert.Zero(t, table.Index(repl.NoSlot))
	assert.EqualValues(t, 1, table.Index(7))
	assert.EqualValues(t, 2, table.Index(9))
	assert.EqualValues(t, 1, table.Index(7))
	assert.Equal(t, []repl.Slot{7, 9}, table.Slots())
	for s := range repl.Slot(repl.MaxRefs) {
		table.Index(s + 1000)
	}
	assert.Len(t, table.Slots(), repl.MaxRefs)
	assert.Zero(t, table.Index(1), "no room is no entity")
	table.Reset()
	assert.EqualValues(t, 1, table.Index(9))
}
