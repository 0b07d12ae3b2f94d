package protocol

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// SkipDelta reads past a difference without any base. moves says whether Older was
// given to EncodeDelta. What only a base can tell is not checked.
func (p *Plan) SkipDelta(r *bits.Reader, moves bool) error {
	if p.differ != nil {
		return p.skipDiffer(r)
	}
	_ = moves // differences from one base and from two are alike
	skipDeltas(p.fields, r)
	return r.Err()
}

func skipDeltas(fields []op, r *bits.Reader) {
	for i := range fields {
		if r.Bool() {
			skipDelta(&fields[i], r)
		}
		if r.Err() != nil {
			return
		}
	}
}

func skipDelta(o *op, r *bits.Reader) {
	switch o.kind {
	case opInt, opQuantised, opAngle:
		skipEach(o, r, skipStep)
	case opQuat:
		skipEach(o, r, skipTurn)
	case opRaw, opWide:
		skipChanged(o, r, func(o *op, r *bits.Reader) { r.Skip(uint(o.bits)) })
	case opRef:
		skipChanged(o, r, func(_ *op, r *bits.Reader) { r.Uvarint() })
	case opRepeat:
		for range o.count {
			skipDeltas(o.body, r)
		}
	case opBool:
		r.Skip(uint(o.count))
	default:
		o.codec.skip(r)
	}
}

func skipEach(o *op, r *bits.Reader, one func(*op, *bits.Reader)) {
	for range o.count {
		one(o, r)
	}
}

func skipChanged(o *op, r *bits.Reader, one func(*op, *bits.Reader)) {
	for range o.count {
		if o.count == 1 || r.Bool() {
			one(o, r)
		}
	}
}

func skipStep(o *op, r *bits.Reader) {
	if o.bits > shortest && !r.Bool() {
		r.Uvarint()
		return
	}
	r.Skip(uint(o.bits))
}

func skipTurn(o *op, r *bits.Reader) {
	if r.Bool() {
		r.Skip(uint(o.bits))
		return
	}
	for range 3 {
		r.Uvarint()
	}
}

// skip decodes a value to see where it ends.
func (k *codec) skip(r *bits.Reader) {
	s := k.borrow()
	defer k.spare.Put(s)
	if s.value == nil {
		s.value = k.fresh()
	}
	k.read(r, s.value, anyRefs{})
}

// anyRefs is a table that has every place.
type anyRefs struct{}

// At implements RefReader.
func (anyRefs) At(uint32) (ecs.Entity, bool) { return ecs.Entity{}, true }
