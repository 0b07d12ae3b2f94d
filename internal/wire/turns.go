package wire

import (
	"math"
	"unsafe"

	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
)

// In a value that is not usual, a rotation begins with one of these. turnSteps means that the
// largest component is the expected one and three steps follow. turnAlike means that the rotation
// is exactly as expected. turnFurther is followed by 2 bits. If these are not 0, the largest
// component is so many positions further on than expected, and three steps follow from the expected
// rotation with that component left out. If they are 0, the code follows in full, because a step
// would exceed a quarter of all values.
const (
	turnSteps   = 0b0
	turnAlike   = 0b01 // the lower bit is sent first
	turnFurther = 0b11
)

// spread returns the four components of a code, all in the same steps. The largest one is the
// square root of what remains of the squared length after subtracting the squares of the three.
func (s *smallestThree) spread(code uint64) (q [4]int64) {
	largest, a, b, c := s.unpack(code)
	q[(largest+1)&3], q[(largest+2)&3], q[(largest+3)&3] = a, b, c
	q[largest&3] = root(2*s.m*s.m - a*a - b*b - c*c)
	return q
}

// root returns the whole number nearest to the square root of n, which must be below 2^32; for
// negative n it returns 0. math.Sqrt is correctly rounded, so the result is the same on all
// machines.
func root(n int64) (r int64) {
	r = int64(math.Sqrt(float64(max(n, 0))))
	if n-r*r > r {
		r++
	}
	return r
}

// without returns three of the four components, without the given one, as in the code of a rotation
// of which that one is the largest.
func (s *smallestThree) without(q [4]int64, largest uint64) (k [3]int64) {
	sign := q[largest&3] >> 63
	for i := range k {
		v := (q[(largest+1+uint64(i))&3] ^ sign) - sign
		k[i] = min(max(v, -s.m), s.m)
	}
	return k
}

// seenFrom returns the three components that a code would have if another component were the
// largest.
func (s *smallestThree) seenFrom(code, largest uint64) [3]int64 {
	if at, a, b, c := s.unpack(code); at == largest {
		return [3]int64{a, b, c}
	}
	return s.without(s.spread(code), largest)
}

// farthest returns the highest class of steps that are written as steps.
func (s *smallestThree) farthest() uint8 { return uint8(s.width) - 2 }

func (d *deltaWriter) turns(o *op, from origin, p unsafe.Pointer) {
	d.Enter(o.like, o.turnBits())
	for i := range uintptr(o.count) {
		d.turnTo(o, d.expectTurn(o, from, i), o.quatCodeAt(p, i, &d.clamped))
	}
}

// turnTo writes one rotation as a difference.
func (d *deltaWriter) turnTo(o *op, expected, to uint64) {
	steps, short := o.quat.steps(expected, to)
	further := (to - expected) & 3
	asUsual := short && further == 0 && expected != to
	switch {
	case d.isUsual(asUsual):
	case asUsual:
		d.w.Put(turnSteps, 1)
	case expected == to:
		d.w.Put(turnAlike, 2)
		d.NoteTurn(steps)
		return
	case !short:
		d.w.Put(turnFurther, 4)
		d.w.Put(to, uint(o.bits))
		d.NoteTurnWhole(o.quat.farthest())
		return
	default:
		d.w.Put(turnFurther|further<<2, 4)
	}
	for i, step := range steps {
		d.step(d.Turn(i), step)
	}
}

// steps returns the steps from one code to another, and whether they are short enough to be written
// as steps.
func (s *smallestThree) steps(from, to uint64) (d [3]int64, short bool) {
	largest, a, b, c := s.unpack(to)
	k := s.seenFrom(from, largest)
	d = [3]int64{a - k[0], b - k[1], c - k[2]}
	most := max(stepcode.ClassOf(d[0]), stepcode.ClassOf(d[1]), stepcode.ClassOf(d[2]))
	return d, most <= s.farthest()
}

func (d *deltaReader) turns(o *op, from origin, p unsafe.Pointer) {
	d.Enter(o.like, o.turnBits())
	for i := range uintptr(o.count) {
		expected := d.expectTurn(o, from, i)
		t := d.readTurn(o)
		to := t.code
		if !t.whole {
			var ok bool
			if to, ok = o.quat.turned(expected, &t); !ok {
				d.r.Fail(ErrRange)
			}
		} else if _, short := o.quat.steps(expected, to); short {
			d.r.Fail(stepcode.ErrDelta)
		}
		if d.r.Err() == nil && !o.setQuatAt(p, i, to) {
			d.r.Fail(ErrRange)
		}
		if d.r.Err() != nil {
			return
		}
	}
}

func (d *deltaReader) skipTurns(o *op) {
	d.Enter(o.like, o.turnBits())
	for range o.count {
		d.readTurn(o)
	}
}

// readTurn is a rotation in the form in which it was read.
type readTurn struct {
	further uint64
	steps   [3]int64
	code    uint64
	whole   bool
}

func (d *deltaReader) readTurn(o *op) (t readTurn) {
	if !d.usually && d.r.Bool() {
		d.unusual = true
		if !d.r.Bool() {
			d.NoteTurn(t.steps)
			return t
		}
		if t.further = d.r.Bits(2); t.further == 0 {
			t.code, t.whole = d.r.Bits(uint(o.bits)), true
			d.NoteTurnWhole(o.quat.farthest())
			return t
		}
	}
	for i := range t.steps {
		t.steps[i], _ = d.readTurnStep(o, i)
	}
	if t.further == 0 && t.steps == [3]int64{} {
		d.r.Fail(stepcode.ErrDelta)
	}
	return t
}

// readTurnStep reads one of three steps.
func (d *deltaReader) readTurnStep(o *op, i int) (step int64, ok bool) {
	step, whole := stepcode.ReadStep(d.r, d.Turn(i))
	if whole || stepcode.ClassOf(step) > o.quat.farthest() {
		d.r.Fail(stepcode.ErrDelta)
		return 0, false
	}
	d.Note(step)
	return step, true
}

// turned returns the code that is the read steps away from the expected one. ok is false if it is
// out of range.
func (s *smallestThree) turned(expected uint64, t *readTurn) (code uint64, ok bool) {
	largest := (expected + t.further) & 3
	k := s.seenFrom(expected, largest)
	for i := range k {
		k[i] += t.steps[i]
		if k[i] < -s.m || k[i] > s.m {
			return 0, false
		}
	}
	return s.pack(largest, k[0], k[1], k[2]), true
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
