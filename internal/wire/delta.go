package wire

import (
	"unsafe"

	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Bases is the baselines of a difference.
type Bases struct {
	Base  []byte // the value at the baseline
	Older []byte // the value at the previous baseline, or nil: then the motion is unknown
	// Ahead is the number of ticks from Base to the value, Between the number from
	// Older to Base. Between is above 0 if Older is given.
	Ahead, Between uint32

	// Trail is that of the record, or nil for a difference that stands alone. A
	// difference with a new trail is the same as one without.
	Trail *stepcode.Trail
	// Codes are the learned codes that both sides share, or nil for the built-in ones.
	Codes *stepcode.Codes
}

// EncodeDelta writes value as a difference from its baselines, which the other side
// must hold, exactly or as decoded there. It returns how many numbers of value were
// clamped. A difference can only be applied to the same baselines, after the same
// trail. Plans of messages have no differences.
func (p *Plan) EncodeDelta(w *bits.Writer, from *Bases, value []byte, refs RefWriter) (clamped int) {
	if p.differ != nil {
		return p.encodeDiffer(w, from.Base, value)
	}
	d := deltaWriter{w: w, refs: refs, motion: from.motion(), Course: stepcode.NewCourse(from.Trail, from.Codes)}
	d.writeValue(p, p.origin(from), p.addressOf(value))
	return d.clamped
}

// DecodeDelta reads a difference that EncodeDelta wrote against the same baselines into
// value, which must not share memory with them. Errors are those of Decode, and
// ErrDelta.
func (p *Plan) DecodeDelta(r *bits.Reader, from *Bases, value []byte, refs RefReader) error {
	if p.differ != nil {
		return p.decodeDiffer(r, from.Base, value)
	}
	origin, to := p.origin(from), p.addressOf(value)
	copy(value, from.Base)
	for _, s := range p.skipped {
		clear(value[s.Offset : s.Offset+s.Size])
	}
	d := deltaReader{r: r, refs: refs, motion: from.motion(), Course: stepcode.NewCourse(from.Trail, from.Codes)}
	d.readValue(p, origin, to)
	return r.Err()
}

// SkipDelta reads past a difference without a baseline, whether it was made from one
// or from two. trail and codes must be the same as for EncodeDelta. Errors that only a
// baseline reveals are not detected.
func (p *Plan) SkipDelta(r *bits.Reader, trail *stepcode.Trail, codes *stepcode.Codes) error {
	if p.differ != nil {
		return p.skipDiffer(r)
	}
	d := deltaReader{r: r, Course: stepcode.NewCourse(trail, codes)}
	d.skipValue(p)
	return r.Err()
}

// origin is the address of the baselines of a value, or of a field of it.
type origin struct{ base, older unsafe.Pointer }

func (p *Plan) origin(from *Bases) (at origin) {
	at.base = p.addressOf(from.Base)
	if from.Older != nil {
		at.older = p.addressOf(from.Older)
	}
	return at
}

// plus returns the origin at an offset.
func (f origin) plus(offset uintptr) origin {
	f.base = unsafe.Add(f.base, offset)
	if f.older != nil {
		f.older = unsafe.Add(f.older, offset)
	}
	return f
}
