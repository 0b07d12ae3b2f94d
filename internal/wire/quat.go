package wire

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// quatBits is the number of bits of each of a quaternion's three components if its tag does not set
// it: 29 bits in all, and errors of 0.6 degrees at most.
const quatBits = 9

// smallestThree describes how unit quaternions are sent: the position of the component of largest
// magnitude in 2 bits, then the other three, divided by the sign of that one, in the order that
// follows it, going around. Each of the three is within 1/sqrt(2) of zero. It is sent as k+m, where
// k, from -m to m, counts steps of 1/(m*sqrt(2)). The largest component follows from the length,
// which is 1.
//
// A code is canonical if the largest component is larger than the others by a margin that floats
// can distinguish: with s the sum of the three k*k and j the largest k*k, s + j <= 2*m*m - margin.
// The encoder changes other codes to canonical ones, and the decoder refuses them, so decoding and
// encoding again gives the same bits.
type smallestThree struct {
	m             int64
	bound         int64 // the greatest allowed s + j
	step, inverse float64
	square        float64 // step*step
	width         uint    // bits of each of the three
	identity      uint8   // the component that is 1 without a rotation
}

// minQuatBits and maxQuatBits bound the bits= of a quat tag. With fewer bits hardly any rotations
// could be distinguished; more bits exceed the precision of float32 components.
const (
	minQuatBits = 3
	maxQuatBits = 16
)

func newSmallestThree(width int, identity uint8) (smallestThree, error) {
	if width < minQuatBits || width > maxQuatBits {
		return smallestThree{}, fmt.Errorf("quat with bits=%d: use %d to %d for each of the three components", width, minQuatBits, maxQuatBits)
	}
	m := int64(1)<<(width-1) - 1
	margin := max(1, m*m>>20)
	return smallestThree{
		m: m, bound: 2*m*m - margin, width: uint(width), identity: identity,
		step: 1 / (float64(m) * math.Sqrt2), inverse: float64(m) * math.Sqrt2, square: 1 / float64(2*m*m),
	}, nil
}

// isQuat reports whether t consists of four floats of one size.
func isQuat(t reflect.Type) bool {
	float := func(f reflect.Type) bool { return f.Kind() == reflect.Float32 || f.Kind() == reflect.Float64 }
	switch t.Kind() {
	case reflect.Array:
		return t.Len() == 4 && float(t.Elem())
	case reflect.Struct:
		if t.NumField() != 4 || !float(t.Field(0).Type) {
			return false
		}
		for i := range 4 {
			if t.Field(i).Type.Kind() != t.Field(0).Type.Kind() {
				return false
			}
		}
		return true
	default:
		return false
	}
}

// identityOf returns the component of a quaternion that is 1 without a rotation: the field W, or
// the last one if no field has that name.
func identityOf(t reflect.Type) uint8 {
	if t.Kind() == reflect.Struct {
		for i := range 4 {
			if name := t.Field(i).Name; name == "W" || name == "w" {
				return uint8(i)
			}
		}
	}
	return 3
}

func (c *compiler) addQuat(t reflect.Type, offset uintptr, path string, tag *fieldTag) {
	tag.used = true
	width := quatBits
	if tag.bits != 0 {
		width = tag.bits
	}
	quat, err := newSmallestThree(width, identityOf(t))
	if err != nil {
		c.fail(ErrTag, path, "%v", err)
		return
	}
	size := uint8(t.Size() / 4)
	c.leaf(path, fmt.Sprintf("quat of float%d bits=%d", size*8, width),
		op{kind: opQuat, size: size, bits: uint8(2 + 3*width), offset: offset, quat: quat})
}

// quatCode returns the canonical code of a quaternion. A quaternion without a direction (zero, NaN
// or infinite) becomes the identity and is counted as clamped; others are normalised.
func quatCode[F float](s *smallestThree, q *[4]F, clamped *int) uint64 {
	x, y, z, w := float64(q[0]), float64(q[1]), float64(q[2]), float64(q[3])
	length := x*x + y*y + z*z + w*w
	if !(length > 0 && length <= math.MaxFloat64) {
		*clamped++
		return s.pack(uint64(s.identity), 0, 0, 0)
	}
	largest := largestOf(x, y, z, w)
	scale := s.inverse
	if math.Abs(length-1) > 1e-6 {
		scale /= math.Sqrt(length)
	}
	scale = math.Copysign(scale, float64(q[largest&3]))
	a := nearest(float64(float64(q[(largest+1)&3]) * scale))
	b := nearest(float64(float64(q[(largest+2)&3]) * scale))
	c := nearest(float64(float64(q[(largest+3)&3]) * scale))
	if !s.canonical(a, b, c) {
		a, b, c = s.shorten(a, b, c)
	}
	return s.pack(largest, a, b, c)
}

// largestOf returns the position of the component of largest magnitude, or of the first one if
// several are equal. It compares the bits of the floats without their sign, which have the same
// order, to avoid unpredictable branches.
func largestOf(x, y, z, w float64) (place uint64) {
	top := math.Float64bits(x) << 1
	if v := math.Float64bits(y) << 1; v > top {
		top, place = v, 1
	}
	if v := math.Float64bits(z) << 1; v > top {
		top, place = v, 2
	}
	if v := math.Float64bits(w) << 1; v > top {
		place = 3
	}
	return place
}

// nearest rounds to a whole number, with halves to the even one, so that q and -q have the same
// code.
func nearest(x float64) int64 {
	return int64(math.Float64bits(x+roundMagic) - roundMagicBits)
}

// canonical reports whether a, b and c belong to a largest component that exceeds each of them by
// the margin.
func (s *smallestThree) canonical(a, b, c int64) bool {
	a, b, c = a*a, b*b, c*c
	return a+b+c+max(a, b, c) <= s.bound
}

// shorten changes a code that is not canonical to a near one that is, by reducing the longest of
// the three.
func (s *smallestThree) shorten(a, b, c int64) (x, y, z int64) {
	k := [3]int64{a, b, c}
	for !s.canonical(k[0], k[1], k[2]) {
		longest := 0
		for i := 1; i < 3; i++ {
			if k[i]*k[i] > k[longest]*k[longest] {
				longest = i
			}
		}
		if k[longest] > 0 {
			k[longest]--
		} else {
			k[longest]++
		}
	}
	return k[0], k[1], k[2]
}

func (s *smallestThree) pack(largest uint64, a, b, c int64) uint64 {
	w := s.width & 31
	return ((uint64(c+s.m)<<w|uint64(b+s.m))<<w|uint64(a+s.m))<<2 | largest
}

func (s *smallestThree) unpack(code uint64) (largest uint64, a, b, c int64) {
	w := s.width & 31
	mask := uint64(1)<<w - 1
	return code & 3, int64(code>>2&mask) - s.m, int64(code>>(2+w)&mask) - s.m, int64(code>>((2+2*w)&63)&mask) - s.m
}

// setQuat is the inverse of quatCode. It returns false for a code that is not canonical, and does
// not change the quaternion then.
func setQuat[F float](s *smallestThree, q *[4]F, code uint64) bool {
	largest, a, b, c := s.unpack(code)
	if !s.canonical(a, b, c) {
		return false
	}
	putQuat(s, q, largest, a, b, c)
	return true
}

// putQuat writes a canonical quaternion. It squares whole numbers and multiplies by square at the
// end, because that takes less time than squaring floats.
func putQuat[F float](s *smallestThree, q *[4]F, largest uint64, a, b, c int64) {
	q[largest&3] = F(math.Sqrt(1 - float64(float64(a*a+b*b+c*c)*s.square)))
	q[(largest+1)&3], q[(largest+2)&3], q[(largest+3)&3] = F(float64(a)*s.step), F(float64(b)*s.step), F(float64(c)*s.step)
}

// encodeQuat is encodeQuats for one quaternion of float32, which is the most common case.
func encodeQuat(o *op, w *bits.Writer, p unsafe.Pointer, _ RefWriter) (clamped int) {
	w.Put(quatCode(&o.quat, (*[4]float32)(p), &clamped), uint(o.bits))
	return clamped
}

func encodeQuats[F float](o *op, w *bits.Writer, p unsafe.Pointer, _ RefWriter) (clamped int) {
	values := quats[F](p, o.count)
	for i := range values {
		w.Put(quatCode(&o.quat, &values[i], &clamped), uint(o.bits))
	}
	return clamped
}

// decodeQuat is decodeQuats for one quaternion of float32.
func decodeQuat(o *op, r *bits.Reader, p unsafe.Pointer, _ RefReader, _ *int) {
	code := r.Peek()
	r.Skip(uint(o.bits))
	if !setQuat(&o.quat, (*[4]float32)(p), code) {
		r.Fail(ErrRange)
	}
}

func decodeQuats[F float](o *op, r *bits.Reader, p unsafe.Pointer, _ RefReader, _ *int) {
	values := quats[F](p, o.count)
	for i := range values {
		if !setQuat(&o.quat, &values[i], r.Bits(uint(o.bits))) {
			r.Fail(ErrRange)
			return
		}
	}
}

func equalQuats[F float](o *op, a, b unsafe.Pointer) bool {
	var ignored int
	x, y := quats[F](a, o.count), quats[F](b, o.count)
	for i := range x {
		if quatCode(&o.quat, &x[i], &ignored) != quatCode(&o.quat, &y[i], &ignored) {
			return false
		}
	}
	return true
}

func roundQuats[F float](o *op, p unsafe.Pointer) (clamped int) {
	values := quats[F](p, o.count)
	for i := range values {
		setQuat(&o.quat, &values[i], quatCode(&o.quat, &values[i], &clamped))
	}
	return clamped
}
