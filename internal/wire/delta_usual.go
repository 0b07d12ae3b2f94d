package wire

import (
	"unsafe"

	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
)

// Most values that move are usual: all positions and rotations are written as steps, and no other
// field has changed. If a type needs two bits or more to tell that, one bit in front of the value
// replaces them: 1 for a usual value, 0 if each field has a bit of its own.

// usual is the state of the bit in front while a value is written or read.
type usual struct {
	usually bool // the bit is 1, or is tried as 1
	unusual bool // a field was found that does not fit a usual value
}

// isUsual records whether a field fits a usual value. It reports whether the value has the bit 1,
// so that the field has no bit of its own.
func (u *usual) isUsual(yes bool) bool {
	u.unusual = u.unusual || !yes
	return u.usually
}

// canBeUsual reports whether differences of a type with these fields begin with the bit.
func canBeUsual(fields []op) bool {
	moving, flagged := 0, 0
	for i := range fields {
		if o := &fields[i]; !o.always {
			flagged++
		}
		if fields[i].always || fields[i].kind == opQuat {
			moving++
		}
	}
	return moving > 0 && flagged > 1
}

// writeValue writes a value as a usual one. If a field does not fit, it starts again without that.
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

// checkUsual refuses a value that was not written as a usual one, although it is.
func (d *deltaReader) checkUsual(p *Plan) {
	if p.usual && !d.usually && !d.unusual {
		d.r.Fail(stepcode.ErrDelta)
	}
}
