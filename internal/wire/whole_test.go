package wire_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// wholes has an integer of each type that is sent in a short form if it is small.
type wholes struct {
	A int32
	B uint32
	C int64
	D uint64
	E int
	F uint
}

// wholeBits returns how many bits a number takes that is sent as v and has n bits in memory.
func wholeBits(v uint64, n int) int {
	switch {
	case v < 4:
		return 4
	case v < 260:
		return 10
	case v < 260+1<<20:
		return 22
	default:
		return 2 + n
	}
}

func zigzag(v int64) uint64 {
	if v < 0 {
		return uint64(-(v+1))*2 + 1
	}
	return uint64(v) * 2
}

// A small number takes few bits, and no number more than two bits over its size in memory.
//
// Proves: G3
func TestSmallIntegersAreShort(t *testing.T) {
	plan, err := wire.ValuePlan[wholes]()
	require.NoError(t, err)
	assert.Equal(t, 2*34+4*66, plan.MaxBits())
	assert.Equal(t, "up to 332 bits", plan.Width())
	rapid.Check(t, func(t *rapid.T) {
		n := func() uint64 { return rapid.Uint64().Draw(t, "n") >> rapid.IntRange(0, 63).Draw(t, "shift") }
		v := wholes{int32(n()), uint32(n()), int64(n()), n(), int(n()), uint(n())}
		if rapid.Bool().Draw(t, "negative") {
			v.A, v.C, v.E = ^v.A, ^v.C, ^v.E
		}
		var w bits.Writer
		require.NoError(t, wire.EncodeValue(plan, &w, &v, nil))
		want := wholeBits(zigzag(int64(v.A)), 32) + wholeBits(uint64(v.B), 32) + wholeBits(zigzag(v.C), 64) + wholeBits(v.D, 64)
		want += wholeBits(zigzag(int64(v.E)), 64) + wholeBits(uint64(v.F), 64)
		require.Equal(t, want, w.LenBits())
		var r bits.Reader
		r.Reset(w.Finish())
		var got wholes
		require.NoError(t, wire.DecodeValue(plan, &r, &got, nil))
		require.NoError(t, r.End())
		require.Equal(t, v, got)
	})
}

// A number that is written in full although it has a shorter form is malformed, in a value and in a
// difference, and so is one that is cut off.
//
// Proves: G8
func TestALongFormIsMalformed(t *testing.T) {
	plan := planOf[struct{ N uint64 }](t)
	base, value := make([]byte, 8), make([]byte, 8)
	for _, c := range []struct {
		n    uint64
		bits uint
		err  error
	}{{0, 64, bits.ErrLong}, {259, 64, bits.ErrLong}, {1<<20 + 259, 64, bits.ErrLong}, {1<<20 + 260, 64, nil}, {math.MaxUint64, 64, nil}, {math.MaxUint64, 61, bits.ErrShort}} {
		var w bits.Writer
		w.Bits(1, 1) // in a difference: it changed
		w.Bits(3, 2)
		w.Bits(c.n, c.bits)
		data := w.Finish()
		reader := func() *bits.Reader {
			var r bits.Reader
			r.Reset(data)
			return &r
		}
		plain := reader()
		plain.Bool()
		assert.ErrorIs(t, plan.Decode(plain, value, nil), c.err)
		assert.ErrorIs(t, plan.DecodeDelta(reader(), &wire.Bases{Base: base}, value, nil), c.err)
		assert.ErrorIs(t, plan.SkipDelta(reader(), nil), c.err)
	}
}
