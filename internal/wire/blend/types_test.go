package blend_test

import (
	"math"
	"reflect"
	"unsafe"

	"pgregory.net/rapid"
)

type (
	plain struct {
		A uint8
		B uint32
		C int16
		D float64
		E float32
	}
	wxyz       struct{ W, X, Y, Z float32 }
	withString struct{ Name string }
)

// bytesOf returns the memory of a value.
func bytesOf[T any](v *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

// fill draws a value, including its unexported fields.
func fill(t *rapid.T, v reflect.Value) {
	if !v.CanSet() {
		v = reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
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
