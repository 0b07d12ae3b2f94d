package wire

import (
	"fmt"
	"math"
	mathbits "math/bits"
	"strconv"
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// lattice is the set of values that a quantised float can have on the wire: base +
// (index+offset)*step for the indexes 0 to last. It contains both limits of the range. If the low
// limit is a multiple of the step, base is 0, so that all values are multiples of the step and zero
// is exact.
type lattice struct {
	base, step float64
	inverse    float64 // 1/step
	bias       float64 // -low/step if base is not 0
	magic      float64 // rounds when it is added, and subtracts the offset
	offset     int64
	last       uint64
	nothing    uint64 // the index for NaN: the value nearest to zero
}

// roundMagic rounds: if it is added to a number below 2^51, the low bits of the sum are the nearest
// whole number, with halves rounded to the even one.
const roundMagic = 3 << 51

// maxLattice bounds the number of values, so that the error of index arithmetic in float64 is far
// below half a step.
const maxLattice = 1 << 44

// newLattice divides the range into the fewest equal steps that are no longer than step. It refuses
// steps that a float of size bytes cannot distinguish at the far end of the range, because a
// decoded value could then be encoded to other bits.
func newLattice(low, high, step float64, size uint8) (lattice, error) {
	switch {
	case math.IsNaN(low) || math.IsInf(low, 0) || math.IsNaN(high) || math.IsInf(high, 0) || low >= high:
		return lattice{}, fmt.Errorf("range=%v..%v is empty: the first limit must be a number below the second", low, high)
	case !(step > 0) || step > high-low:
		return lattice{}, fmt.Errorf("step=%v does not fit range=%v..%v: it must be above 0 and no longer than the range", step, low, high)
	}
	n := math.Ceil((high-low)/step - 1e-9)
	l := lattice{base: low, step: (high - low) / n, inverse: n / (high - low), last: uint64(n)}
	if finest := 2 * spacing(max(-low, high), size); l.step < finest {
		return lattice{}, fmt.Errorf("step=%v is finer than a float%d can hold at the end of range=%v..%v: use a step above %.2g", step, size*8, low, high, finest)
	}
	if max(n, math.Abs(low*l.inverse)) >= maxLattice {
		return lattice{}, fmt.Errorf("range=%v..%v with step=%v takes over 2^44 steps: use a longer step, or no tag to send the float as it is", low, high, step)
	}
	at := float64(low * l.inverse)
	l.bias = -at
	if whole := math.Round(at); math.Abs(whole-at) < 1e-6 {
		l.base, l.offset, l.bias = 0, int64(whole), 0
	}
	l.magic = roundMagic - float64(l.offset)
	l.nothing = l.index(min(max(0, low), high), new(int))
	return l, nil
}

func parseLattice(tag *fieldTag, size uint8) (lattice, error) {
	if tag.step == "" {
		return lattice{}, fmt.Errorf("the tag %q: a float with a range needs step= too, the precision to keep", tag.text)
	}
	low, err1 := strconv.ParseFloat(tag.low, 64)
	high, err2 := strconv.ParseFloat(tag.high, 64)
	step, err3 := strconv.ParseFloat(tag.step, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return lattice{}, fmt.Errorf("the tag %q: range= and step= take numbers such as -512..512 and 0.01", tag.text)
	}
	return newLattice(low, high, step, size)
}

// spacing returns the distance from v to the next larger float of this size.
func spacing(v float64, size uint8) float64 {
	if size == 4 {
		return float64(math.Nextafter32(float32(v), math.MaxFloat32)) - float64(float32(v))
	}
	return math.Nextafter(v, math.MaxFloat64) - v
}

func (l *lattice) width() uint8 { return uint8(mathbits.Len64(l.last)) }

// index returns the index of the value nearest to v. If v is outside of the range, it counts v as
// clamped.
func (l *lattice) index(v float64, clamped *int) uint64 {
	if index := l.near(v); index <= l.last {
		return index
	}
	return l.outside(v, clamped)
}

// near is index for a v within the range; for any other v it returns a number above last. The
// conversion to float64 keeps the compiler from fusing multiplication and addition, which would
// give other bits on some machines.
func (l *lattice) near(v float64) uint64 {
	return math.Float64bits(float64(v*l.inverse)+l.bias+l.magic) - roundMagicBits
}

// nearWhole is near for a lattice without bias, in which both limits are multiples of the step.
func (l *lattice) nearWhole(v float64) uint64 {
	return math.Float64bits(float64(v*l.inverse)+l.magic) - roundMagicBits
}

// roundMagicBits is math.Float64bits(roundMagic).
const roundMagicBits = 0x4338 << 48

func (l *lattice) outside(v float64, clamped *int) uint64 {
	*clamped++
	switch x := float64(v*l.inverse) + l.bias - float64(l.offset); {
	case x < 0:
		return 0
	case x > 0:
		return l.last
	default: // NaN
		return l.nothing
	}
}

// valueAt is the inverse of index.
func (l *lattice) valueAt(index uint64) float64 {
	return l.base + float64(float64(int64(index)+l.offset)*l.step)
}

// valueWhole is valueAt for a lattice without bias, so its base is 0.
func (l *lattice) valueWhole(index uint64) float64 {
	return float64(int64(index)+l.offset) * l.step
}

// encodeVector3 is encodeQuantised for three float32 coordinates, which most components consist of.
// They must fit into one write and the lattice must have no bias.
func encodeVector3(o *op, w *bits.Writer, p unsafe.Pointer, _ RefWriter) (clamped int) {
	v, l, width := (*[3]float32)(p), &o.lattice, uint(o.bits)&31
	x, y, z := l.nearWhole(float64(v[0])), l.nearWhole(float64(v[1])), l.nearWhole(float64(v[2]))
	if max(x, y, z) > l.last {
		return encodeQuantised[float32](o, w, p, nil)
	}
	w.Put((z<<width|y)<<width|x, 3*width)
	return 0
}

// encodeVector2 is encodeVector3 for two coordinates.
func encodeVector2(o *op, w *bits.Writer, p unsafe.Pointer, _ RefWriter) (clamped int) {
	v, l, width := (*[2]float32)(p), &o.lattice, uint(o.bits)&31
	x, y := l.nearWhole(float64(v[0])), l.nearWhole(float64(v[1]))
	if max(x, y) > l.last {
		return encodeQuantised[float32](o, w, p, nil)
	}
	w.Put(y<<width|x, 2*width)
	return 0
}

// decodeVector3 is the inverse of encodeVector3. The three indexes must fit into one Peek.
func decodeVector3(o *op, r *bits.Reader, p unsafe.Pointer, _ RefReader, _ *int) {
	v, l, width := (*[3]float32)(p), &o.lattice, uint(o.bits)&31
	code, mask := r.Peek(), uint64(1)<<width-1
	r.Skip(3 * width)
	x, y, z := code&mask, code>>width&mask, code>>width>>width&mask
	if max(x, y, z) > l.last {
		r.Fail(ErrRange)
		return
	}
	v[0], v[1], v[2] = float32(l.valueWhole(x)), float32(l.valueWhole(y)), float32(l.valueWhole(z))
}

// decodeVector2 is the inverse of encodeVector2.
func decodeVector2(o *op, r *bits.Reader, p unsafe.Pointer, _ RefReader, _ *int) {
	v, l, width := (*[2]float32)(p), &o.lattice, uint(o.bits)&31
	code, mask := r.Peek(), uint64(1)<<width-1
	r.Skip(2 * width)
	x, y := code&mask, code>>width&mask
	if max(x, y) > l.last {
		r.Fail(ErrRange)
		return
	}
	v[0], v[1] = float32(l.valueWhole(x)), float32(l.valueWhole(y))
}

// encodeQuantised packs as many indexes into each write as fit.
func encodeQuantised[F float](o *op, w *bits.Writer, p unsafe.Pointer, _ RefWriter) (clamped int) {
	l, width, batch := &o.lattice, uint(o.bits), int(o.batch)
	for values := floats[F](p, o.count); len(values) > 0; {
		n := min(batch, len(values))
		var acc uint64
		var used uint
		for _, v := range values[:n] {
			index := l.near(float64(v))
			if index > l.last {
				index = l.outside(float64(v), &clamped)
			}
			acc |= index << (used & 63)
			used += width
		}
		w.Put(acc, used)
		values = values[n:]
	}
	return clamped
}

// decodeQuantised reads as many indexes with each read as fit.
func decodeQuantised[F float](o *op, r *bits.Reader, p unsafe.Pointer, _ RefReader, _ *int) {
	l, width, batch := &o.lattice, uint(o.bits), int(o.batch)
	mask := uint64(1)<<(width&63) - 1
	for values := floats[F](p, o.count); len(values) > 0; {
		n := min(batch, len(values))
		acc := r.Bits(uint(n) * width)
		for i := range values[:n] {
			index := acc & mask
			acc >>= width & 63
			if index > l.last {
				r.Fail(ErrRange)
				return
			}
			values[i] = F(l.valueAt(index))
		}
		values = values[n:]
	}
}

func equalQuantised[F float](o *op, a, b unsafe.Pointer) bool {
	var ignored int
	y := floats[F](b, o.count)
	for i, x := range floats[F](a, o.count) {
		if x != y[i] && o.lattice.index(float64(x), &ignored) != o.lattice.index(float64(y[i]), &ignored) {
			return false
		}
	}
	return true
}

func roundQuantised[F float](o *op, p unsafe.Pointer) (clamped int) {
	values := floats[F](p, o.count)
	for i, v := range values {
		values[i] = F(o.lattice.valueAt(o.lattice.index(float64(v), &clamped)))
	}
	return clamped
}
