package wire

import (
	"unsafe"

	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Bases are the baselines of a difference.
type Bases struct {
	Base  []byte // the value at the baseline
	Older []byte // the value at the previous baseline; nil if there is none
	// Ahead is the number of ticks from Base to the value, and Between the number from Older to
	// Base. If Older is set, Between must be above 0.
	Ahead, Between uint32

	// Trail is the trail of the record that the difference is in. It is nil for a difference on its
	// own, which is written as with a new trail.
	Trail *stepcode.Trail
}

// EncodeDelta writes value as a difference from its baselines. The other side must have the same
// baselines, exactly or as it decoded them. It returns how many numbers of value were clamped. A
// difference can only be decoded with the same baselines and after the same trail. There are no
// differences of messages.
func (p *Plan) EncodeDelta(w *bits.Writer, from *Bases, value []byte, refs RefWriter) (clamped int) {
	if p.differ != nil {
		return p.encodeDiffer(w, from.Base, value)
	}
	d := deltaWriter{w: w, refs: refs, motion: from.motion(), Course: stepcode.NewCourse(from.Trail)}
	d.writeValue(p, p.origin(from), p.addressOf(value))
	return d.clamped
}

// DecodeDelta reads a difference that EncodeDelta wrote from the same baselines. It writes the
// result to value, which must not share memory with them. It returns the errors of Decode, and
// stepcode.ErrDelta.
func (p *Plan) DecodeDelta(r *bits.Reader, from *Bases, value []byte, refs RefReader) error {
	if p.differ != nil {
		return p.decodeDiffer(r, from.Base, value)
	}
	origin, to := p.origin(from), p.addressOf(value)
	copy(value, from.Base)
	for _, s := range p.skipped {
		clear(value[s.Offset : s.Offset+s.Size])
	}
	d := deltaReader{r: r, refs: refs, motion: from.motion(), Course: stepcode.NewCourse(from.Trail)}
	d.readValue(p, origin, to)
	return r.Err()
}

// SkipDelta reads past a difference without its baselines. trail must be the same as for EncodeDelta.
// It does not detect errors that depend on the baselines.
func (p *Plan) SkipDelta(r *bits.Reader, trail *stepcode.Trail) error {
	if p.differ != nil {
		return p.skipDiffer(r)
	}
	d := deltaReader{r: r, Course: stepcode.NewCourse(trail)}
	d.skipValue(p)
	return r.Err()
}

// origin holds the addresses of a value, or of one of its fields, at the two baselines. older is
// nil without a previous baseline.
type origin struct{ base, older unsafe.Pointer }

func (p *Plan) origin(from *Bases) (at origin) {
	at.base = p.addressOf(from.Base)
	if from.Older != nil {
		at.older = p.addressOf(from.Older)
	}
	return at
}

// plus returns f with both addresses moved by offset.
func (f origin) plus(offset uintptr) origin {
	f.base = unsafe.Add(f.base, offset)
	if f.older != nil {
		f.older = unsafe.Add(f.older, offset)
	}
	return f
}
