package wire

import (
	"unsafe"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// encodeChanged writes the changed numbers of a run in full. Before each number stands a bit for
// whether it changed; a run of one number has no such bit.
func encodeChanged(o *op, w *bits.Writer, base, p unsafe.Pointer, refs RefWriter) {
	single := o.single
	for i := range uintptr(o.count) {
		from, to := unsafe.Add(base, i*uintptr(o.size)), unsafe.Add(p, i*uintptr(o.size))
		if o.count > 1 {
			changed := !equalMemory(single, from, to)
			w.Bool(changed)
			if !changed {
				continue
			}
		}
		o.encode(single, w, to, refs)
	}
}

func decodeChanged(o *op, r *bits.Reader, base, p unsafe.Pointer, refs RefReader) {
	single := o.single
	for i := range uintptr(o.count) {
		if o.count > 1 && !r.Bool() {
			continue
		}
		from, to := unsafe.Add(base, i*uintptr(o.size)), unsafe.Add(p, i*uintptr(o.size))
		o.decode(single, r, to, refs, nil)
		if r.Err() == nil && equalMemory(single, from, to) {
			r.Fail(stepcode.ErrDelta)
		}
		if r.Err() != nil {
			return
		}
	}
}

func skipChanged(o *op, r *bits.Reader) {
	for range o.count {
		switch {
		case o.count > 1 && !r.Bool():
		case o.kind == opRef:
			r.Uvarint()
		case o.kind == opWhole:
			readWhole(r, o.bits)
		default:
			r.Skip(uint(o.bits))
		}
	}
}

// skip decodes a value to find where it ends.
func (k *Codec) skip(r *bits.Reader) {
	s := k.borrow()
	defer k.buffers.Put(s)
	if s.value == nil {
		s.value = k.Fresh()
	}
	k.readValue(r, s.value, anyRefs{})
}

// anyRefs is a table of references in which every index is valid.
type anyRefs struct{}

// At implements RefReader.
func (anyRefs) At(uint32) (ecs.Entity, bool) { return ecs.Entity{}, true }
