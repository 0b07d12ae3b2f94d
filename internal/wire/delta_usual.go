package wire

import (
	"unsafe"

	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
)

// Most moving values are usual: all positions and rotations take steps, and no other field
// changed. Where two bits or more would say so, one bit in front of the value does: 1 for a
// usual value, 0 if each field has its own bit.

// usual is the state of that bit while a value is written or read.
type usual struct {
	usually bool // the bit in front is 1, or is tried as 1
	unusual bool // a field was found that is not as in a usual value
}

// isUsual notes whether a field is as in a usual value, and reports whether the field has no
// bit of its own.
func (u *usual) isUsual(yes bool) bool {
	u.unusual = u.unusual || !yes
	return u.usually
}

// canBeUsual reports whether differences of the fields have the bit.
func canBeUsual(fields []op) bool {
	moving, saying := 0, 0
	for i := range fields {
		if o := &fields[i]; !o.always {
			saying++
		}
		if fields[i].always || fields[i].kind == opQuat {
			moving++
		}
	}
	return moving > 0 && saying > 1
}

// writeValue writes a value as a usual one. If it turns out not to be, it starts over.
func (d *deltaWriter) writeValue(p *Plan, from origin, at unsafe.Pointer) {
	if !p.usual {
		d.fields(p.fields, from, at)
		return
	}
	d.usually = true
	before, course, trail := *d.w, d.Course, d.Trail.Copied()
	d.w.Put(1, 1)
	d.fields(p.fields, from, at)
	if !d.unusual {
		return
	}
	*d.w, d.Course = before, course
	d.Trail.Restore(trail)
	d.usually, d.clamped = false, 0
	d.w.Put(0, 1)
	d.fields(p.fields, from, at)
}

func (d *deltaReader) readValue(p *Plan, from origin, at unsafe.Pointer) {
	d.usually = p.usual && d.r.Bool()
	d.fields(p.fields, from, at)
	d.checkUsual(p)
}

func (d *deltaReader) skipValue(p *Plan) {
	d.usually = p.usual && d.r.Bool()
	d.skipFields(p.fields)
	d.checkUsual(p)
}

// checkUsual refuses a usual value that was not written as one.
func (d *deltaReader) checkUsual(p *Plan) {
	if p.usual && !d.usually && !d.unusual {
		d.r.Fail(stepcode.ErrDelta)
	}
}
