package wire_test

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

func hexOf[T any](t *testing.T, v T) string {
	plan, err := wire.ValuePlan[T]()
	require.NoError(t, err)
	var w bits.Writer
	require.NoError(t, wire.EncodeValue(plan, &w, &v, &table{}))
	out := w.Finish()

	var back T
	var r bits.Reader
	r.Reset(out)
	require.NoError(t, wire.DecodeValue(plan, &r, &back, &table{entities: entities(9)}))
	require.NoError(t, r.End())
	return hex.EncodeToString(out)
}

// The bytes were worked out by hand from the package documentation. They are the same on all
// machines.
//
// Proves: G3, G9
func TestGoldenValues(t *testing.T) {
	type numbers struct {
		A uint8
		B int16
		C float32
	}
	// 01, then -2 as fffe, then 1.0 as 3f800000, least significant byte first.
	assert.Equal(t, "01feff0000803f", hexOf(t, numbers{1, -2, 1}))

	type platform struct {
		I int
		U uint
	}
	// -1 is sent as 1. Both have the form 0: 0100 and 1100.
	assert.Equal(t, "c4", hexOf(t, platform{-1, 3}))
	// -131 is sent as 261, the second number of form 2: 1 << 2 | 2, in 22 bits. 259 is the last of form 1:
	// 255 << 2 | 1, in 10 bits.
	assert.Equal(t, "060040ff", hexOf(t, platform{-131, 259}))
	// 2^20 + 260 is the first number of form 3: 3, and then the number in 64 bits, or in 32.
	assert.Equal(t, "1304400000000000"+"00", hexOf(t, struct{ U uint64 }{1<<20 + 260}))
	assert.Equal(t, "1304400000", hexOf(t, struct{ U uint32 }{1<<20 + 260}))

	type small struct {
		On    bool
		Level int8  `net:"range=-1..6"`    // 3 bits
		Hits  int16 `net:"range=100..200"` // 7 bits
		Off   bool
	}
	// 1, then 6-(-1) = 7 as 111, then 101-100 = 1 as 1000000, then 0: the bits
	// in order are 1111 1000 0000, the lowest of each byte first.
	assert.Equal(t, "1f00", hexOf(t, small{true, 6, 101, false}))
	assert.Equal(t, "0108", hexOf(t, small{true, -1, 100, true}))

	type coarse struct {
		X float32 `net:"range=-2..2,step=0.5"` // 8 steps, 9 values, 4 bits
		Y float64 `net:"range=0..1,step=0.25"` // 4 steps, 5 values, 3 bits
	}
	// X: (-2+2)/0.5 = 0 and (2+2)/0.5 = 8. Y: 0.75/0.25 = 3. So 8 | 3<<4 = 38.
	assert.Equal(t, "38", hexOf(t, coarse{2, 0.75}))
	assert.Equal(t, "00", hexOf(t, coarse{-2, 0}))

	type heading struct {
		Yaw float32 `net:"angle,bits=8"`
	}
	// A quarter turn is 64 of 256 steps; a quarter back is 192.
	assert.Equal(t, "40", hexOf(t, heading{1.5707964}))
	assert.Equal(t, "c0", hexOf(t, heading{-1.5707964}))

	type turned struct {
		Rot [4]float32 `net:"quat"`
	}
	// The identity: w, at position 3, is largest. x, y and z are 0, which is sent as 255 in 9 bits
	// each: 3 | 255<<2 | 255<<11 | 255<<20 = 0ff7fbff.
	assert.Equal(t, "fffbf70f", hexOf(t, turned{[4]float32{0, 0, 0, 1}}))
	// Half a turn around x: position 0, and the same zeros.
	assert.Equal(t, "fcfbf70f", hexOf(t, turned{[4]float32{-1, 0, 0, 0}}))

	type phrase struct {
		Text string
		List []uint16 `net:"max=9"`
		Raw  []byte
	}
	// Lengths are Uvarints. 2 is 0100 (04 in four bits), so the bytes of the text are shifted by
	// half a byte: 4, 68, 69 -> 84, 96, 6. Then 1 is 0010: 2, and 0x0203 is byte-aligned, and the
	// length 0 takes four bits.
	assert.Equal(t, "849626030200", hexOf(t, phrase{"hi", []uint16{0x0203}, nil}))

	// An entity is sent as its index in the table, a Uvarint: first the zero entity, then index 1
	// twice.
	assert.Equal(t, "2002", hexOf(t, aim{B: entities(1)[0], C: entities(1)[0]}))
}
