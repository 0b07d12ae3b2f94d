package repl

import (
	"github.com/entangle-ecs/entangle"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// Kind is the effect of a record on its group.
type Kind uint8

// The kinds. Updates travel in runs, the other three in action messages.
const (
	Change Kind = iota // an action with the structure and values of a group that changed
	Full               // the whole group, independent of the receiver's state
	Gone               // the end of the group
	Update             // values only
)

const (
	kindBits = 2      // width of an action's kind on the wire
	kindEnd  = Update // in place of the kind of an action: the message ends here
)

// Record is the head of a record, before its body.
type Record struct {
	Kind  Kind
	Group Handle
	Tick  entangle.Tick
	// From is the baseline: the record waits until the replica of the group has reached it. That of a Gone is the tick of
	// the last action. A Full has none, and only an Update has a Prev.
	From
	// Generation of the handle, in a Full.
	Generation Generation
	// Usual: a Full of the next handle, of one entity with the same components as the one
	// before, as when a peer joins: only its values follow. Or the end of the next handle, with the
	// baseline of the one before and no leavers: nothing follows.
	Usual bool
}

// UsualFull is how the body of a full begins that usual records may follow, in UsualFullBits: it predicts and refers to
// nobody, names no leavers, and has member 0 alone. The set of components is next.
const (
	UsualFull     = 0b1000
	UsualFullBits = 4
)

// Heads packs the heads of the records of one action message, or of a part of a unit: each is written as the difference
// from the one before. A new value, with the tick of the message, starts one.
type Heads struct {
	Tick entangle.Tick

	next       Handle
	generation Generation    // of the last Full
	gone       bool          // the last record was a Gone
	base       entangle.Tick // the last baseline
	any        bool          // there is one
	some       bool          // a record was written or read
}

// MaxHeadBits bounds the output of Append.
const MaxHeadBits = 1 + kindBits + 1 + 32 + MaxGenerationBits + 1 + 68

// Append writes a record's head. Groups rise, and so the private ones come last.
func (h *Heads) Append(w *pack.Writer, rec *Record) {
	h.unusual(w)
	w.Bits(uint64(rec.Kind), kindBits)
	w.Bool(rec.Group.Private())
	w.Uvarint(uint64(rec.Group - h.first(rec.Group.Private())))
	if rec.Kind == Full {
		rec.Generation.append(w)
		h.generation = rec.Generation
	}
	if rec.Kind != Full {
		h.appendBase(w, rec.Base)
	}
	h.next, h.gone = rec.Group+1, rec.Kind == Gone
}

// unusual writes, behind the first record, that the following record is not a usual one.
func (h *Heads) unusual(w *pack.Writer) {
	if h.some {
		w.Bool(false)
	}
	h.some = true
}

// Follows reports whether a record can be a usual one: a Full of the handle behind the last one, of
// the same generation as the last Full, or a Gone of that handle with the baseline of the last record,
// which was a Gone.
func (h *Heads) Follows(rec *Record) bool {
	if !h.some || rec.Group != h.next || h.next%Private == 0 || h.gone != (rec.Kind == Gone) {
		return false
	}
	return rec.Kind == Gone && rec.Base == h.base || rec.Kind == Full && rec.Generation == h.generation
}

// AppendUsual writes the head of a usual record, which follows.
func (h *Heads) AppendUsual(w *pack.Writer) {
	w.Bool(true)
	h.next++
}

// Skip notes that n usual records were written in another way.
func (h *Heads) Skip(n int) { h.next += Handle(n) }

// first returns the lowest handle of a space that may come next.
func (h *Heads) first(private bool) Handle {
	if private {
		return max(h.next, Private)
	}
	return h.next
}

func (h *Heads) appendBase(w *pack.Writer, base entangle.Tick) {
	same := h.any && base == h.base
	w.Bool(same)
	if !same {
		w.Uvarint(uint64(h.Tick - base))
	}
	h.base, h.any = base, true
}

// MaxMessageEndBits is the largest size of what ends an action message in bits: the output of End, that a part of a unit is
// the last and that no other follows, and the padding.
const MaxMessageEndBits = 1 + kindBits + 2 + 7

// End writes that no record follows.
func (h *Heads) End(w *pack.Writer) {
	h.unusual(w)
	w.Bits(uint64(kindEnd), kindBits)
}

// Read reads the next record's head into rec. more is false at the end of the
// message; ok is false when the bytes are malformed.
func (h *Heads) Read(r *pack.Reader, rec *Record) (more, ok bool) {
	if h.some && r.Bool() {
		*rec = Record{Kind: Full, Group: h.next, Tick: h.Tick, Generation: h.generation, Usual: true}
		if h.gone {
			rec.Kind, rec.Generation, rec.Base = Gone, 0, h.base
		}
		h.next++
		return true, r.Err() == nil && rec.Group%Private != 0
	}
	h.some = true
	*rec = Record{Kind: Kind(r.Bits(kindBits)), Tick: h.Tick}
	if r.Err() != nil || rec.Kind == kindEnd {
		return false, r.Err() == nil
	}
	private := r.Bool()
	gap := r.Uvarint()
	first, end := h.first(private), Private
	if private {
		end = 2 * Private
	}
	if r.Err() != nil || first >= end || gap >= uint64(end-first) {
		return true, false
	}
	rec.Group = first + Handle(gap)
	h.next, h.gone = rec.Group+1, rec.Kind == Gone
	return true, r.Err() == nil && h.readOrigin(r, rec)
}

// readOrigin reads the baseline or the generation of a record.
func (h *Heads) readOrigin(r *pack.Reader, rec *Record) (ok bool) {
	switch {
	case rec.Kind == Full:
		rec.Generation, ok = readGeneration(r)
		h.generation = rec.Generation
		return ok
	case r.Bool(): // the baseline of the record before
		ok = h.any && r.Err() == nil
	default:
		h.base, ok = readAge(r, h.Tick)
		h.any = true
	}
	rec.Base = h.base
	return ok
}

// maxAge bounds the distance of a baseline or a need from its reference tick: half the range of
// ticks, beyond which before and after are swapped.
const maxAge = 1<<31 - 1

// readAge reads how long before now a tick is, at least one tick.
func readAge(r *pack.Reader, now entangle.Tick) (t entangle.Tick, ok bool) {
	age := r.Uvarint()
	return now - entangle.Tick(age), r.Err() == nil && age > 0 && age <= maxAge
}
