package wire_test

import (
	"math"
	"reflect"
	"testing"
	"unsafe"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/wire"
)

// The types of the property and fuzz tests: every kind of field, nested and in arrays, with
// padding, unexported and blank fields.
type (
	plain struct {
		A uint8
		B uint32
		C int16
		D float64
		E float32
	}
	packedBytes struct{ Data [37]byte }
	flags       struct {
		On, Off bool
		Many    [5]bool
	}
	ranged struct {
		Health int16  `net:"range=0..100"`
		Wide   int64  `net:"range=-9223372036854775808..9223372036854775807"`
		Big    uint64 `net:"range=5..18446744073709551615"`
		Few    int8   `net:"range=-3..-1"`
		Int    int    `net:"range=-1000..1000"`
		Uint   uint   `net:"range=7..9"`
	}
	platform struct {
		I int
		U uint
		M [3]int
	}
	quantised struct {
		Pos    [3]float32 `net:"range=-512..512,step=0.01"`
		Uneven float32    `net:"range=0.1..1.3,step=0.25"`
		Fine   float64    `net:"range=-1e6..1e6,step=1e-6"`
		Long   [7]float32 `net:"range=0..1,step=0.001"`
		Plane  [2]float64 `net:"range=-1..1,step=0.5"`
	}
	angles struct {
		Yaw    float32    `net:"angle"`
		Fine   float64    `net:"angle,step=0.00001"`
		Coarse [3]float32 `net:"angle,bits=3"`
		Third  float32    `net:"angle,step=2.0943951023931953"`
	}
	xyzw  struct{ X, Y, Z, W float64 }
	wxyz  struct{ W, X, Y, Z float32 }
	quats struct {
		A [4]float32 `net:"quat"`
		B xyzw       `net:"quat,bits=16"`
		C [2]wxyz    `net:"quat,bits=3"`
	}
	inner struct {
		hidden uint16 //nolint:unused // plans go by memory: what nobody names travels too
		Near   bool
		_      uint32
		Speed  float32 `net:"range=-8..8,step=0.125"`
	}
	nested struct {
		First  inner
		Second [9]inner
		Grid   [2][3]inner
		Cache  [3]uint64 `net:"-"`
		Last   uint8
	}
	links struct {
		Target ecs.Entity
		Slots  [4]struct {
			Item  ecs.Entity
			Count uint8 `net:"range=0..99"`
		}
	}
	complexes struct {
		A complex64
		B complex128 `net:"range=-1..1,step=0.01"`
	}
	button struct {
		Move [2]float32 `net:"range=-1..1,step=0.05"`
		Fire bool       `net:"event"`
		Jump uint8      `net:"event,range=0..3"`
	}
	empty      struct{}
	withEntity struct{ Other ecs.Entity }
)

// subject is a component type with the functions that the property tests need.
type subject struct {
	name string
	plan *wire.Plan
	draw func(t *rapid.T) []byte
}

func subjectOf[T any](t testing.TB) subject {
	plan, err := wire.ComponentPlan[T]()
	require.NoError(t, err)
	return subject{reflect.TypeFor[T]().String(), plan, func(t *rapid.T) []byte {
		v := new(T)
		fill(t, reflect.ValueOf(v).Elem())
		return bytesOf(v)
	}}
}

func subjects(t testing.TB) []subject {
	return []subject{
		subjectOf[plain](t), subjectOf[packedBytes](t), subjectOf[flags](t), subjectOf[ranged](t), subjectOf[platform](t),
		subjectOf[quantised](t), subjectOf[angles](t), subjectOf[quats](t), subjectOf[nested](t), subjectOf[links](t),
		subjectOf[complexes](t), subjectOf[button](t), subjectOf[empty](t), subjectOf[pose](t), subjectOf[float32](t), subjectOf[[3]uint16](t),
	}
}

// bytesOf returns the memory of a value.
func bytesOf[T any](v *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

// memoryOf returns the memory of a slice of values.
func memoryOf[T any](v []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(zero)))
}

// fill draws a value, including its unexported fields.
func fill(t *rapid.T, v reflect.Value) {
	if !v.CanSet() {
		v = reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
	}
	if e, ok := v.Addr().Interface().(*ecs.Entity); ok {
		*e = rapid.SampledFrom(entities(9)).Draw(t, "entity")
		if rapid.Bool().Draw(t, "zero") {
			*e = ecs.Entity{}
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), rapid.IntRange(0, 5).Draw(t, "len"), 5))
		for i := range v.Len() {
			fill(t, v.Index(i))
		}
	case reflect.String:
		v.SetString(rapid.StringN(0, 20, 40).Draw(t, "string"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(drawFloat(t))
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(complex(drawFloat(t), drawFloat(t)))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "int") >> rapid.UintRange(0, 63).Draw(t, "shift"))
	default:
		v.SetUint(rapid.Uint64().Draw(t, "uint") >> rapid.UintRange(0, 63).Draw(t, "shift"))
	}
}

// drawFloat prefers values in the ranges of the types above, and the ends of these ranges.
func drawFloat(t *rapid.T) float64 {
	return rapid.OneOf(
		rapid.Float64Range(-600, 600), rapid.Float64Range(-1.5, 1.5), rapid.Float64(),
		rapid.SampledFrom([]float64{
			0, math.Copysign(0, -1), 1, -1, 512, -512, 0.1, 1.3, math.Pi, -math.Pi, math.Sqrt2 / 2, -math.Sqrt2 / 2, 0.5, -0.5,
			math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat32, 1e300, math.SmallestNonzeroFloat64,
		}),
	).Draw(t, "float")
}

// table numbers entities in the same way on both sides.
type table struct{ entities []ecs.Entity }

func (t *table) Index(e ecs.Entity) uint32 {
	for i, have := range t.entities {
		if have == e {
			return uint32(i + 1)
		}
	}
	t.entities = append(t.entities, e)
	return uint32(len(t.entities))
}

func (t *table) At(index uint32) (ecs.Entity, bool) {
	if index > uint32(len(t.entities)) {
		return ecs.Entity{}, false
	}
	return t.entities[index-1], true
}

// entities returns n different entities.
func entities(n int) []ecs.Entity {
	w := ecs.NewWorld()
	out := make([]ecs.Entity, n)
	for i := range out {
		out[i] = w.NewEntity()
	}
	return out
}

type aim struct{ A, B, C ecs.Entity }
