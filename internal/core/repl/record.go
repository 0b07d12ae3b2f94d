package repl

import (
	"github.com/entangle-ecs/entangle"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// Kind tells what a record does to its group.
type Kind uint8

// The kinds. An updates frame holds only updates, an action message only the
// other three.
const (
	Delta  Kind = iota // an action on what the receiver holds
	Full               // the whole group, whatever the receiver holds
	Gone               // the end of the group
	Update             // values only
)

// kindBits is the width of an action's kind on the wire; Update is implied by
// the frame that it stands in.
const kindBits = 2

// Record is what stands before a record's body.
type Record struct {
	Kind  Kind
	Group Handle
	Seq   Seq
	Tick  entangle.Tick
	// Base is the tick that a Delta or Update starts from; others have none.
	Base entangle.Tick
}

// based reports whether a record of that kind starts from a base.
func (k Kind) based() bool { return k == Delta || k == Update }

// HasBody reports whether a record of that kind has members and values.
func (k Kind) HasBody() bool { return k != Gone }

// Heads packs the records of one frame or message: each is written by its
// difference to the one before. A new value, with the tick of the frame and
// whether it is an updates frame, starts one.
type Heads struct {
	Tick    entangle.Tick
	Updates bool

	next Handle
	base entangle.Tick
	any  bool
}

// Width returns how many bits Append will write for a record.
func (h *Heads) Width(rec *Record) int {
	width := 1 + pack.UvarintBits(uint64(rec.Group-h.next)) + SeqBits
	if !h.Updates {
		width += kindBits
	}
	if rec.Kind.based() {
		width++
		if !h.any || rec.Base != h.base {
			width += pack.UvarintBits(uint64(h.Tick - rec.Base))
		}
	}
	return width
}

// Append writes a record's head. Groups rise within a frame.
func (h *Heads) Append(w *pack.Writer, rec *Record) {
	w.Bool(true)
	if !h.Updates {
		w.Bits(uint64(rec.Kind), kindBits)
	}
	w.Uvarint(uint64(rec.Group - h.next))
	w.Bits(uint64(rec.Seq), SeqBits)
	if rec.Kind.based() {
		h.appendBase(w, rec.Base)
	}
	h.next = rec.Group + 1
}

func (h *Heads) appendBase(w *pack.Writer, base entangle.Tick) {
	same := h.any && base == h.base
	w.Bool(same)
	if !same {
		w.Uvarint(uint64(h.Tick - base))
	}
	h.base, h.any = base, true
}

// Rises reports whether a record of that group may follow the last one.
func (h *Heads) Rises(g Handle) bool { return g >= h.next }

// End writes that no record follows.
func (h *Heads) End(w *pack.Writer) { w.Bool(false) }

// Read reads the next record's head into rec. more is false at the end of the
// frame; ok is false when the bytes are malformed.
func (h *Heads) Read(r *pack.Reader, rec *Record) (more, ok bool) {
	if w := r.Peek(); w&usualMask == usual && h.Updates && h.any && h.next < MaxGroups-usualGaps {
		r.Skip(usualBits)
		// Not a literal: that is made aside and copied, by loads that wait for its stores.
		rec.Kind, rec.Group, rec.Seq = Update, h.next+Handle(w>>2&(usualGaps-1)), Seq(w>>5&(SeqCycle-1))
		rec.Tick, rec.Base = h.Tick, h.base
		h.next = rec.Group + 1
		return true, true
	}
	return h.readAny(r, rec)
}

// The usual head of an update: there is one, its group follows soon, and its base
// is that of the one before. It is the same as what readAny reads in pieces.
const (
	usualGaps = 1 << 3 // of the shortest number
	usualBits = 1 + 4 + SeqBits + 1
	usualMask = 0b11 | 1<<(usualBits-1)
	usual     = 0b01 | 1<<(usualBits-1)
)

func (h *Heads) readAny(r *pack.Reader, rec *Record) (more, ok bool) {
	if !r.Bool() {
		return false, r.Err() == nil
	}
	*rec = Record{Kind: Update, Tick: h.Tick}
	if !h.Updates {
		rec.Kind = Kind(r.Bits(kindBits))
	}
	gap := r.Uvarint()
	rec.Seq = Seq(r.Bits(SeqBits))
	if r.Err() != nil || gap >= MaxGroups-uint64(h.next) || (!h.Updates && rec.Kind == Update) {
		return true, false
	}
	rec.Group = h.next + Handle(gap)
	h.next = rec.Group + 1
	return true, !rec.Kind.based() || h.readBase(r, rec)
}

func (h *Heads) readBase(r *pack.Reader, rec *Record) bool {
	if !r.Bool() {
		age := r.Uvarint()
		if age == 0 || age > 1<<31-1 {
			return false
		}
		h.base, h.any = h.Tick-entangle.Tick(age), true
	} else if !h.any {
		return false
	}
	rec.Base = h.base
	return r.Err() == nil
}
