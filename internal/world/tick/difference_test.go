package tick

import (
	"math"
	"testing"
	"unsafe"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type compared struct {
	Flag bool // followed by three bytes of padding
	Pos  struct {
		X, Y float32 `net:"range=-100..100,step=0.5"`
	}
	List [3]struct{ A, B int16 }
	Who  ecs.Entity
	_    int32
	Own  int32 `net:"-"`
}

func comparedBytes(set func(*compared)) []byte {
	v := new(compared)
	set(v)
	return append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))...)
}

// The path leads to the innermost field, and with a plan to a field that differs on the wire.
func TestADifferenceIsTheInnermostField(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "difference"})
	protocol.Component[compared](p)
	require.NoError(t, registry.Seal(p))
	info := registry.Of(p).Components[0]
	zero := comparedBytes(func(*compared) {})
	for _, c := range []struct {
		set         func(*compared)
		field, a, b string
		more        int
	}{
		{func(v *compared) { v.Flag = true }, "compared.Flag", "false", "true", 0},
		{func(v *compared) { v.Pos.Y = 2.5 }, "compared.Pos.Y", "0", "2.5", 0},
		{func(v *compared) { v.Pos.X, v.Pos.Y = 0.1, 0.5 }, "compared.Pos.Y", "0", "0.5", 0},
		{func(v *compared) { v.Pos.X = 0.1 }, "compared.Pos.X", "0", "0.1", 0},
		{func(v *compared) { v.List[2].B, v.List[1].A, v.Own = 7, -7, 9 }, "compared.List[1].A", "0", "-7", 1},
		{func(v *compared) { v.Own = 9 }, "compared.Own", "0", "9", 0},
		{func(v *compared) {}, "", "", "", 0},
	} {
		b := comparedBytes(c.set)
		assert.Equal(t, Difference{c.field, c.a, c.b, c.more}, FindDifference(info.Type, info.Plan, zero, b))
	}
}

// Padding is no difference, and different values with the same text are told apart.
func TestDifferencesThatDoNotShow(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "difference"})
	protocol.Component[compared](p)
	require.NoError(t, registry.Seal(p))
	typ := registry.Of(p).Components[0].Type
	a, b := comparedBytes(func(*compared) {}), comparedBytes(func(*compared) {})
	b[1] = 1
	assert.Empty(t, FindDifference(typ, nil, a, b).Field)
	nan := func(bits uint32) []byte {
		return comparedBytes(func(v *compared) { v.Pos.X = math.Float32frombits(bits) })
	}
	d := FindDifference(typ, nil, nan(0x7fc00001), nan(0x7fc00002))
	assert.Equal(t, "compared.Pos.X", d.Field)
	assert.NotEqual(t, d.A, d.B)
}
