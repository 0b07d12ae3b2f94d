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

func (iv *interval) width() uint8 { return uint8(bits.Len64(iv.span)) }

// index returns how far v lies above the low limit, and counts it if it lies
// outside.
func (iv *interval) index(v uint64, clamped *int) uint64 {
	if index := v - iv.low; index <= iv.span {
		return index
	}
	*clamped++
	if iv.below(v) {
		return 0
	}
	return iv.span
}

func (iv *interval) below(v uint64) bool {
	if iv.signed {
		return int64(v) < int64(iv.low)
	}
	return v < iv.low
}

// int is number i of the run at p.
func (o *op) int(p unsafe.Pointer, i uintptr) uint64 {
	return loadInt(unsafe.Add(p, i*uintptr(o.size)), o.size, o.ints.signed)
}

func encodeInts(o *op, w *bitio.Writer, p unsafe.Pointer, _ RefWriter) (clamped int) {
	for i := range uintptr(o.count) {
		w.Put(o.ints.index(o.int(p, i), &clamped), uint(o.bits))
	}
	return clamped
}

func decodeInts(o *op, r *bitio.Reader, p unsafe.Pointer, _ RefReader, _ *int) {
	for i := range uintptr(o.count) {
		index := r.Bits(uint(o.bits))
		if index > o.ints.span {
			r.Fail(ErrRange)
			return
		}
		storeInt(unsafe.Add(p, i*uintptr(o.size)), o.size, o.ints.low+index)
	}
}

func equalInts(o *op, a, b unsafe.Pointer) bool {
	var ignored int
	for i := range uintptr(o.count) {
		x, y := o.int(a, i), o.int(b, i)
		if x != y && o.ints.index(x, &ignored) != o.ints.index(y, &ignored) {
			return false
		}
	}
	return true
}

func roundInts(o *op, p unsafe.Pointer) (clamped int) {
	for i := range uintptr(o.count) {
		index := o.ints.index(o.int(p, i), &clamped)
		storeInt(unsafe.Add(p, i*uintptr(o.size)), o.size, o.ints.low+index)
	}
	return clamped
}

// encodeWide writes int and uint, whose size in memory differs between
// machines, as 64 bits.
func encodeWide(o *op, w *bitio.Writer, p unsafe.Pointer, _ RefWriter) (clamped int) {
	for i := range uintptr(o.count) {
		w.Put(o.int(p, i), 64)
	}
	return 0
}

// decodeWide refuses a number that this machine's int cannot hold.
func decodeWide(o *op, r *bitio.Reader, p unsafe.Pointer, _ RefReader, _ *int) {
	for i := range uintptr(o.count) {
		v := r.Bits(64)
		storeInt(unsafe.Add(p, i*uintptr(o.size)), o.size, v)
		if o.int(p, i) != v {
			r.Fail(ErrRange)
			return
		}
	}
}
