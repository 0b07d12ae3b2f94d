package wire

import (
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Short is the plan of a type with values that are one code of a few bits each: a
// vector, a rotation, an angle, a number. Several of them can be decoded directly
// into their destinations, since all codes are checked before a value is written.
type Short struct {
	kind  shortKind
	width uint // bits of one number
	bits  uint // bits of all
	mask  uint64
	op    *op
	parts *quatParts // as in Plan
	at    uintptr    // where the numbers begin in a value
	size  int        // bytes of a value
}

type shortKind uint8

const (
	shortWord shortKind = iota // as it is in memory
	shortInt
	shortFloat // one quantised float
	shortVector2
	shortVector3
	shortQuat
	shortAngle
)

// Short returns the plan in the form of codes, or nil if it has none.
func (p *Plan) Short() *Short {
	if len(p.ops) != 1 || len(p.skipped) > 0 || p.memory < 0 {
		return nil
	}
	o := &p.ops[0]
	kind, ok := shortKindOf(o)
	if !ok {
		return nil
	}
	s := &Short{kind: kind, width: uint(o.bits), bits: uint(o.bits) * uint(o.count), op: o, parts: p.parts, at: o.offset, size: p.size}
	if s.bits > bits.PeekBits {
		return nil
	}
	s.mask = 1<<s.bits - 1
	return s
}

// shortKindOf returns the kind of an op whose values are one code each; ok is false for any
// other op. A vector has to be in a lattice that decodeVector3 can read.
func shortKindOf(o *op) (kind shortKind, ok bool) {
	switch {
	case o.kind == opQuantised && o.count > 1:
		vector := o.size == 4 && o.lattice.bias == 0 && o.count <= 3
		return shortVector2 + shortKind(o.count&1), vector
	case o.count != 1:
		return 0, false
	}
	switch o.kind {
	case opRaw, opBool:
		return shortWord, true
	case opInt:
		return shortInt, true
	case opQuantised:
		return shortFloat, true
	case opQuat:
		return shortQuat, o.size == 4
	case opAngle:
		return shortAngle, true
	default:
		return 0, false
	}
}

// MaxShorts is the largest number of values that one call decodes.
const MaxShorts = 8

// DecodeShorts reads a value for each plan, as Decode does, into memory that must
// hold a whole value. At most MaxShorts are read. On an error, which r keeps as
// well, none of the values is changed.
func DecodeShorts(plans []*Short, r *bits.Reader, values *[MaxShorts]*byte) error {
	var codes [MaxShorts]uint64
	if len(plans) > MaxShorts {
		plans = plans[:MaxShorts]
	}
	for i, s := range plans {
		code := r.Peek() & s.mask
		r.Skip(s.bits)
		codes[i&(MaxShorts-1)] = code
		var ok bool
		switch o := s.op; s.kind {
		case shortVector3:
			w := s.width & 31
			one := uint64(1)<<w - 1
			ok = max(code&one, code>>w&one, code>>w>>w) <= o.lattice.last
		case shortQuat:
			_, a, b, c := o.quat.unpack(code)
			ok = o.quat.canonical(a, b, c)
		default:
			ok = s.fits(code)
		}
		if !ok {
			r.Fail(ErrRange)
		}
	}
	if r.Err() != nil {
		return r.Err()
	}
	for i, s := range plans {
		s.writeCode(values[i&(MaxShorts-1)], codes[i&(MaxShorts-1)])
	}
	return nil
}

// fits reports whether a code is in range, for all kinds but the two that DecodeShorts checks
// itself.
func (s *Short) fits(code uint64) bool {
	o := s.op
	switch s.kind {
	case shortVector2:
		w := s.width & 31
		return max(code&(1<<w-1), code>>w) <= o.lattice.last
	case shortFloat:
		return code <= o.lattice.last
	case shortInt:
		return code <= o.ints.span
	case shortAngle:
		return code < o.circle.count
	default:
		return true
	}
}

// writeCode writes a checked code.
func (s *Short) writeCode(value *byte, code uint64) {
	o, p := s.op, unsafe.Add(unsafe.Pointer(value), s.at)
	switch s.kind {
	case shortVector3:
		v, l, w := (*[3]float32)(p), &o.lattice, s.width&31
		one := uint64(1)<<w - 1
		v[0], v[1], v[2] = float32(l.valueWhole(code&one)), float32(l.valueWhole(code>>w&one)), float32(l.valueWhole(code>>w>>w))
	case shortQuat:
		largest, a, b, c := o.quat.unpack(code)
		putQuat(&o.quat, (*[4]float32)(p), largest, a, b, c)
	case shortVector2:
		v, l, w := (*[2]float32)(p), &o.lattice, s.width&31
		v[0], v[1] = float32(l.valueWhole(code&(1<<w-1))), float32(l.valueWhole(code>>w))
	case shortFloat:
		o.setFloat(p, 0, o.lattice.valueAt(code))
	case shortInt:
		storeInt(p, o.size, o.ints.low+code)
	case shortAngle:
		o.setFloat(p, 0, o.circle.valueAt(code))
	default:
		storeInt(p, o.size, code)
	}
}
