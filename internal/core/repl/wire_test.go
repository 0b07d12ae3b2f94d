package repl_test

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Mask and Bitset equal sets that are made of maps.
func TestSetsAgainstAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOf(rapid.IntRange(0, set.MaskSize-1)).Draw(t, "numbers")
		gone := rapid.SliceOf(rapid.IntRange(0, set.MaskSize-1)).Draw(t, "gone")
		m, b, want := set.MaskOf(numbers...), set.Bitset{}, map[int]bool{}
		b.Grow(set.MaskSize)
		for _, n := range numbers {
			want[n] = true
			b.Set(n)
		}
		for _, n := range gone {
			delete(want, n)
			b.Clear(n)
		}
		m = m.Without(set.MaskOf(gone...))
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
		other := set.MaskOf(gone...)
		require.Equal(t, other.Or(m), m.Or(other))
		var joined set.Bitset
		joined.Grow(set.MaskSize)
		joined.Join(b)
		require.Equal(t, b, joined)
		joined.Reset()
		require.True(t, joined.Empty())
	})
	var none set.Bitset
	assert.Equal(t, -1, none.Next(0))
	assert.False(t, none.Has(1000))
}

// Component sets are read as they were written, as flags and as lists, and each has one encoding.
func TestComponentSetsHaveOneEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		comps := rapid.SampledFrom([]int{0, 1, 2, 12, 13, 16, 17, 224}).Draw(t, "comps")
		sets := repl.NewSets(comps)
		var m set.Mask
		if comps > 0 {
			m = set.MaskOf(rapid.SliceOfN(rapid.IntRange(0, comps-1), 0, 20).Draw(t, "set")...)
		}
		var w bits.Writer
		sets.Append(&w, &m)
		require.Equal(t, sets.Bits(&m), w.LenBits())
		var r bits.Reader
		r.Reset(w.Finish())
		var got set.Mask
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
		var m set.Mask
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

// A reference has one encoding, within the bound for which bytes are reserved. A table is read only
// if there can be enough bytes for its entries.
func TestReferencesHaveOneEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ref := repl.Ref{Yours: rapid.Bool().Draw(t, "yours"), ID: repl.ID{
			Group:      repl.Handle(rapid.IntRange(0, 2*repl.MaxGroups-1).Draw(t, "group")),
			Generation: drawGeneration(t),
			Member:     repl.Member(rapid.IntRange(0, repl.MaxMembers-1).Draw(t, "member")),
		}}
		var w bits.Writer
		repl.AppendRef(&w, ref)
		require.Equal(t, repl.RefBits(ref.ID), w.LenBits())
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
		w.Bool(false) // generation 0
		w.Bool(number[1] != 0)
		if number[1] != 0 {
			w.Uvarint(number[1] - 1)
		}
		var r bits.Reader
		r.Reset(w.Finish())
		_, ok := repl.ReadRef(&r)
		assert.False(t, ok)
	}
	for _, n := range []uint64{100, repl.MaxGroupRefs + 1, 1 << 60} {
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

// A table of more references than a group may have is refused, even if there are enough bytes for
// it.
func TestATableOfTooManyReferencesIsRefused(t *testing.T) {
	for n, want := range map[int]bool{repl.MaxGroupRefs: true, repl.MaxGroupRefs + 1: false} {
		var w bits.Writer
		w.Uvarint(uint64(n))
		for range n {
			repl.AppendRef(&w, repl.Ref{ID: repl.ID{Group: 1}})
		}
		var r bits.Reader
		r.Reset(w.Finish())
		refs, ok := repl.ReadRefs(&r, nil)
		assert.Equal(t, want, ok)
		if want {
			assert.Len(t, refs, n)
		} else {
			assert.Zero(t, cap(refs))
		}
	}
}

// A table contains each entity once, and none beyond its limit.
func TestATableOfReferences(t *testing.T) {
	var table repl.RefTable
	assert.Zero(t, table.Index(repl.NoSlot))
	assert.EqualValues(t, 1, table.Index(7))
	assert.EqualValues(t, 2, table.Index(9))
	assert.EqualValues(t, 1, table.Index(7))
	assert.Equal(t, []repl.Slot{7, 9}, table.Slots())
	for s := range repl.Slot(repl.MaxGroupRefs) {
		table.Index(s + 1000)
	}
	assert.Len(t, table.Slots(), repl.MaxGroupRefs)
	assert.Zero(t, table.Index(1), "no room is no entity")
	table.Reset()
	assert.EqualValues(t, 1, table.Index(9))
}

// Heads are read as they were written, within the bound for which bytes are reserved. Heads that
// are read from arbitrary bytes are written as the same bytes.
func TestHeadsHaveOneEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tick := entangle.Tick(rapid.Uint32().Draw(t, "tick"))
		out := repl.Heads{Tick: tick}
		var w bits.Writer
		var all []repl.Record
		group := repl.Handle(0)
		for range rapid.IntRange(0, 10).Draw(t, "n") {
			rec := repl.Record{Tick: tick, Group: group + repl.Handle(rapid.SampledFrom([]int{0, 1, 9, 1000, repl.MaxGroups / 2}).Draw(t, "gap"))}
			if rec.Group >= 2*repl.Private {
				break
			}
			rec.Kind = repl.Kind(rapid.IntRange(0, 2).Draw(t, "kind"))
			if rec.Kind != repl.Full {
				rec.Base = tick - entangle.Tick(rapid.SampledFrom([]uint32{1, 2, 9, 1<<31 - 1}).Draw(t, "age"))
			}
			if rec.Kind == repl.Full {
				rec.Generation = drawGeneration(t)
			}
			group = rec.Group + 1
			before := w.LenBits()
			out.Append(&w, &rec)
			require.LessOrEqual(t, w.LenBits()-before, repl.MaxHeadBits)
			all = append(all, rec)
		}
		out.End(&w)
		var r bits.Reader
		r.Reset(w.Finish())
		in := repl.Heads{Tick: tick}
		for _, rec := range all {
			var got repl.Record
			more, ok := in.Read(&r, &got)
			require.True(t, more && ok)
			require.Equal(t, rec, got)
		}
		var got repl.Record
		more, ok := in.Read(&r, &got)
		require.True(t, !more && ok)
		require.NoError(t, r.End())
	})
}

func drawGeneration(t *rapid.T) repl.Generation {
	return rapid.SampledFrom([]repl.Generation{0, 1, 2, 8, 9, 100, 1 << 20, repl.MaxGeneration - 1, repl.MaxGeneration}).Draw(t, "generation")
}

// Values beyond their bounds are refused: the index of a joining entity beyond the table, and a generation
// above the last.
func TestIndexesAndGenerationsAreReadWithinTheirBounds(t *testing.T) {
	read := func(write func(*bits.Writer)) *bits.Reader {
		var w bits.Writer
		var r bits.Reader
		write(&w)
		r.Reset(w.Finish())
		return &r
	}
	for index, valid := range map[uint64]bool{0: true, 2: true, 3: false, 1 << 40: false, 1<<64 - 1: false} {
		got, ok := repl.ReadJoiner(read(func(w *bits.Writer) { w.Bool(false); w.Uvarint(index) }), 3)
		assert.Equal(t, valid, ok, index)
		assert.True(t, !ok || uint64(got) == index+1)
	}
	_, ok := repl.ReadJoiner(read(func(*bits.Writer) {}), 3)
	assert.False(t, ok)
	for before, valid := range map[uint64]bool{0: true, repl.MaxGeneration - 1: true, repl.MaxGeneration: false, 1<<64 - 1: false} {
		ref, ok := repl.ReadRef(read(func(w *bits.Writer) {
			w.Bits(0, 2)
			w.Uvarint(5)
			w.Bool(true)
			w.Uvarint(before)
			w.Bool(false)
		}))
		assert.Equal(t, valid, ok, before)
		assert.True(t, !ok || ref.ID == repl.ID{Group: 5, Generation: repl.Generation(before + 1)})
	}
}

// FuzzHeads reads records without bodies from any bytes: accepted ones rise within their spaces and
// have only that encoding, except for a baseline that is written although the previous record has
// the same one.
func FuzzHeads(f *testing.F) {
	f.Add(uint32(10), []byte{0x01})
	f.Add(uint32(1<<32-1), []byte{0x09, 0x10, 0x20, 0x44, 0x00, 0x13})
	f.Add(uint32(0), []byte("200")) // a usual end
	f.Fuzz(func(t *testing.T, tick uint32, b []byte) {
		var r bits.Reader
		r.Reset(b)
		in := repl.Heads{Tick: entangle.Tick(tick)}
		out := in
		var w bits.Writer
		for last := int64(-1); ; {
			var rec repl.Record
			more, ok := in.Read(&r, &rec)
			if !ok || !more {
				return
			}
			require.Greater(t, int64(rec.Group), last)
			require.Less(t, rec.Group, 2*repl.Private)
			last = int64(rec.Group)
			if rec.Kind == repl.Change {
				require.True(t, rec.Base.Before(rec.Tick))
			}
			if rec.Usual {
				require.True(t, out.Follows(&rec))
				out.AppendUsual(&w)
				continue
			}
			out.Append(&w, &rec)
			require.LessOrEqual(t, w.LenBits(), len(b)*8-r.RemainingBits())
		}
	})
}

// Runs are read as they were written, in as many bits as Width returns.
func TestRunsHaveOneEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := repl.RunHeads{Tick: entangle.Tick(rapid.Uint32().Draw(t, "tick"))}
		in := u
		first := rapid.SampledFrom([]repl.Handle{0, 7, repl.Private - 9, repl.Private, 2*repl.Private - 9}).Draw(t, "first")
		var w bits.Writer
		var all []repl.Record
		for g := first; g/repl.Private == first/repl.Private && len(all) < 8; g += 1 + repl.Handle(rapid.IntRange(0, 2).Draw(t, "gap")) {
			from := repl.From{
				Base: u.Tick - entangle.Tick(rapid.SampledFrom([]uint32{1, 1, 1, 2, 1<<31 - 1}).Draw(t, "age")),
				Prev: rapid.SampledFrom([]uint8{0, 0, 1, repl.MaxPrev}).Draw(t, "apart"),
			}
			if len(all) == 0 {
				u.Begin(&w, g, from)
				require.LessOrEqual(t, w.LenBits(), repl.MaxRunHead*8)
				require.Equal(t, u.HeadBits(g, from), w.LenBits())
			} else {
				width, before := u.NextBits(g, from), w.LenBits()
				u.Next(&w, g, from)
				require.Equal(t, width, w.LenBits()-before)
			}
			all = append(all, repl.Record{Kind: repl.Update, Group: g, Tick: u.Tick, From: from})
			w.Bits(0b101, 3) // a body
		}
		before := w.LenBits()
		u.End(&w)
		require.LessOrEqual(t, w.LenBits()-before, repl.EndBits)
		var r bits.Reader
		r.Reset(w.Finish())
		require.False(t, r.Bool())
		var got repl.Record
		require.True(t, in.ReadBegin(&r, &got))
		for i := range all {
			require.Equal(t, all[i], got)
			require.EqualValues(t, 0b101, r.Bits(3))
			more, ok := in.ReadNext(&r, &got)
			require.True(t, ok)
			require.Equal(t, i < len(all)-1, more)
		}
		require.NoError(t, r.End())
	})
}

// FuzzRun reads runs without bodies from any bytes: accepted ones have only that encoding.
func FuzzRun(f *testing.F) {
	f.Add(uint32(10), []byte{0x00, 0x01, 0x03, 0x07, 0x00})
	f.Add(uint32(0), []byte{0x20, 0x01, 0xff, 0xff, 0x10, 0x22, 0x00})
	f.Fuzz(func(t *testing.T, tick uint32, b []byte) {
		var r bits.Reader
		r.Reset(b)
		in := repl.RunHeads{Tick: entangle.Tick(tick)}
		out := in
		var w bits.Writer
		if r.Bool() {
			return
		}
		var rec repl.Record
		if !in.ReadBegin(&r, &rec) {
			return
		}
		out.Begin(&w, rec.Group, rec.From)
		for more := true; more; {
			require.True(t, rec.Base.Before(rec.Tick))
			require.Less(t, rec.Group, 2*repl.Private)
			last, ok := plainHandles(t, &in, &out, &r, &w, rec.Group)
			if !ok {
				return
			}
			if more, ok = in.ReadNext(&r, &rec); !ok {
				return
			}
			if more {
				require.Greater(t, rec.Group, last)
				require.Equal(t, last.Private(), rec.Group.Private())
				out.Next(&w, rec.Group, rec.From)
			}
		}
		out.End(&w)
		sameBits(t, b, &r, &w)
	})
}

// plainHandles reads the handles of a plain block, if there is one, and writes them. It returns the last
// handle.
func plainHandles(t *testing.T, in, out *repl.RunHeads, r *bits.Reader, w *bits.Writer, h repl.Handle) (last repl.Handle, ok bool) {
	plain := r.Bool()
	if w.Bool(plain); !plain || r.Err() != nil {
		return h, r.Err() == nil
	}
	n, gaps, ok := in.ReadCount(r)
	if !ok {
		return h, false
	}
	require.Positive(t, n)
	require.LessOrEqual(t, n, repl.MaxBlock)
	require.LessOrEqual(t, int(h%repl.Private)+n, repl.MaxGroups)
	before := w.LenBits()
	repl.AppendCount(w, n, gaps)
	require.Equal(t, repl.CountBits(n), w.LenBits()-before)
	for last = h; n > 1; n-- {
		if last++; gaps {
			before := last
			if last, ok = in.ReadGap(r); !ok {
				return h, false
			}
			require.GreaterOrEqual(t, last, before)
			require.Equal(t, h.Private(), last.Private())
			out.AppendGap(w, last)
		}
	}
	in.Skip(last)
	out.Skip(last)
	return last, true
}

// Lists of numbers are read as they were written. Lists that are read from arbitrary bytes rise,
// stay within the bound and have only that encoding.
func TestNumbersHaveOneEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfDistinct(rapid.Uint16Range(0, repl.MaxMembers-1), rapid.ID).Draw(t, "numbers")
		slices.Sort(all)
		var w bits.Writer
		var list repl.Numbers
		for _, m := range all {
			list.Append(&w, repl.Member(m))
		}
		list.End(&w)
		var r bits.Reader
		r.Reset(w.Finish())
		var in repl.Numbers
		for _, m := range all {
			got, more, ok := in.Read(&r)
			require.True(t, more && ok)
			require.EqualValues(t, m, got)
		}
		_, more, ok := in.Read(&r)
		require.True(t, !more && ok)
		require.NoError(t, r.End())
	})
}

// These are the lists of numbers of docs/PROTOCOL.md, by hand.
func TestGoldenNumbers(t *testing.T) {
	var w bits.Writer
	var list repl.Numbers
	for _, m := range []repl.Member{0, 1, 3, 34, 66, 4095} {
		list.Append(&w, m)
	}
	list.End(&w)
	assert.Equal(t, packed("1 1", // 0 and 1
		"0 10000",                   // one is skipped
		"0 01111",                   // 30 are
		"0 11111 0000",              // 31 are
		"0 11111 110 1010101011110", // 31 and 72 and 3925
		"0 00000"), hex.EncodeToString(w.Finish()))
}

// FuzzNumbers reads lists of numbers and fates from arbitrary bytes.
func FuzzNumbers(f *testing.F) {
	f.Add([]byte{0x21, 0x43, 0x00})
	f.Fuzz(func(t *testing.T, b []byte) {
		var r bits.Reader
		r.Reset(b)
		var in, out repl.Numbers
		var w bits.Writer
		for last := -1; ; {
			m, more, ok := in.Read(&r)
			if !ok {
				return
			}
			if !more {
				out.End(&w)
				sameBits(t, b, &r, &w)
				return
			}
			require.Greater(t, int(m), last)
			require.Less(t, int(m), repl.MaxMembers)
			last = int(m)
			fate, ok := repl.ReadFate(&r)
			if !ok {
				return
			}
			require.LessOrEqual(t, fate, repl.Orphaned)
			out.Append(&w, m)
			repl.AppendFate(&w, fate)
		}
	})
}

// Needs are read as they were written, within the bound for which bytes are reserved. As many fit into a room as that bound allows.
func TestNeedsHaveOneEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := entangle.Tick(rapid.Uint32().Draw(t, "now"))
		var all []repl.Need
		for range rapid.IntRange(0, 5).Draw(t, "n") {
			all = append(all, repl.Need{
				Group: repl.Handle(rapid.Uint32Range(0, 2*repl.MaxGroups-1).Draw(t, "group")),
				Tick:  now - entangle.Tick(rapid.Uint32Range(0, 1<<31-1).Draw(t, "age")),
			})
		}
		var w bits.Writer
		repl.AppendNeeds(&w, now, all)
		require.LessOrEqual(t, w.LenBits(), repl.NeedsBits(len(all)))
		var r bits.Reader
		r.Reset(w.Finish())
		got, ok := repl.ReadNeeds(&r, now, nil)
		require.True(t, ok)
		require.Equal(t, all, got)
		require.NoError(t, r.End())

		room := rapid.IntRange(0, repl.NeedsBits(len(all))).Draw(t, "room")
		fit := repl.FittingNeeds(room)
		require.LessOrEqual(t, repl.NeedsBits(fit), room)
		require.Greater(t, repl.NeedsBits(fit+1), room)
	})
	for _, n := range []uint64{0, 100, repl.MaxNeeds + 1, 1 << 60} {
		var w bits.Writer
		w.Bool(true)
		w.Uvarint(n)
		w.Bits(0, 64)
		var r bits.Reader
		r.Reset(w.Finish())
		needs, ok := repl.ReadNeeds(&r, 0, nil)
		assert.False(t, ok)
		assert.Zero(t, cap(needs), "nothing is made for entries that can't be there")
	}
}

// FuzzNeedsAndRefs reads needs and a table of references from any bytes: accepted ones have only
// that encoding.
func FuzzNeedsAndRefs(f *testing.F) {
	f.Add(uint32(10), []byte{0x13, 0x42, 0x10, 0x20})
	f.Fuzz(func(t *testing.T, now uint32, b []byte) {
		var r bits.Reader
		r.Reset(b)
		var w bits.Writer
		needs, ok := repl.ReadNeeds(&r, entangle.Tick(now), nil)
		if !ok {
			return
		}
		repl.AppendNeeds(&w, entangle.Tick(now), needs)
		if refs, ok := repl.ReadRefs(&r, nil); ok {
			w.Uvarint(uint64(len(refs)))
			for _, ref := range refs {
				require.Less(t, ref.ID.Group, 2*repl.Private)
				require.Less(t, int(ref.ID.Member), repl.MaxMembers)
				repl.AppendRef(&w, ref)
			}
			sameBits(t, b, &r, &w)
		}
	})
}

// sameBits checks that the bits read equal the bits written.
func sameBits(t *testing.T, b []byte, r *bits.Reader, w *bits.Writer) {
	t.Helper()
	n := len(b)*8 - r.RemainingBits()
	require.Equal(t, hex.EncodeToString(firstBits(b, n)), hex.EncodeToString(w.Finish()))
}

// two is a source of two components: 8 bits, and an entity.
type two struct{ links map[repl.Slot]repl.Slot }

func (s two) Encode(w *bits.Writer, slot repl.Slot, comp int, refs *repl.RefTable) {
	if comp == 0 {
		w.Bits(0xa0|uint64(slot), 8)
		return
	}
	w.Uvarint(uint64(refs.Index(s.links[slot])))
}

// The bits of the frames, lowest first, as docs/PROTOCOL.md describes them. There are two
// components, so that a set takes two bits.
func TestGoldens(t *testing.T) {
	links := map[repl.Slot]repl.Slot{1: 3}
	w := sender.NewWorld(two{links}, 2)
	p := w.NewPeer()
	says := func(what string, b []byte, text ...string) {
		t.Helper()
		assert.Equal(t, packed(text...), hex.EncodeToString(b), what)
	}
	act := func() []byte {
		b := p.AppendActions(nil, 544)
		p.ActionsSent(1)
		p.HandleDelivered(1)
		return b
	}
	w.Begin(9)
	w.Spawn(0, set.MaskOf(0))
	for s := range repl.Slot(3) {
		w.SpawnAt(1+s, set.MaskOf(0).Or(set.MaskOf(1-min(int(s), 1))), group.Place{Name: 7})
	}
	w.Commit()
	says("fulls of a group of one and of a group of three", act(),
		tick32(9), "0", // no units
		"10 0 0000 0",                  // a full, public, handle 0, generation 0
		"0 0 0",                        // nobody is predicted, no references, no leavers
		"1 10 00000101",                // alone: component 0, 0xa0
		"0 10 0 0000 0",                // a full of the next handle
		"0",                            // nobody is predicted
		"1 0100",                       // one reference:
		"0 0 0100 0 1 0100",            // not the reader's own, public, handle 1, generation 0, member 2
		"0 0",                          // no leavers, not alone
		"1 0 1  1 0 1  1 0 1  0 00000", // 0, 1 and 2 join, not paused, native
		"0 11 10000101 0100",           // of 0, another set than before: 0xa1, and reference 1
		"0 10 01000101  1 11000101",    // of 2, the same set as of 1
		"0 11")                         // the end
	w.Begin(12)
	w.Change(0, []repl.Slot{2})
	w.Change(0, []repl.Slot{0})
	w.Commit()
	says("an update of both, from their actions on", p.AppendUpdates(nil, 1000, 1),
		"0 0 0000 0110 1", "00000", // a run of public groups from 0 on, base 3 ticks ago, none before, padded
		"1 0000 0 10 00000101",            // a plain block: one group, no gaps, component 0
		"1 1 1",                           // another block: the next handle, same base
		"0 0 0",                           // not plain, no references, not alone
		"0 0 10000 10 01000101 0 1 00000", // member 1, another set than before
		"0")                               // the end of the run
	p.HandleAcked(1)
	w.Begin(13)
	w.Move(3, group.Place{})
	w.Despawn(2)
	w.Reshape(1, set.Mask{}, set.MaskOf(1))
	w.SpawnAt(4, set.MaskOf(0), group.Place{Name: 7})
	w.Abandon(0)
	w.Commit()
	says("an end", act(), tick32(13), "0",
		"01 0 0000 0 0001", // gone: handle 0, base 9
		"1 1 01 0 00000",   // member 0 is let go
		"0 11")
	says("a unit: a change with leavers, a join and a change, and a full", act(),
		tick32(13), "1",
		"1 0000 0000 0",              // a part: unit 0, part 0, no needs
		"00 0 0100 0 0100",           // change: handle 1, base 12
		"0 0",                        // of predicting nothing, no references
		"1 0 10000 00  1 10 0 00000", // 1 is despawned, 2 moved
		"0",                          // not alone
		"0 11000 1 0 00000",          // 3 joins, native
		"0 10 00100101",
		"1 1 01 0 1 00000",         // 0 has changed, the set that it was at first: component 1 was removed, no values
		"0 10 0 0000 0",            // a full of the next handle
		"0",                        // nobody is predicted
		"1 0100 0 0 0100 0 1 0100", // one reference: handle 1, member 2
		"0 0",                      // no leavers; not alone, since it is not native
		"1 0 0 0000 0 00000",       // 0 joins, not paused, not native: the first reference
		"0 10 11000101",
		"0 11", "1", "0") // the end of the part, which is the last; no other
	w.Begin(20)
	w.SpawnAt(5, set.MaskOf(0), group.Place{Private: true})
	w.Commit()
	p.Show(5)
	says("a full of a private group", act(), tick32(20), "0", "10 1 0000 0", "0 0 0", "1 10 10100101", "0 11")
	p.Predict(5, true)
	p.Predict(4, true)
	w.Begin(21)
	w.Commit()
	says("predicted entities", act(), tick32(21), "0",
		"00 0 0100 0 10000000",    // change: handle 1, base 8 ticks ago
		"1 0 11000 1 0 00000 0 0", // member 3 is predicted now; no references, no leavers
		"0 0 00000 0 1 00000",     // not alone, nobody joins or has changed
		"0 00 1 0000 0 0100",      // change: private handle 0, base 1 tick ago
		"1 1 1 0 00000 0 0",       // so is member 0; no references, no leavers
		"1 0 00", "0 11")          // alone: nothing removed, nothing changed
	p.Predict(4, false)
	w.Begin(22)
	w.Commit()
	says("no longer predicted", act(), tick32(22), "0", "00 0 0100 0 0100", "1 0 11000 0 0 00000 0 0", "0 0 00000 0 1 00000", "0 11")
	w.Begin(23)
	w.Change(0, []repl.Slot{3, 5})
	w.Commit()
	says("what is predicted, a mark, and the rest", p.AppendUpdates(nil, 1000, 2),
		"0 1 0000 0010 1", "00000", // private handle 0, base 2 ticks ago
		"1 0000 0 10 10100101", "0", "0000000",
		"1 0000 1 0", "0", // part 0, the last, no needs
		"0 0 0010 10010000 1", "0", // public handle 2, base 10 ticks ago
		"1 0000 0 10 11000101", "0", "0000000")
	w.Begin(30)
	w.Spawn(6, set.MaskOf(0))
	w.Commit()
	says("a full of a handle that was used before", act(),
		tick32(30), "0", "10 0 0000 1 0000", // handle 0, generation 1
		"0 0 0", "1 10 01100101", "0 11")
	w.Begin(31)
	w.Spawn(7, set.MaskOf(0))
	w.Spawn(8, set.MaskOf(0))
	w.Commit()
	says("two fulls of which the second is a usual one", act(),
		tick32(31), "0", "10 0 0110 0", "0 0 0", "1 10 11100101", "1 00010101", "0 11")
	w.Begin(32)
	w.Despawn(6)
	w.Despawn(7)
	w.Despawn(8)
	w.Commit()
	says("three ends of which the last is a usual one", act(),
		tick32(32), "0", "01 0 0000 0 0010", "0", "0 01 0 0010 0 0100", "0", "1", "0 11")
	w.Begin(33)
	w.SpawnAt(8, set.MaskOf(0), group.Place{Name: 8})
	w.SpawnAt(9, set.MaskOf(0), group.Place{Name: 8})
	w.Commit()
	w.Begin(40)
	w.Move(9, group.Place{Name: 7})
	w.Commit()
	says("a full and a name of a later generation", act(),
		tick32(40), "0",
		"10 0 0000 1 0100", // a full of handle 0, generation 2
		"0 0 0", "1 10 00010101",
		"0 00 0 0000 0 10010100",        // change: handle 1, base 18 ticks ago
		"0",                             // nobody is predicted
		"1 0100 0 0 0000 1 0100 1 0000", // one reference: handle 0, generation 2, member 1
		"0 0", "0 00100 0 0000 0 00000", // no leavers, not alone; 4 joins, the first reference
		"0 10 10010101", "0 1 00000", "0 11")
}

// tick32 is a tick as 32 bits.
func tick32(t entangle.Tick) string {
	var text []byte
	for i := range 32 {
		text = append(text, '0'+byte(t>>i&1))
	}
	return string(text)
}

// packed turns bits, the lowest of each byte first, into hex.
func packed(texts ...string) string {
	var w bits.Writer
	for _, c := range strings.Join(texts, "") {
		if c != ' ' {
			w.Bool(c == '1')
		}
	}
	return hex.EncodeToString(w.Finish())
}

// A plain block has at most MaxBlock groups, all in the space of its first one. A block that states the
// baseline again that the block before has is malformed.
//
// Proves: G8
func TestBlocksStayWithinTheirBounds(t *testing.T) {
	count := func(first repl.Handle, n int) (ok bool) {
		var w bits.Writer
		repl.AppendCount(&w, n, false)
		u := repl.RunHeads{Tick: 100}
		u.Enter(first, repl.From{Base: 99})
		var r bits.Reader
		r.Reset(w.Finish())
		_, _, ok = u.ReadCount(&r)
		return ok
	}
	assert.True(t, count(0, repl.MaxBlock))
	assert.False(t, count(0, repl.MaxBlock+1))
	for _, end := range []repl.Handle{repl.Private, 2 * repl.Private} {
		assert.True(t, count(end-3, 3))
		assert.False(t, count(end-3, 4), "the last would be in the next space")
	}

	w, u := bits.Writer{}, repl.RunHeads{Tick: 100}
	u.Enter(4, repl.From{Base: 98})
	u.Next(&w, 5, repl.From{Base: 99})
	next := w.Finish()
	for before, valid := range map[entangle.Tick]bool{98: true, 99: false} {
		u.Enter(4, repl.From{Base: before})
		var r bits.Reader
		r.Reset(next)
		var rec repl.Record
		_, ok := u.ReadNext(&r, &rec)
		assert.Equal(t, valid, ok)
	}
}
