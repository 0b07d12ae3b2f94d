package wire

import (
	"unsafe"

	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
)

// Of most values that move, all positions and rotations take steps, and nothing else
// changed. Where two bits or more would say so, one does, in front of the value: 1 if
// all is as usual, and 0 if each field that may be otherwise says what it is.

// usual is whether a value is so.
type usual struct {
	usually bool // the bit in front says so
	odd     bool // something is not
}

// isUsual takes in whether a field is as usual, and reports whether the field is not to
// say so itself.
func (u *usual) isUsual(yes bool) bool {
	u.odd = u.odd || !yes
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

// value writes a value as usual, and anew where it is not.
func (d *deltaWriter) value(p *Plan, from origin, at unsafe.Pointer) {
	if !p.usual {
		d.fields(p.fields, from, at)
		return
	}
	d.usually = true
	before, course, trail := *d.w, d.Course, d.Trail.Copied()
	d.w.Put(1, 1)
	d.fields(p.fields, from, at)
	if !d.odd {
		return
	}
	*d.w, d.Course = before, course
	d.Trail.Restore(trail)
	d.usually, d.clamped = false, 0
	d.w.Put(0, 1)
	d.fields(p.fields, from, at)
}

func (d *deltaReader) value(p *Plan, from origin, at unsafe.Pointer) {
	d.usually = p.usual && d.r.Bool()
	d.fields(p.fields, from, at)
	d.end(p)
}

func (d *deltaReader) skipValue(p *Plan) {
	d.usually = p.usual && d.r.Bool()
	d.skipFields(p.fields)
	d.end(p)
}

// end refuses a value that is as usual and does not say so.
func (d *deltaReader) end(p *Plan) {
	if p.usual && !d.usually && !d.odd {
		d.r.Fail(stepcode.ErrDelta)
	}
}
