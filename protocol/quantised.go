package protocol

import (
	"fmt"
	"math"
	mathbits "math/bits"
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// lattice is the set of values that a quantised float can take on the wire:
// base + (index+offset)*step for the indexes 0 to last. Both limits of the range
// are in it. Where the low limit is a multiple of the step, base is 0 and every
// value is a multiple too, zero included.
type lattice struct {
	base, step float64
	inverse    float64 // 1/step
	bias       float64 // moves the low limit to 0.5, so that cutting off rounds
	limit      float64 // last+1
	offset     int64
	last       uint64
	nothing    uint64 // the index for NaN: the value nearest to zero
}

// maxLattice bounds the number of values: index arithmetic in float64 stays
// exact to far below half a step.
const maxLattice = 1 << 44

// newLattice divides the range into the fewest equal steps that are no longer
// than step. It refuses steps that a float of size bytes cannot tell apart at
// the far end of the range, because decoding and encoding again would then give
// other bits.
func newLattice(low, high, step float64, size uint8) (lattice, error) {
	switch {
	case math.IsNaN(low) || math.IsInf(low, 0) || math.IsNaN(high) || math.IsInf(high, 0) || low >= high:
		return lattice{}, fmt.Errorf("range=%v..%v is empty: the first limit must be a number below the second", low, high)
	case !(step > 0) || step > high-low:
		return lattice{}, fmt.Errorf("step=%v does not fit range=%v..%v: it must be above 0 and no longer than the range", step, low, high)
	}
	n := math.Ceil((high-low)/step - 1e-9)
	l := lattice{base: low, step: (high - low) / n, inverse: n / (high - low), limit: n + 1, last: uint64(n)}
	if finest := 2 * spacing(max(-low, high), size); l.step < finest {
		return lattice{}, fmt.Errorf("step=%v is finer than a float%d can hold at the end of range=%v..%v: use a step above %.2g", step, size*8, low, high, finest)
	}
	if n >= maxLattice {
		return lattice{}, fmt.Errorf("range=%v..%v with step=%v has over 2^44 values: use a longer step, or no tag to send the float as it is", low, high, step)
	}
	if at := math.Round(low * l.inverse); math.Abs(at*l.step-low) < l.step*1e-9 && math.Abs(at) < maxLattice {
		l.base, l.offset = 0, int64(at)
	}
	l.bias = 0.5 - float64(l.offset)
	l.nothing, _ = l.index(min(max(0, low), high))
	return l, nil
}

// spacing is the distance from v to the next float of that size.
func spacing(v float64, size uint8) float64 {
	if size == 4 {
		return float64(math.Nextafter32(float32(v), math.MaxFloat32)) - float64(float32(v))
	}
	return math.Nextafter(v, math.MaxFloat64) - v
}

func (l *lattice) width() uint8 { return uint8(mathbits.Len64(l.last)) }

// index returns the index of the value nearest to v, and 1 if v lies outside.
func (l *lattice) index(v float64) (index uint64, clamped int) {
	x := float64((v-l.base)*l.inverse) + l.bias
	if x >= 0 && x < l.limit {
		return uint64(int64(x)), 0
	}
	return l.outside(x), 1
}

func (l *lattice) outside(x float64) uint64 {
	switch {
	case x < 0:
		return 0
	case x >= l.limit:
		return l.last
	default: // NaN
		return l.nothing
	}
}

// value is the inverse of index. The conversion keeps the product from being
// fused with the sum, which would give other bits on some machines.
func (l *lattice) value(index uint64) float64 {
	return l.base + float64(float64(int64(index)+l.offset)*l.step)
}

// encodeQuantised packs as many indexes as fit into one write.
func (o *op) encodeQuantised(w *bits.Writer, p unsafe.Pointer) (clamped int) {
	var acc uint64
	var used uint
	width := uint(o.bits)
	for i := range uintptr(o.count) {
		index, out := o.lattice.index(loadFloat(unsafe.Add(p, i*uintptr(o.size)), o.size))
		clamped += out
		if used+width > 64 {
			w.Bits(acc, used)
			acc, used = 0, 0
		}
		acc |= index << (used & 63)
		used += width
	}
	w.Bits(acc, used)
	return clamped
}

func (o *op) decodeQuantised(r *bits.Reader, p unsafe.Pointer) {
	for i := range uintptr(o.count) {
		index := r.Bits(uint(o.bits))
		if index > o.lattice.last {
			r.Fail(ErrRange)
			return
		}
		storeFloat(unsafe.Add(p, i*uintptr(o.size)), o.size, o.lattice.value(index))
	}
}

func (o *op) equalQuantised(a, b unsafe.Pointer) bool {
	for i := range uintptr(o.count) {
		x := loadFloat(unsafe.Add(a, i*uintptr(o.size)), o.size)
		y := loadFloat(unsafe.Add(b, i*uintptr(o.size)), o.size)
		if x == y {
			continue
		}
		ix, _ := o.lattice.index(x)
		iy, _ := o.lattice.index(y)
		if ix != iy {
			return false
		}
	}
	return true
}

func (o *op) roundQuantised(p unsafe.Pointer) (clamped int) {
	for i := range uintptr(o.count) {
		at := unsafe.Add(p, i*uintptr(o.size))
		index, out := o.lattice.index(loadFloat(at, o.size))
		clamped += out
		storeFloat(at, o.size, o.lattice.value(index))
	}
	return clamped
}
