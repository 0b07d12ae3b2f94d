package protocol

import (
	"math/bits"
	"unsafe"

	bitio "github.com/entangle-ecs/entangle/protocol/bits"
)

// interval is the declared range of an integer, limits included. Signed and
// unsigned numbers share the arithmetic: both are taken modulo 2^64.
type interval struct {
	low    uint64
	span   uint64 // high - low
	signed bool
}

func (iv interval) width() uint8 { return uint8(bits.Len64(iv.span)) }

// index returns how far v lies above the low limit, and 1 if it was clamped.
func (iv interval) index(v uint64) (index uint64, clamped int) {
	index = v - iv.low
	if index <= iv.span {
		return index, 0
	}
	if iv.below(v) {
		return 0, 1
	}
	return iv.span, 1
}

func (iv interval) below(v uint64) bool {
	if iv.signed {
		return int64(v) < int64(iv.low)
	}
	return v < iv.low
}

func (o *op) encodeInts(w *bitio.Writer, p unsafe.Pointer) (clamped int) {
	for i := range uintptr(o.count) {
		index, out := o.ints.index(loadInt(unsafe.Add(p, i*uintptr(o.size)), o.size, o.ints.signed))
		w.Bits(index, uint(o.bits))
		clamped += out
	}
	return clamped
}

func (o *op) decodeInts(r *bitio.Reader, p unsafe.Pointer) {
	for i := range uintptr(o.count) {
		index := r.Bits(uint(o.bits))
		if index > o.ints.span {
			r.Fail(ErrRange)
			return
		}
		storeInt(unsafe.Add(p, i*uintptr(o.size)), o.size, o.ints.low+index)
	}
}

func (o *op) equalInts(a, b unsafe.Pointer) bool {
	for i := range uintptr(o.count) {
		x := loadInt(unsafe.Add(a, i*uintptr(o.size)), o.size, o.ints.signed)
		y := loadInt(unsafe.Add(b, i*uintptr(o.size)), o.size, o.ints.signed)
		if x == y {
			continue
		}
		ix, _ := o.ints.index(x)
		iy, _ := o.ints.index(y)
		if ix != iy {
			return false
		}
	}
	return true
}

func (o *op) roundInts(p unsafe.Pointer) (clamped int) {
	for i := range uintptr(o.count) {
		at := unsafe.Add(p, i*uintptr(o.size))
		index, out := o.ints.index(loadInt(at, o.size, o.ints.signed))
		if out != 0 {
			storeInt(at, o.size, o.ints.low+index)
			clamped++
		}
	}
	return clamped
}

// encodeWide writes int and uint, whose size in memory differs between
// machines, as 64 bits.
func (o *op) encodeWide(w *bitio.Writer, p unsafe.Pointer) {
	for i := range uintptr(o.count) {
		w.Bits(loadInt(unsafe.Add(p, i*uintptr(o.size)), o.size, o.ints.signed), 64)
	}
}

// decodeWide refuses a number that this machine's int cannot hold.
func (o *op) decodeWide(r *bitio.Reader, p unsafe.Pointer) {
	for i := range uintptr(o.count) {
		at := unsafe.Add(p, i*uintptr(o.size))
		v := r.Bits(64)
		storeInt(at, o.size, v)
		if loadInt(at, o.size, o.ints.signed) != v {
			r.Fail(ErrRange)
			return
		}
	}
}
