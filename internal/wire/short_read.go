package wire

import (
	"math"
	"unsafe"
)

// readCodes reads codes and returns 1, so that the caller checks each of them.
func (s *Short) readCodes(to []uint64, c column) (wrong uint64) {
	bit := c.bit
	for i := range to {
		to[i] = c.load(bit) & s.mask
		bit += c.stride
	}
	return 1
}

// readBytes reads values that are on the wire as they are in memory.
func (s *Short) readBytes(to []byte, c column) {
	for ; len(to) > 0; to = to[s.size:] {
		c.copy(to[:s.size])
		c.bit += c.stride
	}
}

// readVectors reads vectors. It returns 0 if all are valid.
func (s *Short) readVectors(to [][3]float32, c column) (wrong uint64) {
	if s.bits <= mantissaBits {
		return s.readNarrowVectors(to, c)
	}
	w, last, bit := s.width&31, s.op.lattice.last, c.bit
	one, offset, step := uint64(1)<<w-1, s.op.lattice.offset, s.op.lattice.step
	for i := range to {
		code := c.load(bit)
		bit += c.stride
		x, y, z := code&one, code>>w&one, code>>w>>w&one
		wrong |= (last - x) | (last - y) | (last - z)
		to[i] = [3]float32{
			float32(float64(int64(x)+offset) * step), float32(float64(int64(y)+offset) * step), float32(float64(int64(z)+offset) * step),
		}
	}
	return wrong >> 63
}

// wholeBits are the bits of the float 2^52. If its lowest mantissaBits bits are set to a number,
// the float is the sum of both.
const (
	wholeBits    = 0x4330 << 48
	mantissaBits = 52
)

// readNarrowVectors is readVectors for codes that fit into the mantissa of a float. A coordinate is
// converted to a float in place, without a shift, so it is too large by a power of two, by which
// its step is divided. The result is rounded in the same way as in readVectors. A coordinate is
// valid if adding the distance from the last valid index to the highest code does not carry into
// the next coordinate.
func (s *Short) readNarrowVectors(to [][3]float32, c column) (wrong uint64) {
	w, l, bit := s.width&31, &s.op.lattice, c.bit
	one := uint64(1)<<w - 1
	xs, ys, zs := one, one<<w, one<<w<<w
	headroom := (one - l.last) * (1 | 1<<w | 1<<w<<w)
	shift := float64(uint64(1) << w)
	stepX, stepY, stepZ := l.step, l.step/shift, l.step/shift/shift
	offset := float64(l.offset)
	zeroX, zeroY, zeroZ := 1<<mantissaBits-offset, 1<<mantissaBits-offset*shift, 1<<mantissaBits-offset*shift*shift
	for i := range to {
		code, v := c.load(bit)&s.mask, &to[i]
		bit += c.stride
		v[0] = float32((math.Float64frombits(code&xs|wholeBits) - zeroX) * stepX)
		v[1] = float32((math.Float64frombits(code&ys|wholeBits) - zeroY) * stepY)
		v[2] = float32((math.Float64frombits(code&zs|wholeBits) - zeroZ) * stepZ)
		wrong |= code ^ (code + headroom) ^ headroom
	}
	return wrong & ((1 | 1<<w | 1<<w<<w) << w)
}

// readQuats reads rotations. It returns 0 if all are valid.
func (s *Short) readQuats(to [][4]float32, c column) (wrong uint64) {
	q, bit := &s.op.quat, c.bit
	if s.parts != nil {
		return readUsualQuats(q, s.parts, to, c)
	}
	for i := range to {
		largest, x, y, z := q.unpack(c.load(bit))
		bit += c.stride
		wrong |= uint64(q.bound - (x*x + y*y + z*z + max(x*x, y*y, z*z)))
		putQuat(q, &to[i], largest, x, y, z)
	}
	return wrong >> 63
}

// quatPart is the decoded form of one of the three components: its float32 in the low 32 bits, and
// the square of its steps in the high ones.
type quatPart uint64

// quatParts is the lookup table for the components of quaternions of the default width.
type quatParts [1 << quatBits]quatPart

// partsOf returns the lookup table if the values of a plan are one quaternion of the default width,
// otherwise nil.
func partsOf(ops []op) *quatParts {
	if len(ops) != 1 || ops[0].kind != opQuat || ops[0].count != 1 || ops[0].size != 4 || ops[0].quat.width != quatBits {
		return nil
	}
	return newQuatParts(&ops[0].quat)
}

func newQuatParts(q *smallestThree) *quatParts {
	parts := new(quatParts)
	for code := range parts {
		k := int64(code) - q.m
		parts[code] = quatPart(k*k)<<32 | quatPart(math.Float32bits(float32(float64(k)*q.step)))
	}
	return parts
}

// readUsualQuats is readQuats for the default width. The values of the components are looked up,
// and their positions in the quaternion are computed in bytes.
func readUsualQuats(q *smallestThree, parts *quatParts, to [][4]float32, c column) (wrong uint64) {
	const one = 1<<quatBits - 1
	bit, bound, square := c.bit, uint64(q.bound), q.square
	p := unsafe.Pointer(unsafe.SliceData(to))
	for range to {
		code := c.load(bit)
		bit += c.stride
		x, y, z := parts[code>>2&one], parts[code>>(2+quatBits)&one], parts[code>>(2+2*quatBits)&one]
		largest := code << 2 & 12
		*(*uint32)(unsafe.Add(p, (largest+4)&12)) = uint32(x)
		*(*uint32)(unsafe.Add(p, largest^8)) = uint32(y)
		*(*uint32)(unsafe.Add(p, (largest-4)&12)) = uint32(z)
		sum := uint64(x>>32 + y>>32 + z>>32)
		*(*float32)(unsafe.Add(p, largest)) = float32(math.Sqrt(1 - float64(float64(int64(sum))*square)))
		wrong |= bound - sum - uint64(max(x, y, z)>>32)
		p = unsafe.Add(p, 16)
	}
	return wrong >> 63
}

// right reports whether Encode can have written a code.
func (s *Short) right(code uint64) bool {
	switch o := s.op; s.kind {
	case shortVector3:
		w := s.width & 31
		one := uint64(1)<<w - 1
		return max(code&one, code>>w&one, code>>w>>w) <= o.lattice.last
	case shortQuat:
		_, a, b, c := o.quat.unpack(code)
		return o.quat.canonical(a, b, c)
	default:
		return s.fits(code)
	}
}
