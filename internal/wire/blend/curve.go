package blend

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"github.com/entangle-ecs/entangle/internal/wire"
)

// Curve blends pairs of values together with values of a second type. The values of both types are
// anywhere in their planes: value i of dst becomes the value at share[i] between the values at the
// indexes from[i] and to[i] of plane, with those at the same indexes of with. seconds[i] is the time
// between the two. A share of 0 or 1 gives the bytes of an end.
type Curve func(dst, plane, with []byte, from, to []uint32, share, seconds []float32)

// HermiteValue implements protocol.Hermite, which has its documentation.
func HermiteValue[P, V any](from, to P, fromV, toV V, seconds, t float64) P {
	if math.Float64bits(t) == linearProbe {
		panic(errHermite)
	}
	h, err := NewHermite[P, V]()
	if err != nil {
		panic("protocol: Hermite: " + err.Error())
	}
	var at P
	h(bytesAt(&at), bytesAt(&from), bytesAt(&fromV), bytesAt(&to), bytesAt(&toV), seconds, t)
	return at
}

// NewCurve returns a function that does with memory what f does with values. P and V must not contain
// Go pointers; the error names a field that does, or says why HermiteValue does not fit the types.
func NewCurve[P, V any](f func(from, to P, fromV, toV V, seconds, t float64) P) (Curve, error) {
	if probe(errHermite, func(t float64) {
		var p P
		var v V
		f(p, p, v, v, 0, t)
	}) {
		h, err := NewHermite[P, V]()
		return func(dst, plane, with []byte, from, to []uint32, share, seconds []float32) {
			eachCurve[P, V](dst, plane, with, from, to, share, func(i int, d *P, a, b *P, va, vb *V) {
				h(bytesAt(d), bytesAt(a), bytesAt(va), bytesAt(b), bytesAt(vb), float64(seconds[i]), float64(share[i]))
			})
		}, err
	}
	for _, t := range []reflect.Type{reflect.TypeFor[P](), reflect.TypeFor[V]()} {
		if path, pointer := wire.FindPointer(t, ""); pointer != nil {
			return nil, fmt.Errorf("%v cannot be blended in memory: field %s is a %v", t, path, pointer)
		}
	}
	return func(dst, plane, with []byte, from, to []uint32, share, seconds []float32) {
		eachCurve[P, V](dst, plane, with, from, to, share, func(i int, d *P, a, b *P, va, vb *V) {
			*d = f(*a, *b, *va, *vb, float64(seconds[i]), float64(share[i]))
		})
	}, nil
}

// eachCurve calls f for each pair whose value is not one of its ends.
func eachCurve[P, V any](dst, plane, with []byte, from, to []uint32, share []float32, f func(i int, d, a, b *P, va, vb *V)) {
	var p P
	var v V
	values := newPairs(int(unsafe.Sizeof(p)), dst, plane, from, to, share)
	others := newPairs(int(unsafe.Sizeof(v)), nil, with, nil, nil, nil)
	for i, t := range share {
		d, a, b := values.at(i, from[i], to[i])
		if isEnd(t) {
			copyEnd(d, a, b, values.size, t)
			continue
		}
		_, va, vb := others.at(0, from[i], to[i])
		f(i, (*P)(d), (*P)(a), (*P)(b), (*V)(va), (*V)(vb))
	}
}

// bytesAt returns the memory of a value.
func bytesAt[T any](v *T) []byte { return memory(unsafe.Pointer(v), unsafe.Sizeof(*v)) }
