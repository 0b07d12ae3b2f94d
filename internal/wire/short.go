package wire

import (
	"slices"
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Short is a plan as a ShortRun reads its values. A value that is one code of a few bits (a vector, a
// rotation, an angle or a number) is decoded as one; others are copied or decoded by the plan. All
// values are checked before the first is written to its destination.
type Short struct {
	kind  shortKind
	width uint // bits of one number
	bits  uint // bits of a value; 0 if they may differ
	least uint // bits of the shortest value
	mask  uint64
	op    *op
	plan  *Plan
	parts *quatParts // as in Plan
	at    uintptr    // offset of the numbers in a value
	size  int        // bytes of a value
}

type shortKind uint8

const (
	shortWord shortKind = iota // a number as it is in memory
	shortInt
	shortFloat // one quantised float
	shortVector2
	shortVector3
	shortQuat
	shortAngle
	shortBytes // a value as it is in memory
	shortWhole // one integer without a range
	shortAny   // any other value
)

// maxShortSize is the size of the largest value of a Short, in bytes. It bounds the memory of a run;
// larger values gain little from it.
const maxShortSize = 256

// Short returns p as a Short, or nil if its values are sent by a codec, have references, are large or
// have no bits.
func (p *Plan) Short() *Short {
	least := minBits(p.ops)
	if least == 0 || p.memory <= 0 || p.memory > maxShortSize || p.HasRefs() || p.codec() != nil {
		return nil
	}
	o := &p.ops[0]
	s := &Short{kind: shortAny, plan: p, op: o, size: p.size, least: uint(least)}
	if kind, ok := shortKindOf(o); ok && len(p.ops) == 1 && len(p.skipped) == 0 && o.maxBits() <= bits.PeekBits {
		s.kind, s.width, s.bits, s.parts, s.at = kind, uint(o.bits), uint(o.maxBits()), p.parts, o.offset
		s.mask = 1<<s.bits - 1
		return s
	}
	switch {
	case p.exact && !slices.ContainsFunc(p.ops, func(o op) bool { return o.kind != opRaw }):
		s.kind, s.bits = shortBytes, uint(p.maxBits)
	case p.exact && o.kind == opWhole && o.count == 1 && len(p.ops) == 1 && o.size*8 == o.bits:
		s.kind = shortWhole
	}
	return s
}

// shortKindOf returns the kind of an op that sends each value as one code; ok is false for any
// other op. The lattice of a vector has to be one that decodeVector3 can handle.
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

// MaxShorts is the largest number of values in a record of a ShortRun.
const MaxShorts = 8

// fits reports whether a code is in range. ShortRun itself checks the two kinds that are not handled
// here.
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

// writeCode writes the value of a code that was checked.
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
