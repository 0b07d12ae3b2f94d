package wire

import (
	"unsafe"
)

// expectTurn returns the code of rotation i of a run if it turns on as it did from the previous
// baseline to the baseline. Without a previous baseline it returns the code at the baseline.
func (m motion) expectTurn(o *op, from origin, i uintptr) uint64 {
	var ignored int
	base := o.quatCodeAt(from.base, i, &ignored)
	if from.older == unsafe.Pointer(nil) {
		return base
	}
	older := o.quatCodeAt(from.older, i, &ignored)
	if base == older {
		return base
	}
	return m.turnOn(&o.quat, base, older)
}

// turnOn computes with fixed-point numbers that have unitBits bits after the point.
const (
	unitBits = 16
	unit     = 1 << unitBits
	maxTurns = 8 // the most times that ahead may be between
)

// turnOn continues the arc from older to base by t = ahead/between times its length:
//
//	base*sin((1+t)x)/sin(x) - older*sin(t*x)/sin(x)
//
// where x is the angle between the two as vectors. By the series of the sine, sin(nx)/sin(x) is
// n*(1 - x*x*(n*n-1)/6) and x*x is 2*(1 - cos(x)), both except for higher powers. For t = 1 the
// result is exact.
func (m motion) turnOn(s *smallestThree, base, older uint64) uint64 {
	if m.between == 0 || uint64(m.ahead) > maxTurns*uint64(m.between) {
		return base
	}
	b, o := s.spread(base), s.spread(older)
	var dot int64
	for i := range b {
		dot += b[i] * o[i]
	}
	t := int64(unit)
	if m.ahead != m.between {
		t = int64(uint64(m.ahead) << unitBits / uint64(m.between))
	}
	if dot < 0 {
		dot, t = -dot, -t
	}
	length := 2 * s.m * s.m
	square := max(length-dot, 0) << (unitBits + 1) / length
	far, near := sineRatio(unit+max(t, -t), square), sineRatio(max(t, -t), square)
	if square > unit || far < 0 || near < 0 {
		return base // more than a radian: the direction is ambiguous
	}
	if t < 0 {
		near = -near
	}
	for i := range b {
		b[i] = (far*b[i] - near*o[i] + unit/2) >> unitBits
	}
	return s.packed(b)
}

// sineRatio returns sin(n*x)/sin(x); square is x*x. All are fixed-point numbers.
func sineRatio(n, square int64) int64 {
	more := n*n>>unitBits - unit
	return n * (unit - (square*more>>unitBits)/6) >> unitBits
}

// packed returns the code of four components. The code need not be canonical.
func (s *smallestThree) packed(q [4]int64) uint64 {
	largest := uint64(0)
	for i := range uint64(4) {
		if q[i]*q[i] > q[largest]*q[largest] {
			largest = i
		}
	}
	k := s.without(q, largest)
	return s.pack(largest, k[0], k[1], k[2])
}
