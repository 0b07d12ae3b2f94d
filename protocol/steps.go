package protocol

import (
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Numbers that are sent as an index are told apart from the index of the base by
// a step, forwards or backwards. A step that takes fewer bits than the index is
// written as 0 and a Varint, else the index follows on a 1. Indexes of up to 4
// bits stand alone: no step is shorter.

// shortest is the least that a Varint takes.
const shortest = 4

// indexAt is the index that number i of the run is sent as.
func (o *op) indexAt(p unsafe.Pointer, i uintptr, clamped *int) uint64 {
	switch {
	case o.kind == opInt:
		return o.ints.index(o.int(p, i), clamped)
	case o.kind == opAngle:
		return o.circle.index(o.float(p, i), clamped)
	default:
		return o.lattice.index(o.float(p, i), clamped)
	}
}

// setIndex is the inverse of indexAt.
func (o *op) setIndex(p unsafe.Pointer, i uintptr, index uint64) {
	switch {
	case o.kind == opInt:
		storeInt(unsafe.Add(p, i*uintptr(o.size)), o.size, o.ints.low+index)
	case o.kind == opAngle:
		o.setFloat(p, i, o.circle.value(index))
	default:
		o.setFloat(p, i, o.lattice.value(index))
	}
}

// lastIndex is the largest index there is.
func (o *op) lastIndex() uint64 {
	switch o.kind {
	case opInt:
		return o.ints.span
	case opAngle:
		return o.circle.count - 1
	default:
		return o.lattice.last
	}
}

func (o *op) float(p unsafe.Pointer, i uintptr) float64 {
	if o.size == 4 {
		return float64(*(*float32)(unsafe.Add(p, i*4)))
	}
	return *(*float64)(unsafe.Add(p, i*8))
}

func (o *op) setFloat(p unsafe.Pointer, i uintptr, v float64) {
	if o.size == 4 {
		*(*float32)(unsafe.Add(p, i*4)) = float32(v)
		return
	}
	*(*float64)(unsafe.Add(p, i*8)) = v
}

// stepTo is the step from one index to another. Angles go the shorter way
// around.
func (o *op) stepTo(from, to uint64) int64 {
	d := int64(to - from)
	if o.kind != opAngle {
		return d
	}
	switch n := int64(o.circle.count); {
	case d > n/2:
		return d - n
	case d < -((n - 1) / 2):
		return d + n
	default:
		return d
	}
}

// stepBits is what a Varint takes for d.
func stepBits(d int64) int { return bits.UvarintBits(uint64(d)<<1 ^ uint64(d>>63)) }

func encodeSteps(o *op, w *bits.Writer, base, p unsafe.Pointer) (clamped int) {
	var ignored int
	for i := range uintptr(o.count) {
		from, to := o.indexAt(base, i, &ignored), o.indexAt(p, i, &clamped)
		if o.bits > shortest {
			d := o.stepTo(from, to)
			short := stepBits(d) < int(o.bits)
			w.Bool(!short)
			if short {
				w.Varint(d)
				continue
			}
		}
		w.Put(to, uint(o.bits))
	}
	return clamped
}

func decodeSteps(o *op, r *bits.Reader, base, p unsafe.Pointer) {
	var ignored int
	for i := range uintptr(o.count) {
		to, ok := o.readStep(r, o.indexAt(base, i, &ignored))
		if !ok {
			return
		}
		o.setIndex(p, i, to)
	}
}

// readStep reads one index, and refuses a form that encodeSteps does not choose.
func (o *op) readStep(r *bits.Reader, from uint64) (to uint64, ok bool) {
	full := o.bits <= shortest || r.Bool()
	if full {
		to = r.Bits(uint(o.bits))
	} else {
		to = o.stepFrom(from, r.Varint())
	}
	switch {
	case r.Err() != nil:
		return 0, false
	case to > o.lastIndex():
		r.Fail(ErrRange)
		return 0, false
	case o.bits > shortest && full == (stepBits(o.stepTo(from, to)) < int(o.bits)):
		r.Fail(ErrDelta)
		return 0, false
	default:
		return to, true
	}
}

// stepFrom is the index at a step from another; what lies beyond the ends comes
// out above lastIndex.
func (o *op) stepFrom(from uint64, d int64) uint64 {
	to := from + uint64(d)
	if o.kind != opAngle {
		return to
	}
	n := o.circle.count
	switch {
	case o.stepTo(0, uint64(d)) != d:
		return n // a step that goes the longer way, or around more than once
	case to >= n && d < 0:
		return to + n
	case to >= n:
		return to - n
	default:
		return to
	}
}

// encodeTurns writes each quaternion as 0 and three steps if the same component
// is largest and that is shorter, else as 1 and its bits.
func encodeTurns(o *op, w *bits.Writer, base, p unsafe.Pointer) (clamped int) {
	var ignored int
	for i := range uintptr(o.count) {
		from, to := o.quatCodeAt(base, i, &ignored), o.quatCodeAt(p, i, &clamped)
		d, short := o.quat.turn(from, to)
		w.Bool(!short)
		if !short {
			w.Put(to, uint(o.bits))
			continue
		}
		for _, step := range d {
			w.Varint(step)
		}
	}
	return clamped
}

func decodeTurns(o *op, r *bits.Reader, base, p unsafe.Pointer) {
	var ignored int
	for i := range uintptr(o.count) {
		from := o.quatCodeAt(base, i, &ignored)
		full := r.Bool()
		var to uint64
		if full {
			to = r.Bits(uint(o.bits))
		} else {
			to = o.quat.turned(from, [3]int64{r.Varint(), r.Varint(), r.Varint()})
		}
		if r.Err() != nil {
			return
		}
		if _, short := o.quat.turn(from, to); full == short {
			r.Fail(ErrDelta)
			return
		}
		if !o.setQuatAt(p, i, to) {
			r.Fail(ErrRange)
			return
		}
	}
}

// turn is the steps between two codes, and whether they are shorter than a code.
func (s *smallestThree) turn(from, to uint64) (d [3]int64, short bool) {
	largest, a, b, c := s.unpack(from)
	other, x, y, z := s.unpack(to)
	d = [3]int64{x - a, y - b, z - c}
	size := stepBits(d[0]) + stepBits(d[1]) + stepBits(d[2])
	return d, largest == other && size < int(2+3*s.width)
}

// turned is the code at three steps from another. Steps out of range come out as
// bits that are not canonical.
func (s *smallestThree) turned(from uint64, d [3]int64) uint64 {
	largest, a, b, c := s.unpack(from)
	k := [3]int64{a, b, c}
	for i := range k {
		if d[i] < -2*s.m || d[i] > 2*s.m {
			d[i] = 2 * s.m
		}
		k[i] = min(max(k[i]+d[i], -s.m), s.m+1)
	}
	return s.pack(largest, k[0], k[1], k[2])
}

func (o *op) quatCodeAt(p unsafe.Pointer, i uintptr, clamped *int) uint64 {
	if o.size == 4 {
		return quatCode(&o.quat, (*[4]float32)(unsafe.Add(p, i*16)), clamped)
	}
	return quatCode(&o.quat, (*[4]float64)(unsafe.Add(p, i*32)), clamped)
}

func (o *op) setQuatAt(p unsafe.Pointer, i uintptr, code uint64) bool {
	if o.size == 4 {
		return setQuat(&o.quat, (*[4]float32)(unsafe.Add(p, i*16)), code)
	}
	return setQuat(&o.quat, (*[4]float64)(unsafe.Add(p, i*32)), code)
}
