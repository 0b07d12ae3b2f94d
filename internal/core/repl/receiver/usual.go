package receiver

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// usual is what stood before the values of the last full of an action message, if a usual record may
// follow: after a full, or after an end without leavers.
type usual struct {
	set set.Mask
	ok  bool
	buf []byte
	w   bits.Writer
}

// plainFull is what a full of one entity begins with that needs nothing, is not predicted,
// refers to nobody and tells of no leavers, in plainFullBits.
const (
	plainFull     = 0b10000
	plainFullBits = 5
)

// noteUsual looks at what comes behind a head.
func (r *Receiver) noteUsual(rec *record) {
	ahead := r.in
	if rec.Kind == repl.Gone {
		r.usuals.ok = !ahead.Bool()
		return
	}
	r.usuals.ok = rec.Kind == repl.Full && ahead.Bits(plainFullBits) == plainFull && r.sets.Read(&ahead, &r.usuals.set)
}

// usualAction passes a usual record to action in the form that other records have: with the bits before
// its values.
func (r *Receiver) usualAction(rec *record) error {
	u := &r.usuals
	if !u.ok {
		return ErrMalformed
	}
	u.w.Reset(u.buf[:0])
	if rec.Kind == repl.Gone {
		u.w.Bool(false) // no leavers
	} else {
		width, err := r.lift(rec, &u.set)
		if err != nil {
			return err
		}
		u.w.Bits(plainFull, plainFullBits)
		r.sets.Append(&u.w, &u.set)
		u.w.Copy(r.plain.raw, width)
	}
	u.buf = u.w.Finish()

	behind := r.in
	r.in.Reset(u.buf)
	rec.Usual = false
	err := r.action(rec)
	r.in = behind
	return err
}
