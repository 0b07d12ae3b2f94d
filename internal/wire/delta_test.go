package wire_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// near draws a value that has much in common with another.
func (s subject) near(t *rapid.T, base []byte) []byte {
	v := bytes.Clone(base)
	other := s.draw(t)
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		if len(v) >= 8 {
			at := rapid.IntRange(0, len(v)/8-1).Draw(t, "word") * 8
			copy(v[at:at+8], other[at:])
		}
	}
	return v
}

// bases draws the baselines of a value, as the sender has them, and as the receiver has them, after
// decoding.
func (s subject) bases(t *rapid.T, refs *table) (sent, held wire.Bases) {
	decoded := func(value []byte) []byte {
		got := make([]byte, len(value))
		s.decode(t, s.encode(value, refs), got, refs)
		return got
	}
	sent.Base = s.draw(t)
	if rapid.Bool().Draw(t, "moves") {
		sent.Older = s.near(t, sent.Base)
		sent.Ahead = rapid.Uint32Range(0, 9).Draw(t, "ahead")
		sent.Between = rapid.Uint32Range(1, 9).Draw(t, "apart")
	}
	held = sent
	held.Base = decoded(sent.Base)
	if sent.Older != nil {
		held.Older = decoded(sent.Older)
	}
	return sent, held
}

// A difference gives the same value as the whole value would, also if the receiver has the
// baselines only as it decoded them. Several values of a record are written one after the other. A
// reader without baselines skips to the same position.
//
// Proves: R30
func TestADifferenceGivesTheWholeValue(t *testing.T) {
	for _, s := range subjects(t) {
		t.Run(s.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				var w, again bits.Writer
				var sending, resending, receiving, skipping stepcode.Trail
				refs := &table{}
				w.Bits(1, 1)
				again.Bits(1, 1)
				for range 3 {
					sent, held := s.bases(t, refs)
					value := s.near(t, sent.Base)
					whole, got := make([]byte, len(value)), make([]byte, len(value))
					s.decode(t, s.encode(value, refs), whole, refs)

					at := w.LenBits()
					sent.Trail = &sending
					s.plan.EncodeDelta(&w, &sent, value, refs)
					r := readerAt(&w, at)
					skipper := r
					held.Trail = &receiving
					require.NoError(t, s.plan.DecodeDelta(&r, &held, got, refs))
					require.NoError(t, s.plan.SkipDelta(&skipper, &skipping))
					require.Equal(t, skipper.RemainingBits(), r.RemainingBits())
					require.Less(t, r.RemainingBits(), 8)
					require.True(t, s.plan.Equal(whole, got))
					require.Equal(t, s.encode(whole, refs), s.encode(got, refs))

					held.Trail = &resending
					s.plan.EncodeDelta(&again, &held, got, refs)
				}
				require.Equal(t, w.Finish(), again.Finish())
			})
		})
	}
}

// readerAt returns a reader of the bits in w from a given one on.
func readerAt(w *bits.Writer, at int) (r bits.Reader) {
	r.Reset(finished(w))
	r.Skip(uint(at))
	return r
}

func TestADifferenceIsShortWhereLittleChanged(t *testing.T) {
	s := subjectOf[pose](t)
	base := pose{Pos: [3]float32{100, -100, 3}, Rot: [4]float32{0, 0, 0, 1}}
	size := func(change func(*pose)) int {
		v := base
		change(&v)
		var w bits.Writer
		s.plan.EncodeDelta(&w, &wire.Bases{Base: bytesOf(&base)}, bytesOf(&v), nil)
		return w.LenBits()
	}
	assert.Equal(t, 4+1+1+2, size(func(*pose) {}), "three numbers at rest, and a rotation that is alike")
	assert.Equal(t, (3+1+1)+2+2+2, size(func(p *pose) { p.Pos[0] += 0.02 }))
	assert.Equal(t, (3+1+4)+4+4+2, size(func(p *pose) { p.Pos[0] += 0.3 }))
	assert.Equal(t, (4+6+17)+4+4+2, size(func(p *pose) { p.Pos[0] = -500 }), "in full, where it is far")
	assert.Equal(t, 4+1+1+(1+1+1+4+1+2), size(func(p *pose) { p.Rot[2] = 0.02 }))
	assert.Equal(t, 4+1+1+(4+29), size(func(p *pose) { p.Rot = [4]float32{0.5, -0.5, 0.5, 0.5} }))
}

// A value that moves as its two baselines predict takes as few bits as one that rests.
func TestADifferenceKnowsHowTheValueMoves(t *testing.T) {
	s := subjectOf[pose](t)
	at := func(ticks float64) []byte {
		sin, cos := math.Sincos(ticks / 10)
		return bytesOf(&pose{
			Pos: [3]float32{float32(ticks), float32(3 - ticks), 0},
			Rot: [4]float32{float32(sin * 0.6), float32(sin * 0.8), 0, float32(cos)},
		})
	}
	for _, c := range []struct{ older, base, value float64 }{{0, 3, 6}, {0, 2, 3}, {1, 2, 5}} {
		var w bits.Writer
		s.plan.EncodeDelta(&w, &wire.Bases{
			Base: at(c.base), Older: at(c.older), Ahead: uint32(c.value - c.base), Between: uint32(c.base - c.older),
		}, at(c.value), nil)
		assert.LessOrEqual(t, w.LenBits(), 4+1+1+13, "%v: rounding of the bases shows in a few small steps of the rotation", c)
	}
}

// A record may begin with a new trail or without one.
func TestANewTrailIsNone(t *testing.T) {
	for _, s := range subjects(t) {
		rapid.Check(t, func(t *rapid.T) {
			from, _ := s.bases(t, &table{})
			value := s.near(t, from.Base)
			var with, without bits.Writer
			s.plan.EncodeDelta(&without, &from, value, &table{})
			from.Trail = &stepcode.Trail{}
			s.plan.EncodeDelta(&with, &from, value, &table{})
			require.Equal(t, without.Finish(), with.Finish())
		})
	}
}

// The bytes were worked out by hand from the package documentation.
func TestGoldenDifferences(t *testing.T) {
	type state struct {
		A uint16
		X int16 `net:"range=0..1000"`
		B [2]uint8
		Y float32 `net:"angle,bits=8"`
	}
	s := subjectOf[state](t)
	write := func(base, v state) string {
		var w bits.Writer
		s.plan.EncodeDelta(&w, &wire.Bases{Base: bytesOf(&base)}, bytesOf(&v), nil)
		return hex.EncodeToString(w.Finish())
	}
	const usual, rests = "1", "1010" // where no class is expected, 1010 is class 0
	assert.Equal(t, hexBits(usual+rests), write(state{A: 1}, state{A: 1}))
	// Not a usual value; A in full, two fields that have not changed.
	assert.Equal(t, hexBits("0"+"1"+"0100000010000000"+"0"+"0"+rests), write(state{}, state{A: 0x0102}))
	// X is one step of class 1 lower: 000, and the sign 1.
	assert.Equal(t, hexBits("0"+"0"+"1"+"000"+"1"+"0"+rests), write(state{X: 9}, state{X: 8}))
	// A and X have not changed: 0, 0. B has: 1. Its first element has not, its second is 3.
	assert.Equal(t, hexBits("0"+"00"+"1"+"0"+"1"+"11000000"+rests), write(state{}, state{B: [2]uint8{0, 3}}))
	// A step back over zero: 255 is one step from 0.
	assert.Equal(t, hexBits(usual+"000"+"1"), write(state{}, state{Y: -0.0245}))
	// From 0 to 100 of 256 is more than 63 steps, so it is written in full.
	assert.Equal(t, hexBits(usual+"1111"+"111111"+"00100110"), write(state{}, state{Y: 100 * math.Pi / 128}))
}

// With a trail, a value that continues to move like the previous one takes few bits.
func TestGoldenTrail(t *testing.T) {
	type spot struct {
		X, Y float32 `net:"range=-100..100,step=1"`
	}
	s := subjectOf[spot](t)
	var trail stepcode.Trail
	var w bits.Writer
	for _, v := range []spot{{-9, 1}, {-12, 1}, {15, 0}} {
		s.plan.EncodeDelta(&w, &wire.Bases{Base: bytesOf(&spot{}), Trail: &trail}, bytesOf(&v), nil)
	}
	// -9 is of class 4: 011, its sign 1, and 001 below the highest bit. 1 is of class 1, which is
	// two below the class 3 that is expected after class 4: 000, its sign 0.
	first := "011" + "1" + "100" + "000" + "0"
	// -12 has the expected class and sign: 0, and 100 below the highest bit. 1 does too: 01, where
	// class 1 is expected.
	second := "0" + "001" + "01"
	// 15 has the expected class but not the sign: 111010. Then follows zero where 1 is expected.
	third := "111010" + "111" + "00"
	assert.Equal(t, hexBits(first+second+third), hex.EncodeToString(w.Finish()))
}

// The expected value that follows from two baselines is the same on all machines.
func TestGoldenMotion(t *testing.T) {
	s := subjectOf[pose](t)
	values := []pose{
		{Pos: [3]float32{0, 100, -512}, Rot: [4]float32{0, 0, 0, 1}},
		{Pos: [3]float32{1.11, 99.5, -512}, Rot: [4]float32{0.1, -0.2, 0.05, 0.9}},
		{Pos: [3]float32{3, 98.4, -500}, Rot: [4]float32{0.3, -0.5, 0.3, -0.6}},
		{Pos: [3]float32{300, 98.4, 512}, Rot: [4]float32{0.3, -0.5, 0.31, 0.29}},
		{Pos: [3]float32{299, 98.4, 511}, Rot: [4]float32{0.3, -0.46, 0.34, 0.29}},
		{Pos: [3]float32{297.5, 98.5, 509}, Rot: [4]float32{0.29, -0.41, 0.38, 0.3}},
		{Pos: [3]float32{295.1, 98.7, 506}, Rot: [4]float32{0.29, -0.35, 0.41, 0.3}},
		{Pos: [3]float32{292.2, 99.2, 502}, Rot: [4]float32{0.27, -0.31, 0.45, 0.32}},
	}
	var w bits.Writer
	for i := range values {
		for _, ticks := range [][2]uint32{{6, 6}, {1, 3}, {7, 2}, {40, 3}} {
			from := wire.Bases{
				Older: bytesOf(&values[i]), Base: bytesOf(&values[(i+1)%len(values)]), Ahead: ticks[0], Between: ticks[1],
			}
			s.plan.EncodeDelta(&w, &from, bytesOf(&values[(i+2)%len(values)]), nil)
		}
	}
	assert.Equal(t, "c351fe17b0cc8594175a18ed0e2c7321e58536528203cb5c4879a15f2e242d0c96b990f242ff389affc1fd3f00e4898c"+
		"9b34ff289ebfa1fc1f00f244c64d9a7fb8c53f11f87f00c813193769fec1a2aeddfe0f007922e326cd3f69a6f9471245"+
		"eb77429cf9471245eb7fd24cf38f248ad6ffa499e61f4914adbb242549656ad6a03c61b8c6422e99e5636cf22f3ef904"+
		"591b78be9c1ac849afc6ed83f0f42de0d0e9786f901c9137f805b83b8e9f9c60cf76299e24394bb79456b230b0e15798"+
		"78c914b130dfea195edb5983300b59f74f81f817fcff0000e67ffffefd7338fe86ff7f0000f3bf7ffffed9e2fee3f77f"+
		"0000f3bf7ffffe9930be4bfe0f0060fef7efdf3f26e58f148c38edd8bc63cffc6333e2b463f3ff1bb29f541a71dab1f9"+
		"ff0dd9ee62c469c706", hex.EncodeToString(w.Finish()))
}

// hexBits packs bits written in stream order.
func hexBits(stream string) string { return hex.EncodeToString(packBits(stream)) }

func packBits(stream string) []byte {
	var w bits.Writer
	for _, b := range stream {
		w.Bool(b == '1')
	}
	return w.Finish()
}

// Differences of any values allocate nothing.
func TestDifferencesAllocateNothing(t *testing.T) {
	for _, s := range subjects(t) {
		for seed := range 10 {
			if s.plan.Size() == 0 {
				continue // there is no value to draw
			}
			drawn := rapid.Custom(s.draw)
			base, value, buf := drawn.Example(2*seed), drawn.Example(2*seed+1), make([]byte, 0, 1024)
			into := make([]byte, s.plan.Size())
			s.plan.Round(base)
			var w bits.Writer
			var r bits.Reader
			refs := &table{}
			count := alloctest.Count(50, func() {
				refs.entities = refs.entities[:0]
				w.Reset(buf)
				s.plan.EncodeDelta(&w, &wire.Bases{Base: base}, value, refs)
				r.Reset(w.Finish())
				_ = s.plan.DecodeDelta(&r, &wire.Bases{Base: base}, into, refs)
			})
			assert.Zero(t, count, s.name)
		}
	}
}

// Proves: G8
func TestADifferenceHasOneForm(t *testing.T) {
	const rest, alike = "1010" + "0" + "0", "10"
	cases := []struct {
		name, bits string
		err        error
	}{
		{"steps", "000" + "0" + "10" + "1" + "0" + alike, nil},
		{"at rest", rest + alike, nil},
		{"a class far that has a code", "1111" + "100000" + "0" + "0" + "0" + alike, stepcode.ErrDelta},
		{"a class below 0", "011" + "0" + "000" + "11110" + "0" + alike, stepcode.ErrDelta},
		{"a step as long as a quarter of the indexes", "1111" + "000010" + "0" + "000000000000000" + rest, stepcode.ErrDelta},
		{"a step out of range", "1111" + "111100" + "0" + "11111111111111" + rest, wire.ErrRange},
		{"an index where a step is written", "1111" + "111111" + "10000100011010001" + rest, stepcode.ErrDelta},
		{"an index out of range", "1111" + "111111" + "11111111111111111" + rest, wire.ErrRange},
		{"a rotation by no steps", rest + "0" + "000", stepcode.ErrDelta},
		{"a rotation in full where steps are written", rest + "1100" + "11" + "000000001" + "111111110" + "111111110", stepcode.ErrDelta},
		{"a rotation in place of a step", rest + "0" + "11111111" + "111111", stepcode.ErrDelta},
		{"a rotation in full beyond what rotations are", rest + "1100" + "00" + "111111111" + "000000000" + "000000000", wire.ErrRange},
		{"nothing is left", "1010", bits.ErrShort},
	}
	s := subjectOf[pose](t)
	base, value := make([]byte, s.plan.Size()), make([]byte, s.plan.Size())
	(*pose)(unsafe.Pointer(&base[0])).Pos[0] = 200
	s.plan.Round(base)
	for _, c := range cases {
		var r bits.Reader
		r.Reset(packBits(c.bits))
		assert.ErrorIs(t, s.plan.DecodeDelta(&r, &wire.Bases{Base: base}, value, nil), c.err, c.name)
	}
}

// A usual value has the bit 1, and a value with the bit 1 is usual.
func TestAUsualDifferenceSaysSo(t *testing.T) {
	s := subjectOf[struct {
		On  bool
		Pos float32 `net:"range=-100..100,step=1"`
		Hp  uint8
	}](t)
	base, value := make([]byte, s.plan.Size()), make([]byte, s.plan.Size())
	for _, c := range []struct {
		bits string
		err  error
	}{
		{"1" + "1010", nil},
		{"0" + "1" + "1" + "1010" + "0", nil},
		{"0" + "0" + "1010" + "0", stepcode.ErrDelta},
	} {
		var r, skipper bits.Reader
		r.Reset(packBits(c.bits))
		skipper.Reset(packBits(c.bits))
		assert.ErrorIs(t, s.plan.DecodeDelta(&r, &wire.Bases{Base: base}, value, nil), c.err)
		assert.ErrorIs(t, s.plan.SkipDelta(&skipper, nil), c.err)
	}
}

// Baselines that make no sense can be used nevertheless, because both sides compute with the same
// numbers.
func TestStrangeBasesAreBases(t *testing.T) {
	nan, far := float32(math.NaN()), float32(math.Inf(1))
	values := []pose{
		{},
		{Pos: [3]float32{nan, far, -far}, Rot: [4]float32{nan, 0, 0, 0}},
		{Pos: [3]float32{1e30, -512, 512}, Rot: [4]float32{far, 0, 0, 1}},
		{Pos: [3]float32{512, 512, -512}, Rot: [4]float32{-1, 0, 0, 0}},
	}
	s := subjectOf[pose](t)
	for _, ticks := range [][2]uint32{{0, 0}, {1, 0}, {1, 1}, {1 << 31, 1}, {1, 1 << 31}, {math.MaxUint32, math.MaxUint32}, {7, 2}} {
		for i := range values {
			older, base, value := values[i], values[(i+1)%len(values)], values[(i+2)%len(values)]
			from := wire.Bases{Base: bytesOf(&base), Older: bytesOf(&older), Ahead: ticks[0], Between: ticks[1]}
			var w bits.Writer
			s.plan.EncodeDelta(&w, &from, bytesOf(&value), nil)
			var r bits.Reader
			r.Reset(w.Finish())
			var got pose
			require.NoError(t, s.plan.DecodeDelta(&r, &from, bytesOf(&got), nil))
			assert.True(t, s.plan.Equal(bytesOf(&value), bytesOf(&got)))
		}
	}
}

// Proves: G8
func FuzzDecodeDelta(f *testing.F) {
	all := subjects(f)
	for i := range all {
		f.Add(uint8(i), uint8(i), []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, []byte{0xff, 0xfe, 0x10, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	}
	f.Fuzz(func(t *testing.T, which, ticks uint8, from, data []byte) {
		s := all[int(which)%len(all)]
		refs := &table{entities: entities(20)}
		var r bits.Reader
		r.Reset(from)
		base := wire.Bases{Base: s.some(&r, refs), Ahead: uint32(ticks >> 4), Between: uint32(ticks & 15)}
		if base.Between > 0 {
			base.Older = s.some(&r, refs)
		}
		var reading, skipping, writing stepcode.Trail
		var written bits.Writer
		r.Reset(data)
		skipper := r
		for range 3 {
			value, before := make([]byte, s.plan.Size()), written.LenBits()
			skipped := s.plan.SkipDelta(&skipper, &skipping)
			base.Trail = &reading
			if s.plan.DecodeDelta(&r, &base, value, refs) != nil {
				return
			}
			require.NoError(t, skipped, s.name)
			require.Equal(t, r.RemainingBits(), skipper.RemainingBits(), s.name)

			base.Trail = &writing
			s.plan.EncodeDelta(&written, &base, value, refs)
			require.Equal(t, len(data)*8-r.RemainingBits(), written.LenBits(), s.name)
			require.Equal(t, stretch(data, before, written.LenBits()), stretch(finished(&written), before, written.LenBits()), s.name)
		}
	})
}

// some returns a value decoded from r, or zero.
func (s subject) some(r *bits.Reader, refs *table) []byte {
	value := make([]byte, s.plan.Size())
	if s.plan.Decode(r, value, refs) != nil {
		clear(value)
		s.plan.Round(value)
	}
	return value
}

func finished(w *bits.Writer) []byte {
	written := *w
	return bytes.Clone(written.Finish())
}

// stretch returns the bits from one to before another.
func stretch(data []byte, from, to int) []byte {
	var r bits.Reader
	r.Reset(data)
	r.Skip(uint(from))
	got := make([]byte, (to-from+7)/8)
	r.Copy(got, to-from)
	return got
}
