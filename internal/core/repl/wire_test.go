package repl_test

import (
	"encoding/hex"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
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

// Heads read back as they were written, in as many bits as Width says, and what is
// read from anything is written the same.
func TestHeadsHaveOneEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tick := entangle.Tick(rapid.Uint32().Draw(t, "tick"))
		updates := rapid.Bool().Draw(t, "updates")
		out := repl.Heads{Tick: tick, Updates: updates}
		var w bits.Writer
		var all []repl.Record
		group := repl.Handle(0)
		for range rapid.IntRange(0, 10).Draw(t, "n") {
			rec := repl.Record{Kind: repl.Update, Tick: tick, Group: group + repl.Handle(rapid.IntRange(0, 1000).Draw(t, "gap"))}
			if !updates {
				rec.Kind = repl.Kind(rapid.IntRange(0, 2).Draw(t, "kind"))
			}
			rec.Seq = repl.Seq(rapid.IntRange(0, 7).Draw(t, "seq"))
			if rec.Kind == repl.Delta || rec.Kind == repl.Update {
				rec.Base = tick - entangle.Tick(rapid.SampledFrom([]uint32{1, 2, 9, 1<<31 - 1}).Draw(t, "age"))
			}
			group = rec.Group + 1
			require.True(t, out.Rises(rec.Group))
			width, before := out.Width(&rec), w.LenBits()
			out.Append(&w, &rec)
			require.Equal(t, width, w.LenBits()-before)
			require.False(t, out.Rises(rec.Group))
			all = append(all, rec)
		}
		out.End(&w)
		readHeads(t, repl.Heads{Tick: tick, Updates: updates}, w.Finish(), all)
	})
}

func readHeads(t *rapid.T, in repl.Heads, b []byte, want []repl.Record) {
	var r bits.Reader
	r.Reset(b)
	for _, rec := range want {
		var got repl.Record
		more, ok := in.Read(&r, &got)
		require.True(t, more && ok)
		require.Equal(t, rec, got)
	}
	var got repl.Record
	more, ok := in.Read(&r, &got)
	require.True(t, !more && ok)
	require.NoError(t, r.End())
}

// FuzzHeads reads records without bodies from anything: what is accepted has that
// one encoding, but for a base that is written out though the one before has it.
func FuzzHeads(f *testing.F) {
	f.Add(uint32(10), true, []byte{0x01})
	f.Add(uint32(1<<32-1), false, []byte{0x09, 0x10, 0x20})
	f.Fuzz(func(t *testing.T, tick uint32, updates bool, b []byte) {
		var r bits.Reader
		r.Reset(b)
		in := repl.Heads{Tick: entangle.Tick(tick), Updates: updates}
		out := in
		var w bits.Writer
		last := int64(-1)
		for {
			var rec repl.Record
			more, ok := in.Read(&r, &rec)
			if !ok || !more {
				return
			}
			require.Greater(t, int64(rec.Group), last)
			require.Less(t, rec.Group, repl.Handle(repl.MaxGroups))
			last = int64(rec.Group)
			out.Append(&w, &rec)
			require.LessOrEqual(t, w.LenBits(), len(b)*8-r.RemainingBits())
		}
	})
}

// A reference has one encoding, within the bound that room is reckoned by, and a
// table is read only if its entries can all be there.
func TestReferencesHaveOneEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ref := repl.Ref{Yours: rapid.Bool().Draw(t, "yours"), ID: repl.ID{
			Group:  repl.Handle(rapid.IntRange(0, repl.MaxGroups-1).Draw(t, "group")),
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
	for _, ref := range []repl.Ref{{ID: repl.ID{Group: repl.MaxGroups}}, {ID: repl.ID{Member: repl.MaxMembers}}} {
		var w bits.Writer
		repl.AppendRef(&w, ref)
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

// two is a source of two components, of 8 and 0 bits.
type two struct{}

func (two) Encode(w *bits.Writer, s repl.Slot, comp int, _ *repl.RefTable) {
	if comp == 0 {
		w.Bits(0xa0|uint64(s), 8)
	}
}

// Bits of the frames, lowest first, as the page of the protocol has them.
//
//	action message of tick 9: a full of group 0 with components 0 and 1, and one of
//	group 1 with component 0
//	  1001 0000 ... (32)   tick
//	  1                    a record
//	  10                   kind 1: full
//	  0000                 group 0: Uvarint 0 after none
//	  000                  sequence 0
//	  0                    no references
//	  1                    alone
//	  11                   components 0 and 1
//	  00000101             value 0xa0
//	  1 10 0000 000 0 1 10 the same for group 1, next to the last, component 0 alone
//	  10000101             value 0xa1
//	  0                    end, then padding
//
//	updates frame of tick 12, base 9, of group 1
//	  1                    a record
//	  0100                 group 1: Uvarint 1
//	  000                  sequence 0
//	  0                    a base of its own:
//	  0110                 Uvarint 3
//	  0                    no references
//	  1                    alone
//	  10                   component 0
//	  10000101             value 0xa1
//	  0                    end
func TestGoldens(t *testing.T) {
	w := sender.NewWorld(two{}, 2)
	p := w.NewPeer()
	w.Begin(9)
	w.Spawn(0, repl.MaskOf(0, 1))
	w.Spawn(1, repl.MaskOf(0))
	w.Commit()
	assert.Equal(t, "09000000"+packed("1 10 0000 000 0 1 11 00000101  1 10 0000 000 0 1 10 10000101  0"),
		hex.EncodeToString(p.AppendActions(nil, 544)))
	w.Begin(12)
	w.Change(0, []repl.Slot{1})
	w.Commit()
	assert.Equal(t, packed("1 0100 000 0 0110 0 1 10 10000101 0"), hex.EncodeToString(p.AppendUpdates(nil, 1000, 1)))
	w.Begin(13)
	w.Reshape(1, repl.Mask{}, repl.MaskOf(0))
	w.Despawn(0)
	w.Commit()
	assert.Equal(t, "0d000000"+packed("1 01 0000 100  1 00 0000 100 0 0001 0 1  1 10 00  0"),
		hex.EncodeToString(p.AppendActions(nil, 544)),
		"a gone of group 0; a delta of group 1 from tick 9, of which component 0 went and nothing came")
}

// packed turns bits, the lowest of each byte first, into hex.
func packed(text string) string {
	var w bits.Writer
	for _, c := range text {
		if c != ' ' {
			w.Bool(c == '1')
		}
	}
	return hex.EncodeToString(w.Finish())
}
