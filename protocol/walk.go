package protocol

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// longRun is where a run of words is better copied than written one by one.
const longRun = 8

// encodeOps writes the value at p.
func encodeOps(ops []op, w *bits.Writer, p unsafe.Pointer, refs RefWriter) (clamped int) {
	for i := range ops {
		o := &ops[i]
		at := unsafe.Add(p, o.offset)
		switch o.kind {
		case opRaw:
			o.encodeRaw(w, at)
		case opBool:
			o.encodeBools(w, at)
		case opQuantised:
			clamped += o.encodeQuantised(w, at)
		case opQuat:
			clamped += o.encodeQuats(w, at)
		case opInt:
			clamped += o.encodeInts(w, at)
		case opAngle:
			clamped += o.encodeAngles(w, at)
		case opWide:
			o.encodeWide(w, at)
		case opRef:
			o.encodeRefs(w, at, refs)
		case opRepeat:
			for j := range uintptr(o.count) {
				clamped += encodeOps(o.body, w, unsafe.Add(at, j*o.step), refs)
			}
		case opText, opBytes, opSlice:
			clamped += o.encodeList(w, at, refs)
		}
	}
	return clamped
}

// decoder is what decoding a value needs beside its plan.
type decoder struct {
	r      *bits.Reader
	refs   RefReader
	budget *int // bytes that may still be allocated
}

// decodeOps reads the value at p. It ends at the first error, which r keeps.
func decodeOps(ops []op, d decoder, p unsafe.Pointer) {
	for i := range ops {
		o := &ops[i]
		at := unsafe.Add(p, o.offset)
		switch o.kind {
		case opRaw:
			o.decodeRaw(d.r, at)
		case opBool:
			o.decodeBools(d.r, at)
		case opQuantised:
			o.decodeQuantised(d.r, at)
		case opQuat:
			o.decodeQuats(d.r, at)
		case opInt:
			o.decodeInts(d.r, at)
		case opAngle:
			o.decodeAngles(d.r, at)
		case opWide:
			o.decodeWide(d.r, at)
		case opRef:
			o.decodeRefs(d.r, at, d.refs)
		case opSkip:
			clear(memory(at, o.span()))
		case opRepeat:
			for j := range uintptr(o.count) {
				decodeOps(o.body, d, unsafe.Add(at, j*o.step))
			}
		case opText, opBytes, opSlice:
			o.decodeList(d, at)
		}
		if d.r.Err() != nil {
			return
		}
	}
}

// equalOps reports whether the values at a and b have equal encodings.
func equalOps(ops []op, a, b unsafe.Pointer) bool {
	for i := range ops {
		o := &ops[i]
		if !o.equal(unsafe.Add(a, o.offset), unsafe.Add(b, o.offset)) {
			return false
		}
	}
	return true
}

func (o *op) equal(a, b unsafe.Pointer) bool {
	switch o.kind {
	case opQuantised:
		return o.equalQuantised(a, b)
	case opQuat:
		return o.equalQuats(a, b)
	case opInt:
		return o.equalInts(a, b)
	case opAngle:
		return o.equalAngles(a, b)
	case opSkip:
		return true
	case opRepeat:
		for j := range uintptr(o.count) {
			if !equalOps(o.body, unsafe.Add(a, j*o.step), unsafe.Add(b, j*o.step)) {
				return false
			}
		}
		return true
	case opText, opBytes, opSlice:
		return o.equalList(a, b)
	default:
		return bytes.Equal(memory(a, o.span()), memory(b, o.span()))
	}
}

// roundOps rounds the value at p to what the other side decodes.
func roundOps(ops []op, p unsafe.Pointer) (clamped int) {
	for i := range ops {
		o := &ops[i]
		at := unsafe.Add(p, o.offset)
		switch o.kind {
		case opQuantised:
			clamped += o.roundQuantised(at)
		case opQuat:
			clamped += o.roundQuats(at)
		case opInt:
			clamped += o.roundInts(at)
		case opAngle:
			clamped += o.roundAngles(at)
		case opRepeat:
			for j := range uintptr(o.count) {
				clamped += roundOps(o.body, unsafe.Add(at, j*o.step))
			}
		}
	}
	return clamped
}

func sizeMismatch(p *Plan, n int) string {
	return fmt.Sprintf("protocol: a value of %s is %d bytes, got %d: pass exactly the memory of one value", p.typ, p.size, n)
}
