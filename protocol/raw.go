package protocol

import (
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// encodeRaw writes numbers as they are in memory.
func (o *op) encodeRaw(w *bits.Writer, p unsafe.Pointer) {
	if o.count >= longRun && littleEndian() {
		w.Raw(memory(p, o.span()))
		return
	}
	for i := range uintptr(o.count) {
		w.Bits(loadInt(unsafe.Add(p, i*uintptr(o.size)), o.size, false), uint(o.bits))
	}
}

func (o *op) decodeRaw(r *bits.Reader, p unsafe.Pointer) {
	if o.count >= longRun && littleEndian() {
		r.Raw(memory(p, o.span()))
		return
	}
	for i := range uintptr(o.count) {
		storeInt(unsafe.Add(p, i*uintptr(o.size)), o.size, r.Bits(uint(o.bits)))
	}
}

func (o *op) encodeBools(w *bits.Writer, p unsafe.Pointer) {
	for i := range uintptr(o.count) {
		w.Bits(uint64(*(*byte)(unsafe.Add(p, i))), 1)
	}
}

func (o *op) decodeBools(r *bits.Reader, p unsafe.Pointer) {
	for i := range uintptr(o.count) {
		*(*byte)(unsafe.Add(p, i)) = byte(r.Bits(1))
	}
}
