package wire

import (
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// longRun is the number of bytes from which on copying a run is faster than writing word by word.
const longRun = 24

func (o *op) isLong() bool { return o.span() >= longRun }

// encodeRaw writes numbers as they are in memory.
func encodeRaw(o *op, w *bits.Writer, p unsafe.Pointer, _ RefWriter) (clamped int) {
	switch {
	case o.count == 1:
		w.Put(loadWord(p, o.size), uint(o.bits))
	case o.isLong():
		w.Raw(memory(p, o.span()))
	default:
		for i := range uintptr(o.count) {
			w.Put(loadWord(unsafe.Add(p, i*uintptr(o.size)), o.size), uint(o.bits))
		}
	}
	return 0
}

func decodeRaw(o *op, r *bits.Reader, p unsafe.Pointer, _ RefReader, _ *int) {
	if o.isLong() {
		r.Raw(memory(p, o.span()))
		return
	}
	for i := range uintptr(o.count) {
		storeInt(unsafe.Add(p, i*uintptr(o.size)), o.size, r.Bits(uint(o.bits)))
	}
}

func encodeBools(o *op, w *bits.Writer, p unsafe.Pointer, _ RefWriter) (clamped int) {
	for i := range uintptr(o.count) {
		w.Put(uint64(*(*byte)(unsafe.Add(p, i)))&1, 1)
	}
	return 0
}

func decodeBools(o *op, r *bits.Reader, p unsafe.Pointer, _ RefReader, _ *int) {
	for i := range uintptr(o.count) {
		*(*byte)(unsafe.Add(p, i)) = byte(r.Bits(1))
	}
}
