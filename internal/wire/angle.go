package wire

import (
	"fmt"
	"math"
	mathbits "math/bits"
	"strconv"
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// angleBits is the number of bits of an angle if the field's tag does not set another number. An
// angle then has steps of 0.0015 radians, or 0.09 degrees.
const angleBits = 12

// circle is the set of angles that can be sent: a full turn in count equal steps, including zero.
// Decoded angles are above -pi and at most pi, so whole turns are lost.
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

func parseCircle(tag *fieldTag, size uint8) (circle, error) {
	if tag.step == "" {
		width := angleBits
		if tag.bits != 0 {
			width = tag.bits
		}
		return newCircle(math.Ldexp(1, width), size)
	}
	step, err := strconv.ParseFloat(tag.step, 64)
	if err != nil || !(step > 0) {
		return circle{}, fmt.Errorf("the tag %q: step= takes an angle in radians such as 0.001", tag.text)
	}
	return newCircle(math.Ceil(2*math.Pi/step-1e-9), size)
}

func (c *circle) width() uint8 { return uint8(mathbits.Len64(c.count - 1)) }

// index returns the step nearest to v. It returns 0 and counts v as clamped if v is NaN, infinite,
// or so large that a float64 does not tell its fraction of a turn.
func (c *circle) index(v float64, clamped *int) uint64 {
	x := float64(v * c.inverse)
	if !(x > -maxLattice && x < maxLattice) {
		*clamped++
		return 0
	}
	k := nearest(x)
	if uint64(k) < c.count {
		return uint64(k)
	}
	k %= int64(c.count)
	if k < 0 {
		k += int64(c.count)
	}
	return uint64(k)
}

func (c *circle) valueAt(index uint64) float64 {
	k := int64(index)
	if index > c.count/2 {
		k -= int64(c.count)
	}
	return float64(k) * c.step
}

func encodeAngles[F float](o *op, w *bits.Writer, p unsafe.Pointer, _ RefWriter) (clamped int) {
	for _, v := range floats[F](p, o.count) {
		w.Put(o.circle.index(float64(v), &clamped), uint(o.bits))
	}
	return clamped
}

func decodeAngles[F float](o *op, r *bits.Reader, p unsafe.Pointer, _ RefReader, _ *int) {
	values := floats[F](p, o.count)
	for i := range values {
		index := r.Bits(uint(o.bits))
		if index >= o.circle.count {
			r.Fail(ErrRange)
			return
		}
		values[i] = F(o.circle.valueAt(index))
	}
}

func equalAngles[F float](o *op, a, b unsafe.Pointer) bool {
	var ignored int
	y := floats[F](b, o.count)
	for i, x := range floats[F](a, o.count) {
		if x != y[i] && o.circle.index(float64(x), &ignored) != o.circle.index(float64(y[i]), &ignored) {
			return false
		}
	}
	return true
}

func roundAngles[F float](o *op, p unsafe.Pointer) (clamped int) {
	values := floats[F](p, o.count)
	for i, v := range values {
		values[i] = F(o.circle.valueAt(o.circle.index(float64(v), &clamped)))
	}
	return clamped
}
