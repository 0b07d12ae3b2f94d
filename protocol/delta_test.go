package protocol_test

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// near draws a value that shares much with another.
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

// A difference from a base gives what the whole value would, also where the
// receiver holds the base only as it was decoded.
func TestADifferenceGivesTheWholeValue(t *testing.T) {
	for _, s := range subjects(t) {
		t.Run(s.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				base, refs := s.draw(t), &table{}
				value := s.near(t, base)
				held, whole, got := make([]byte, len(base)), make([]byte, len(base)), make([]byte, len(base))
				s.decode(t, s.encode(base, refs), held, refs)
				s.decode(t, s.encode(value, refs), whole, refs)

				var w, again bits.Writer
				w.Bits(1, 1)
				s.plan.EncodeDelta(&w, &protocol.Bases{Base: base}, value, refs)
				var r bits.Reader
				r.Reset(w.Finish())
				r.Bool()
				skipped := r
				require.NoError(t, s.plan.SkipDelta(&skipped, false))
				require.NoError(t, s.plan.DecodeDelta(&r, &protocol.Bases{Base: held}, got, refs))
				require.Equal(t, r.RemainingBits(), skipped.RemainingBits())
				require.NoError(t, r.End())
				require.True(t, s.plan.Equal(whole, got))
				require.Equal(t, s.encode(whole, refs), s.encode(got, refs))

				again.Bits(1, 1)
				s.plan.EncodeDelta(&again, &protocol.Bases{Base: held}, got, refs)
				require.Equal(t, w.Finish(), again.Finish())
			})
		})
	}
}

func TestADifferenceIsShortWhereLittleChanged(t *testing.T) {
	s := subjectOf[pose](t)
	base := pose{Pos: [3]float32{100, -100, 3}, Rot: [4]float32{0, 0, 0, 1}}
	size := func(change func(*pose)) int {
		v := base
		change(&v)
		var w bits.Writer
		s.plan.EncodeDelta(&w, &protocol.Bases{Base: bytesOf(&base)}, bytesOf(&v), nil)
		return w.LenBits()
	}
	assert.Equal(t, 2, size(func(*pose) {}), "a bit for each field")
	assert.Equal(t, 2+5+5+5, size(func(p *pose) { p.Pos[0] += 0.02 }))
	assert.Equal(t, 2+9+5+5, size(func(p *pose) { p.Pos[0] += 0.3 }))
	assert.Equal(t, 2+18+5+5, size(func(p *pose) { p.Pos[0] = -500 }), "in full, where a step is no shorter")
	assert.Equal(t, 2+1+4+4+8, size(func(p *pose) { p.Rot[2] = 0.02 }))
	assert.Equal(t, 2+1+29, size(func(p *pose) { p.Rot = [4]float32{1, 0, 0, 0} }))
}

// The bytes follow from the package documentation by hand.
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
		s.plan.EncodeDelta(&w, &protocol.Bases{Base: bytesOf(&base)}, bytesOf(&v), nil)
		return hex.EncodeToString(w.Finish())
	}
	assert.Equal(t, "00", write(state{A: 1}, state{A: 1}))
	// 1, then 0102 in full, then three fields that are equal.
	assert.Equal(t, "050200", write(state{}, state{A: 0x0102}))
	// 0; then 1, a step: 0, of -1, zigzag 1, in four bits 0100; 0 and 0: the bits
	// 0 1 0 0100 0 0.
	assert.Equal(t, hexBits("0"+"1"+"0"+"0100"+"0"+"0"), write(state{X: 9}, state{X: 8}))
	// 0, 0; then 1, the first of two is equal, the second 3; then 0.
	assert.Equal(t, hexBits("00"+"1"+"0"+"1"+"11000000"+"0"), write(state{}, state{B: [2]uint8{0, 3}}))
	// A step back over zero: 255 is one step from 0, zigzag 1.
	assert.Equal(t, hexBits("000"+"1"+"0"+"0100"), write(state{}, state{Y: -0.0245}))
}

// hexBits packs bits written in stream order.
func hexBits(stream string) string {
	var w bits.Writer
	for _, b := range stream {
		w.Bool(b == '1')
	}
	return hex.EncodeToString(w.Finish())
}

func TestDifferencesAllocateNothing(t *testing.T) {
	for _, s := range subjects(t) {
		base, value, buf := make([]byte, s.plan.Size()), make([]byte, s.plan.Size()), make([]byte, 0, 1024)
		if len(value) > 0 {
			value[0] = 1
		}
		var w bits.Writer
		var r bits.Reader
		refs := &table{}
		assert.Zero(t, testing.AllocsPerRun(50, func() {
			w.Reset(buf)
			s.plan.EncodeDelta(&w, &protocol.Bases{Base: base}, value, refs)
			r.Reset(w.Finish())
			_ = s.plan.DecodeDelta(&r, &protocol.Bases{Base: base}, value, refs)
			clear(value)
		}), s.name)
	}
}

func TestADifferenceHasOneForm(t *testing.T) {
	s := subjectOf[pose](t)
	base, value := make([]byte, s.plan.Size()), make([]byte, s.plan.Size())
	s.plan.Round(base)
	steps := func(x, y, z int64) func(*bits.Writer) {
		return func(w *bits.Writer) {
			for _, d := range []int64{x, y, z} {
				w.Bool(false)
				w.Varint(d)
			}
		}
	}
	cases := []struct {
		name  string
		write func(w *bits.Writer)
		err   error
	}{
		{"steps", steps(1, -1, 0), nil},
		{"nothing changes", steps(0, 0, 0), protocol.ErrDelta},
		{"a step as long as the index", steps(40000, 0, 0), protocol.ErrDelta},
		{"a step out of range", steps(60000, 0, 0), protocol.ErrRange},
		{"an index where a step is shorter", func(w *bits.Writer) { w.Bool(true); w.Bits(51201, 17); steps(0, 0, 0)(w) }, protocol.ErrDelta},
	}
	for _, c := range cases {
		var w bits.Writer
		w.Bool(true)
		c.write(&w)
		w.Bool(false)
		var r bits.Reader
		r.Reset(w.Finish())
		assert.ErrorIs(t, s.plan.DecodeDelta(&r, &protocol.Bases{Base: base}, value, nil), c.err, c.name)
	}
}

// Proves: G8
func FuzzDecodeDelta(f *testing.F) {
	all := subjects(f)
	for i := range all {
		f.Add(uint8(i), []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, []byte{0xff, 0xfe, 0x10, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	}
	f.Fuzz(func(t *testing.T, which uint8, from, data []byte) {
		s := all[int(which)%len(all)]
		refs := &table{entities: entities(20)}
		base, value := make([]byte, s.plan.Size()), make([]byte, s.plan.Size())
		var r bits.Reader
		r.Reset(from)
		if s.plan.Decode(&r, base, refs) != nil {
			clear(base)
			s.plan.Round(base)
		}
		r.Reset(data)
		skipped := r
		skipErr := s.plan.SkipDelta(&skipped, false)
		if s.plan.DecodeDelta(&r, &protocol.Bases{Base: base}, value, refs) != nil {
			return
		}
		n := len(data)*8 - r.RemainingBits()
		require.NoError(t, skipErr, s.name)
		require.Equal(t, r.RemainingBits(), skipped.RemainingBits(), s.name)
		var read, written bits.Writer
		read.Copy(data, n)
		s.plan.EncodeDelta(&written, &protocol.Bases{Base: base}, value, refs)
		require.Equal(t, n, written.LenBits(), s.name)
		require.Equal(t, read.Finish(), written.Finish(), s.name)
	})
}
