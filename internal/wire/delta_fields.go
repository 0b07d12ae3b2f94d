package wire

import (
	"unsafe"

	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Differences follow the fields of the type and not the ops of the plan, because how ops are merged
// depends on the machine.

// deltaWriter writes the difference of one value.
type deltaWriter struct {
	w    *bits.Writer
	refs RefWriter
	motion
	stepcode.Course
	usual
	clamped int
}

// deltaReader reads or skips the difference of one value.
type deltaReader struct {
	r    *bits.Reader
	refs RefReader
	motion
	stepcode.Course
	usual
}

// alwaysSteps reports whether the numbers of a field are written as steps even if they are
// unchanged. This is so for a few quantised floats or angles: such numbers tend to change in every
// value, and they are few enough that unchanged ones take little space. Other fields begin with a
// bit for whether they changed.
func (o *op) alwaysSteps() bool {
	const few = 8
	return (o.kind == opQuantised || o.kind == opAngle) && o.bits > maxWholeBits && o.count <= few
}

// isLike reports whether the numbers of a field are of the same kind as those of the previous
// field. It depends only on properties that the protocol hash covers.
func (o *op) isLike(before *op) bool {
	return o.always && before.always && o.kind == before.kind && o.lastIndex() == before.lastIndex()
}

func (d *deltaWriter) fields(fields []op, from origin, p unsafe.Pointer) {
	for i := range fields {
		o := &fields[i]
		d.field(o, from.plus(o.offset), unsafe.Add(p, o.offset))
		if d.usually && d.unusual {
			return
		}
	}
}

func (d *deltaWriter) field(o *op, from origin, p unsafe.Pointer) {
	switch {
	case o.always:
		d.numbers(o, from, p)
	case o.kind == opQuat:
		d.turns(o, from, p)
	default:
		changed := !o.equal(o, from.base, p)
		if d.isUsual(!changed) {
			return
		}
		d.w.Bool(changed)
		if changed {
			d.writeChanged(o, from, p)
		}
	}
}

// fields reads fields into the value at p, which must contain a copy of the baseline.
func (d *deltaReader) fields(fields []op, from origin, p unsafe.Pointer) {
	for i := range fields {
		o := &fields[i]
		d.field(o, from.plus(o.offset), unsafe.Add(p, o.offset))
		if d.r.Err() != nil {
			return
		}
	}
}

func (d *deltaReader) field(o *op, from origin, p unsafe.Pointer) {
	switch {
	case o.always:
		d.numbers(o, from, p)
	case o.kind == opQuat:
		d.turns(o, from, p)
	case !d.usually && d.r.Bool():
		d.unusual = true
		d.readChanged(o, from, p)
		if d.r.Err() == nil && o.equal(o, from.base, p) {
			d.r.Fail(stepcode.ErrDelta)
		}
	}
}

func (d *deltaReader) skipFields(fields []op) {
	for i := range fields {
		switch o := &fields[i]; {
		case o.always:
			d.skipNumbers(o)
		case o.kind == opQuat:
			d.skipTurns(o)
		case !d.usually && d.r.Bool():
			d.unusual = true
			d.skipChanged(o)
		}
		if d.r.Err() != nil {
			return
		}
	}
}

// writeChanged writes a field that changed, after the bit for that.
func (d *deltaWriter) writeChanged(o *op, from origin, p unsafe.Pointer) {
	switch o.kind {
	case opInt, opQuantised, opAngle:
		if o.bits <= maxWholeBits {
			d.clamped += o.encode(o, d.w, p, nil)
			return
		}
		outer := d.EnterAlone()
		d.numbers(o, from, p)
		d.Course = outer
	case opRaw, opWhole, opRef:
		encodeChanged(o, d.w, from.base, p, d.refs)
	case opRepeat:
		d.elements(o, from, p)
	default:
		d.clamped += o.encode(o, d.w, p, d.refs)
	}
}

func (d *deltaReader) readChanged(o *op, from origin, p unsafe.Pointer) {
	switch o.kind {
	case opInt, opQuantised, opAngle:
		if o.bits <= maxWholeBits {
			o.decode(o, d.r, p, nil, nil)
			return
		}
		outer := d.EnterAlone()
		d.numbers(o, from, p)
		d.Course = outer
	case opRaw, opWhole, opRef:
		decodeChanged(o, d.r, from.base, p, d.refs)
	case opRepeat:
		d.elements(o, from, p)
	default:
		o.decode(o, d.r, p, d.refs, nil)
	}
}

func (d *deltaReader) skipChanged(o *op) {
	switch o.kind {
	case opInt, opQuantised, opAngle:
		if o.bits <= maxWholeBits {
			d.r.Skip(uint(o.bits) * uint(o.count))
			return
		}
		outer := d.EnterAlone()
		d.skipNumbers(o)
		d.Course = outer
	case opBool:
		d.r.Skip(uint(o.count))
	case opRaw, opWhole, opRef:
		skipChanged(o, d.r)
	case opRepeat:
		d.skipElements(o)
	default:
		o.codec.skip(d.r)
	}
}

// elements writes the elements of an array. Each begins with a bit for whether it changed.
func (d *deltaWriter) elements(o *op, from origin, p unsafe.Pointer) {
	outer := d.EnterAlone()
	for i := range uintptr(o.count) {
		base, at := from.plus(i*o.step), unsafe.Add(p, i*o.step)
		changed := !equalOps(o.body, base.base, at)
		d.w.Bool(changed)
		if changed {
			d.fields(o.body, base, at)
		}
	}
	d.Course = outer
}

func (d *deltaReader) elements(o *op, from origin, p unsafe.Pointer) {
	outer := d.EnterAlone()
	for i := range uintptr(o.count) {
		if !d.r.Bool() {
			continue
		}
		base, at := from.plus(i*o.step), unsafe.Add(p, i*o.step)
		d.fields(o.body, base, at)
		if d.r.Err() == nil && equalOps(o.body, base.base, at) {
			d.r.Fail(stepcode.ErrDelta)
		}
		if d.r.Err() != nil {
			return
		}
	}
	d.Course = outer
}

func (d *deltaReader) skipElements(o *op) {
	outer := d.EnterAlone()
	for range o.count {
		if d.r.Bool() {
			d.skipFields(o.body)
		}
		if d.r.Err() != nil {
			return
		}
	}
	d.Course = outer
}
