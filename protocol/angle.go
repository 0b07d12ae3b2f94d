package protocol

import (
	"fmt"
	"math"
	mathbits "math/bits"
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// angleBits is what an angle takes if its tag does not say: steps of 0.0015
// radians, 0.09 degrees.
const angleBits = 12

// circle is the set of angles that can be sent: a full turn in count equal
// steps, zero among them. Decoded angles lie above -pi and up to pi; whole turns
// are not kept.
type circle struct {
	step, inverse float64
	count         uint64
}

func newCircle(count float64, size uint8) (circle, error) {
	finest := 2 * spacing(math.Pi, size)
	if !(count >= 2) || 2*math.Pi/count < finest {
		return circle{}, fmt.Errorf("an angle in %.0f steps: use 2 steps or more, and none shorter than %.2g, which a float%d can hold", count, finest, size*8)
	}
	return circle{step: 2 * math.Pi / count, inverse: count / (2 * math.Pi), count: uint64(count)}, nil
}

func (c *circle) width() uint8 { return uint8(mathbits.Len64(c.count - 1)) }

// index returns the step nearest to v. What is no angle (NaN, an infinity, or a
// number so large that it has no fraction of a turn) counts as clamped to 0.
func (c *circle) index(v float64) (index uint64, clamped int) {
	x := float64(v*c.inverse) + 0.5
	if !(x > -maxLattice && x < maxLattice) {
		return 0, 1
	}
	k := int64(x)
	if float64(k) > x {
		k--
	}
	if uint64(k) < c.count {
		return uint64(k), 0
	}
	k %= int64(c.count)
	if k < 0 {
		k += int64(c.count)
	}
	return uint64(k), 0
}

func (c *circle) value(index uint64) float64 {
	k := int64(index)
	if index > c.count/2 {
		k -= int64(c.count)
	}
	return float64(k) * c.step
}

func (o *op) encodeAngles(w *bits.Writer, p unsafe.Pointer) (clamped int) {
	for i := range uintptr(o.count) {
		index, out := o.circle.index(loadFloat(unsafe.Add(p, i*uintptr(o.size)), o.size))
		w.Bits(index, uint(o.bits))
		clamped += out
	}
	return clamped
}

func (o *op) decodeAngles(r *bits.Reader, p unsafe.Pointer) {
	for i := range uintptr(o.count) {
		index := r.Bits(uint(o.bits))
		if index >= o.circle.count {
			r.Fail(ErrRange)
			return
		}
		storeFloat(unsafe.Add(p, i*uintptr(o.size)), o.size, o.circle.value(index))
	}
}

func (o *op) equalAngles(a, b unsafe.Pointer) bool {
	for i := range uintptr(o.count) {
		x := loadFloat(unsafe.Add(a, i*uintptr(o.size)), o.size)
		y := loadFloat(unsafe.Add(b, i*uintptr(o.size)), o.size)
		if x == y {
			continue
		}
		ix, _ := o.circle.index(x)
		iy, _ := o.circle.index(y)
		if ix != iy {
			return false
		}
	}
	return true
}

func (o *op) roundAngles(p unsafe.Pointer) (clamped int) {
	for i := range uintptr(o.count) {
		at := unsafe.Add(p, i*uintptr(o.size))
		index, out := o.circle.index(loadFloat(at, o.size))
		clamped += out
		storeFloat(at, o.size, o.circle.value(index))
	}
	return clamped
}
