package wire

import (
	"unsafe"

	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
)

// In a difference, a number that is sent as an index is written as a step from its expected index,
// forwards or backwards. If a step exceeds about a quarter of all indexes, the index is written in
// full instead. Indexes of up to 4 bits are always written in full, because a step takes at least 4
// bits too if its class was not predicted.

// maxWholeBits is the most bits of an index that is always written in full.
const maxWholeBits = 4

// indexAt returns the index that is sent for number i of the run at p.
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
		o.setFloat(p, i, o.circle.valueAt(index))
	default:
		o.setFloat(p, i, o.lattice.valueAt(index))
	}
}

// lastIndex returns the largest index.
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

// stepTo returns the step from one index to another. Angles take the shorter way
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

// stepFrom returns the index that is d away from another. If it is out of range, it is above
// lastIndex; angles wrap around.
func (o *op) stepFrom(from uint64, d int64) uint64 {
	to := from + uint64(d)
	if o.kind != opAngle {
		return to
	}
	switch n := o.circle.count; {
	case to < n:
		return to
	case d < 0:
		return to + n
	default:
		return to - n
	}
}

// turnBits returns the number of bits of one component of a rotation, or 0 for other numbers.
func (o *op) turnBits() uint8 {
	if o.kind != opQuat {
		return 0
	}
	return uint8(o.quat.width)
}

// farthest returns the highest class of steps that are written as steps. For angles, a step of that
// class is still the shorter way around.
func (o *op) farthest() uint8 { return min(o.bits-2, stepcode.Classes-1) }

// step writes a step.
func (d *deltaWriter) step(h stepcode.Hint, step int64) {
	stepcode.WriteStep(d.w, h, step)
	d.Note(step)
}

func (d *deltaWriter) numbers(o *op, from origin, p unsafe.Pointer) {
	d.Enter(o.like, o.turnBits())
	for i := range uintptr(o.count) {
		to := o.indexAt(p, i, &d.clamped)
		step := o.stepTo(d.expect(o, from, i), to)
		if stepcode.ClassOf(step) > o.farthest() {
			stepcode.WriteWhole(d.w, d.Number())
			d.w.Put(to, uint(o.bits))
			d.NoteWhole(o.farthest())
			continue
		}
		d.step(d.Number(), step)
	}
}

func (d *deltaReader) numbers(o *op, from origin, p unsafe.Pointer) {
	d.Enter(o.like, o.turnBits())
	for i := range uintptr(o.count) {
		to, step, whole := d.readNumber(o)
		expected := d.expect(o, from, i)
		if !whole {
			to = o.stepFrom(expected, step)
		}
		switch {
		case d.r.Err() != nil:
			return
		case to > o.lastIndex():
			d.r.Fail(ErrRange)
			return
		case whole && stepcode.ClassOf(o.stepTo(expected, to)) <= o.farthest():
			d.r.Fail(stepcode.ErrDelta)
			return
		}
		o.setIndex(p, i, to)
	}
}

func (d *deltaReader) skipNumbers(o *op) {
	d.Enter(o.like, o.turnBits())
	for range o.count {
		d.readNumber(o)
	}
}

// readNumber reads a step, or an index that was written in full; whole tells which.
func (d *deltaReader) readNumber(o *op) (index uint64, step int64, whole bool) {
	step, whole = stepcode.ReadStep(d.r, d.Number())
	switch {
	case whole:
		index = d.r.Bits(uint(o.bits))
		d.NoteWhole(o.farthest())
	case stepcode.ClassOf(step) > o.farthest():
		d.r.Fail(stepcode.ErrDelta)
	default:
		d.Note(step)
	}
	return index, step, whole
}
