package wire

import (
	"math"
	"unsafe"

	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
)

// A rotation begins, unless all is as usual, with 0 if the component that is expected to be largest is, and
// three steps follow; with 10 if it is as expected; and else with 11 and, in 2 bits,
// how many places further on the largest is: three steps follow, from the expected
// rotation with that component left out. Or these are 0, and the code in full
// follows, where a step reaches over a quarter of all values.
const (
	turnSteps   = 0b0
	turnAlike   = 0b01 // on the wire the lower bit comes first
	turnFurther = 0b11
)

// spread returns a code as four components. The largest is the root of the rest that the
// squares of the three leave, in the same steps.
func (s *smallestThree) spread(code uint64) (q [4]int64) {
	largest, a, b, c := s.unpack(code)
	q[(largest+1)&3], q[(largest+2)&3], q[(largest+3)&3] = a, b, c
	q[largest&3] = root(2*s.m*s.m - a*a - b*b - c*c)
	return q
}

// root is the whole number nearest to the root of one that is below 2^32, and 0 for one
// below 0. The root of a float64 is the one nearest to the true one, on all machines.
func root(n int64) (r int64) {
	r = int64(math.Sqrt(float64(max(n, 0))))
	if n-r*r > r {
		r++
	}
	return r
}

// without leaves out one of the four components, as in the code of a rotation in which
// that component is the largest.
func (s *smallestThree) without(q [4]int64, largest uint64) (k [3]int64) {
	sign := q[largest&3] >> 63
	for i := range k {
		v := (q[(largest+1+uint64(i))&3] ^ sign) - sign
		k[i] = min(max(v, -s.m), s.m)
	}
	return k
}

// seenFrom returns the three components of a code as if another component were the largest.
func (s *smallestThree) seenFrom(code, largest uint64) [3]int64 {
	if at, a, b, c := s.unpack(code); at == largest {
		return [3]int64{a, b, c}
	}
	return s.without(s.spread(code), largest)
}

// farthest returns the largest class of a step that is written.
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

// steps returns the steps from one code to another, and whether they are written as such.
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

// readTurn is the form in which a rotation was written.
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
	h := d.Turn(i)
	step, instead := stepcode.ReadStep(d.r, d.BookFor(h), h)
	if instead || stepcode.ClassOf(step) > o.quat.farthest() {
		d.r.Fail(stepcode.ErrDelta)
		return 0, false
	}
	d.Note(step)
	return step, true
}

// turned returns the code at the read steps from the expected code.
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
