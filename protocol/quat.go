package protocol

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// quatBits is what each of a quaternion's three components takes if its tag does
// not say: 29 bits in all, errors below 0.2 degrees.
const quatBits = 9

// smallestThree is how unit quaternions are sent: the place of the component of
// largest magnitude in 2 bits, then the other three, in order, divided by that
// one's sign. Each lies within 1/sqrt(2) of zero and is sent as k+m, where k
// counts steps of 1/(m*sqrt(2)), -m to m. The largest follows from the length.
//
// A body is canonical if its implied component is larger than the others by a
// margin that floats can tell: with s the sum of the three k*k and j the largest
// k*k, s + j <= 2*m*m - margin. The encoder moves ties inside, the decoder
// refuses the rest, so decoding and encoding again gives the same bits.
type smallestThree struct {
	m             int64
	bound         int64 // the most that s + j may be
	step, inverse float64
	identity      uint8 // the component that is 1 where there is no rotation
}

// minQuatBits and maxQuatBits bound the bits=... of a quat tag. Below, there is
// hardly a rotation left; above, float32 components have no more to give.
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
		m: m, bound: 2*m*m - margin, identity: identity,
		step: 1 / (float64(m) * math.Sqrt2), inverse: float64(m) * math.Sqrt2,
	}, nil
}

// rounded is a quaternion as it is sent.
type rounded struct {
	largest uint8
	k       [3]int64
}

// round finds the canonical rounded form. What has no direction (zero, NaN, an
// infinity) becomes the identity and counts as clamped; other lengths are
// normalised.
func (s *smallestThree) round(q [4]float64) (n rounded, clamped int) {
	length := q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]
	if !(length > 0) || length > math.MaxFloat64 {
		return rounded{largest: s.identity}, 1
	}
	best := 0
	for i := 1; i < 4; i++ {
		if math.Abs(q[i]) > math.Abs(q[best]) {
			best = i
		}
	}
	scale := s.inverse
	if math.Abs(length-1) > 1e-6 {
		scale /= math.Sqrt(length)
	}
	if q[best] < 0 {
		scale = -scale
	}
	n.largest = uint8(best)
	for i := range n.k {
		n.k[i] = nearest(q[(best+1+i)&3] * scale)
	}
	s.settle(&n)
	return n, 0
}

// nearest rounds halves away from zero, so that q and -q agree.
func nearest(x float64) int64 {
	return int64(x + math.Copysign(0.5, x))
}

// settle moves a form that is not canonical to the next one that is, by
// shortening the longest of the three.
func (s *smallestThree) settle(n *rounded) {
	for !s.canonical(n) {
		longest := 0
		for i := 1; i < 3; i++ {
			if n.k[i]*n.k[i] > n.k[longest]*n.k[longest] {
				longest = i
			}
		}
		if n.k[longest] > 0 {
			n.k[longest]--
		} else {
			n.k[longest]++
		}
	}
}

func (s *smallestThree) canonical(n *rounded) bool {
	a, b, c := n.k[0]*n.k[0], n.k[1]*n.k[1], n.k[2]*n.k[2]
	return a+b+c+max(a, b, c) <= s.bound
}

func (s *smallestThree) value(n *rounded) (q [4]float64) {
	sum := 1.0
	for i, k := range n.k {
		v := float64(k) * s.step
		q[(int(n.largest)+1+i)&3] = v
		sum -= float64(v * v)
	}
	q[n.largest] = math.Sqrt(sum)
	return q
}

func loadQuat(p unsafe.Pointer, size uint8) (q [4]float64) {
	for i := range q {
		q[i] = loadFloat(unsafe.Add(p, uintptr(i)*uintptr(size)), size)
	}
	return q
}

func storeQuat(p unsafe.Pointer, size uint8, q [4]float64) {
	for i := range q {
		storeFloat(unsafe.Add(p, uintptr(i)*uintptr(size)), size, q[i])
	}
}

func (o *op) encodeQuats(w *bits.Writer, p unsafe.Pointer) (clamped int) {
	width := uint(o.bits)
	for i := range uintptr(o.count) {
		n, out := o.quat.round(loadQuat(unsafe.Add(p, i*4*uintptr(o.size)), o.size))
		clamped += out
		m := o.quat.m
		v := uint64(n.largest) | uint64(n.k[0]+m)<<2 | uint64(n.k[1]+m)<<(2+width) | uint64(n.k[2]+m)<<(2+2*width)
		w.Bits(v, 2+3*width)
	}
	return clamped
}

func (o *op) decodeQuats(r *bits.Reader, p unsafe.Pointer) {
	width := uint(o.bits)
	for i := range uintptr(o.count) {
		v := r.Bits(2 + 3*width)
		n := rounded{largest: uint8(v & 3)}
		for j := range n.k {
			n.k[j] = int64(v>>(2+uint(j)*width)&(1<<width-1)) - o.quat.m
		}
		if !o.quat.canonical(&n) {
			r.Fail(ErrRange)
			return
		}
		storeQuat(unsafe.Add(p, i*4*uintptr(o.size)), o.size, o.quat.value(&n))
	}
}

func (o *op) equalQuats(a, b unsafe.Pointer) bool {
	for i := range uintptr(o.count) {
		x := loadQuat(unsafe.Add(a, i*4*uintptr(o.size)), o.size)
		y := loadQuat(unsafe.Add(b, i*4*uintptr(o.size)), o.size)
		if x == y {
			continue
		}
		nx, _ := o.quat.round(x)
		ny, _ := o.quat.round(y)
		if nx != ny {
			return false
		}
	}
	return true
}

func (o *op) roundQuats(p unsafe.Pointer) (clamped int) {
	for i := range uintptr(o.count) {
		at := unsafe.Add(p, i*4*uintptr(o.size))
		n, out := o.quat.round(loadQuat(at, o.size))
		clamped += out
		storeQuat(at, o.size, o.quat.value(&n))
	}
	return clamped
}
