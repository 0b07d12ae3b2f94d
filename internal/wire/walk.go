package wire

import (
	"bytes"
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// funcs are the functions of an op. They are looked up once, when the plan is compiled, because
// calling them through a pointer is faster than a switch for each value.
type funcs struct {
	encode encodeFunc
	decode decodeFunc
	equal  equalFunc
	round  roundFunc // nil if values are sent as they are
}

type (
	// encodeFunc writes the op's numbers, the first of which is at p, and returns how many were
	// clamped.
	encodeFunc func(o *op, w *bits.Writer, p unsafe.Pointer, refs RefWriter) (clamped int)

	// decodeFunc reads the op's numbers. r keeps an error. budget is the number of bytes that may
	// still be allocated; it is nil in plans without lists.
	decodeFunc func(o *op, r *bits.Reader, p unsafe.Pointer, refs RefReader, budget *int)

	// equalFunc reports whether the numbers at a and b have equal encodings.
	equalFunc func(o *op, a, b unsafe.Pointer) bool

	// roundFunc replaces the numbers at p by those that the other side decodes.
	roundFunc func(o *op, p unsafe.Pointer) (clamped int)
)

func funcsOf(o *op) funcs {
	switch o.kind {
	case opBool:
		return funcs{encodeBools, decodeBools, equalMemory, nil}
	case opInt:
		return funcs{encodeInts, decodeInts, equalInts, roundInts}
	case opWhole:
		return funcs{encodeWhole, decodeWhole, equalMemory, nil}
	case opQuantised, opQuat, opAngle:
		if o.size == 4 {
			return floatFuncs[float32](o)
		}
		return floatFuncs[float64](o)
	case opRef:
		return funcs{encodeRefs, decodeRefs, equalMemory, nil}
	case opCodec:
		return funcs{encodeByCodec, decodeByCodec, equalByCodec, roundByCodec}
	case opRepeat:
		return funcs{encodeRepeated, decodeRepeated, equalRepeated, roundRepeated}
	case opText, opBytes:
		return funcs{encodeText, decodeText, equalText, nil}
	case opSlice:
		return funcs{encodeSlice, decodeSlice, equalSlice, nil}
	default:
		return funcs{encodeRaw, decodeRaw, equalMemory, nil}
	}
}

// floatFuncs returns the functions for floats. It replaces the general ones by faster ones for
// common cases: vectors of float32 and a single rotation of float32.
func floatFuncs[F float](o *op) (f funcs) {
	switch o.kind {
	case opAngle:
		return funcs{encodeAngles[F], decodeAngles[F], equalAngles[F], roundAngles[F]}
	case opQuat:
		f = funcs{encodeQuats[F], decodeQuats[F], equalQuats[F], roundQuats[F]}
		if o.size == 4 && o.count == 1 {
			f.encode, f.decode = encodeQuat, decodeQuat
		}
	default:
		f = funcs{encodeQuantised[F], decodeQuantised[F], equalQuantised[F], roundQuantised[F]}
		if o.size == 4 && uint32(o.batch) >= o.count && o.bits < 32 && o.lattice.bias == 0 {
			decode := f.decode
			switch o.count {
			case 2:
				f.encode, decode = encodeVector2, decodeVector2
			case 3:
				f.encode, decode = encodeVector3, decodeVector3
			}
			if o.count*uint32(o.bits) <= bits.PeekBits {
				f.decode = decode
			}
		}
	}
	return f
}

// encodeOps writes the value at p.
func encodeOps(ops []op, w *bits.Writer, p unsafe.Pointer, refs RefWriter) (clamped int) {
	for i := range ops {
		o := &ops[i]
		clamped += o.encode(o, w, unsafe.Add(p, o.offset), refs)
	}
	return clamped
}

// decodeOps reads the value at p. It stops at the first error, which r keeps.
func decodeOps(ops []op, r *bits.Reader, p unsafe.Pointer, refs RefReader, budget *int) {
	for i := range ops {
		o := &ops[i]
		o.decode(o, r, unsafe.Add(p, o.offset), refs, budget)
		if r.Err() != nil {
			return
		}
	}
}

// equalOps reports whether the values at a and b have equal encodings.
func equalOps(ops []op, a, b unsafe.Pointer) bool {
	for i := range ops {
		o := &ops[i]
		if !o.equal(o, unsafe.Add(a, o.offset), unsafe.Add(b, o.offset)) {
			return false
		}
	}
	return true
}

// roundOps replaces the value at p by what the other side decodes.
func roundOps(ops []op, p unsafe.Pointer) (clamped int) {
	for i := range ops {
		if o := &ops[i]; o.round != nil {
			clamped += o.round(o, unsafe.Add(p, o.offset))
		}
	}
	return clamped
}

func equalMemory(o *op, a, b unsafe.Pointer) bool {
	return bytes.Equal(memory(a, o.span()), memory(b, o.span()))
}

func encodeRepeated(o *op, w *bits.Writer, p unsafe.Pointer, refs RefWriter) (clamped int) {
	for i := range uintptr(o.count) {
		clamped += encodeOps(o.body, w, unsafe.Add(p, i*o.step), refs)
	}
	return clamped
}

func decodeRepeated(o *op, r *bits.Reader, p unsafe.Pointer, refs RefReader, budget *int) {
	for i := range uintptr(o.count) {
		decodeOps(o.body, r, unsafe.Add(p, i*o.step), refs, budget)
	}
}

func equalRepeated(o *op, a, b unsafe.Pointer) bool {
	for i := range uintptr(o.count) {
		if !equalOps(o.body, unsafe.Add(a, i*o.step), unsafe.Add(b, i*o.step)) {
			return false
		}
	}
	return true
}

func roundRepeated(o *op, p unsafe.Pointer) (clamped int) {
	for i := range uintptr(o.count) {
		clamped += roundOps(o.body, unsafe.Add(p, i*o.step))
	}
	return clamped
}
