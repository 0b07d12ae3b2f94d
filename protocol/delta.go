package protocol

import (
	"errors"
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// ErrDelta is a difference that Plan.EncodeDelta does not write: one that changes
// nothing, or that takes more bits than it needs.
var ErrDelta = errors.New("protocol: not a difference in its shortest form")

// Bases is what a difference is taken from.
type Bases struct {
	Base  []byte // the value at the base
	Older []byte // the value at a base before that, or nil: then it is not known how the value moves
	// Ahead is how many ticks lie between Base and the value, Apart how many
	// between Older and Base. Apart is above 0 where Older is given.
	Ahead, Apart uint32
}

// moves reports whether it is known how the value moves.
func (b *Bases) moves() bool { return b.Older != nil }

// EncodeDelta writes value as a difference from its bases, which the other side
// must hold, exactly or as they were decoded there. It returns how many numbers of
// value were clamped. What it writes is not idempotent: it must be applied to
// the same bases and nothing else. Plans of messages cannot.
func (p *Plan) EncodeDelta(w *bits.Writer, from *Bases, value []byte, refs RefWriter) (clamped int) {
	if p.differ != nil {
		return p.encodeDiffer(w, from.Base, value)
	}
	return encodeDeltas(p.fields, w, p.at(from.Base), p.at(value), refs)
}

// DecodeDelta reads into value what EncodeDelta wrote against the same bases.
// value must not share memory with them. Errors are as those of Decode, and
// ErrDelta.
func (p *Plan) DecodeDelta(r *bits.Reader, from *Bases, value []byte, refs RefReader) error {
	if p.differ != nil {
		return p.decodeDiffer(r, from.Base, value)
	}
	base, to := p.at(from.Base), p.at(value)
	copy(value, from.Base)
	for _, s := range p.skipped {
		clear(value[s.Offset : s.Offset+s.Size])
	}
	decodeDeltas(p.fields, r, base, to, refs)
	return r.Err()
}

// encodeDeltas goes by the fields of the type, not by the ops of the plan: how
// those are joined depends on the machine. A field that is equal takes one bit.
func encodeDeltas(fields []op, w *bits.Writer, base, p unsafe.Pointer, refs RefWriter) (clamped int) {
	for i := range fields {
		o := &fields[i]
		from, to := unsafe.Add(base, o.offset), unsafe.Add(p, o.offset)
		changed := !o.equal(o, from, to)
		w.Bool(changed)
		if changed {
			clamped += encodeDelta(o, w, from, to, refs)
		}
	}
	return clamped
}

// decodeDeltas reads into the value at p, which holds what base does.
func decodeDeltas(fields []op, r *bits.Reader, base, p unsafe.Pointer, refs RefReader) {
	for i := range fields {
		o := &fields[i]
		if !r.Bool() {
			continue
		}
		from, to := unsafe.Add(base, o.offset), unsafe.Add(p, o.offset)
		decodeDelta(o, r, from, to, refs)
		if r.Err() == nil && o.equal(o, from, to) {
			r.Fail(ErrDelta)
		}
		if r.Err() != nil {
			return
		}
	}
}

func encodeDelta(o *op, w *bits.Writer, base, p unsafe.Pointer, refs RefWriter) (clamped int) {
	switch o.kind {
	case opInt, opQuantised, opAngle:
		return encodeSteps(o, w, base, p)
	case opQuat:
		return encodeTurns(o, w, base, p)
	case opRaw, opWide, opRef:
		encodeChanged(o, w, base, p, refs)
		return 0
	case opRepeat:
		for i := range uintptr(o.count) {
			clamped += encodeDeltas(o.body, w, unsafe.Add(base, i*o.step), unsafe.Add(p, i*o.step), refs)
		}
		return clamped
	default:
		return o.encode(o, w, p, refs)
	}
}

func decodeDelta(o *op, r *bits.Reader, base, p unsafe.Pointer, refs RefReader) {
	switch o.kind {
	case opInt, opQuantised, opAngle:
		decodeSteps(o, r, base, p)
	case opQuat:
		decodeTurns(o, r, base, p)
	case opRaw, opWide, opRef:
		decodeChanged(o, r, base, p, refs)
	case opRepeat:
		for i := range uintptr(o.count) {
			decodeDeltas(o.body, r, unsafe.Add(base, i*o.step), unsafe.Add(p, i*o.step), refs)
		}
	default:
		o.decode(o, r, p, refs, nil)
	}
}

// one is number i of the run, as an op of its own.
func (o *op) one() op {
	single := *o
	single.count = 1
	return single
}

// encodeChanged writes those numbers of a run in full that changed, each behind a
// bit that says so. A run of one needs no such bit.
func encodeChanged(o *op, w *bits.Writer, base, p unsafe.Pointer, refs RefWriter) {
	single := o.one()
	for i := range uintptr(o.count) {
		from, to := unsafe.Add(base, i*uintptr(o.size)), unsafe.Add(p, i*uintptr(o.size))
		if o.count > 1 {
			changed := !equalMemory(&single, from, to)
			w.Bool(changed)
			if !changed {
				continue
			}
		}
		o.encode(&single, w, to, refs)
	}
}

func decodeChanged(o *op, r *bits.Reader, base, p unsafe.Pointer, refs RefReader) {
	single := o.one()
	for i := range uintptr(o.count) {
		if o.count > 1 && !r.Bool() {
			continue
		}
		from, to := unsafe.Add(base, i*uintptr(o.size)), unsafe.Add(p, i*uintptr(o.size))
		o.decode(&single, r, to, refs, nil)
		if r.Err() == nil && equalMemory(&single, from, to) {
			r.Fail(ErrDelta)
		}
		if r.Err() != nil {
			return
		}
	}
}
