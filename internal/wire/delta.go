package wire

import (
	"unsafe"

	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Bases is what a difference is taken from.
type Bases struct {
	Base  []byte // the value at the base
	Older []byte // the value at a base before that, or nil: then it is not known how the value moves
	// Ahead is how many ticks lie between Base and the value, Between how many
	// between Older and Base. Between is above 0 where Older is given.
	Ahead, Between uint32

	// Trail is that of the record, or nil for a difference that stands alone. A
	// difference with a new trail is the same as one without.
	Trail *stepcode.Trail
	// Codes are those that both sides learned, or nil for the ones that are always there.
	Codes *stepcode.Codes
}

// EncodeDelta writes value as a difference from its bases, which the other side
// must hold, exactly or as they were decoded there. It returns how many numbers of
// value were clamped. A difference is not idempotent: it must be applied to
// the same bases, after the same trail, and nothing else. Plans of messages cannot.
func (p *Plan) EncodeDelta(w *bits.Writer, from *Bases, value []byte, refs RefWriter) (clamped int) {
	if p.differ != nil {
		return p.encodeDiffer(w, from.Base, value)
	}
	d := deltaWriter{w: w, refs: refs, motion: from.motion(), Course: stepcode.NewCourse(from.Trail, from.Codes)}
	d.value(p, p.origin(from), p.at(value))
	return d.clamped
}

// DecodeDelta reads into value what EncodeDelta wrote against the same bases.
// value must not share memory with them. Errors are as those of Decode, and
// ErrDelta.
func (p *Plan) DecodeDelta(r *bits.Reader, from *Bases, value []byte, refs RefReader) error {
	if p.differ != nil {
		return p.decodeDiffer(r, from.Base, value)
	}
	origin, to := p.origin(from), p.at(value)
	copy(value, from.Base)
	for _, s := range p.skipped {
		clear(value[s.Offset : s.Offset+s.Size])
	}
	d := deltaReader{r: r, refs: refs, motion: from.motion(), Course: stepcode.NewCourse(from.Trail, from.Codes)}
	d.value(p, origin, to)
	return r.Err()
}

// SkipDelta reads past a difference without any base, whether it was made from one
// or from two. trail and codes are as they were for EncodeDelta. What only a base can tell
// is not checked.
func (p *Plan) SkipDelta(r *bits.Reader, trail *stepcode.Trail, codes *stepcode.Codes) error {
	if p.differ != nil {
		return p.skipDiffer(r)
	}
	d := deltaReader{r: r, Course: stepcode.NewCourse(trail, codes)}
	d.skipValue(p)
	return r.Err()
}

// origin is where the bases of a value lie, or of a field of it.
type origin struct{ base, older unsafe.Pointer }

func (p *Plan) origin(from *Bases) (at origin) {
	at.base = p.at(from.Base)
	if from.Older != nil {
		at.older = p.at(from.Older)
	}
	return at
}

// plus is the origin of what lies further on.
func (f origin) plus(offset uintptr) origin {
	f.base = unsafe.Add(f.base, offset)
	if f.older != nil {
		f.older = unsafe.Add(f.older, offset)
	}
	return f
}
