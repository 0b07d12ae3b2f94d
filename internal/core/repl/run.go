package repl

import (
	"github.com/entangle-ecs/entangle"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// RunHeads packs the head of a run and those of its blocks. A run is updates of groups of one space, by rising
// handle: a head and then blocks. All records of a block have the same baseline. A plain block holds groups with changed values
// of member 0 alone and without references, all in the same components: these are stated once, and only values
// follow for each group. Any other record is a block of its own.
//
// The bytes behind the head do not differ between peers with equal baselines, and begin and end at a
// whole byte, so that they are made once and copied. A frame of updates is a sequence of runs.
type RunHeads struct {
	Tick entangle.Tick // of the frame

	at   Handle // of the last record
	from From
}

// MaxRunHead bounds the bytes of a run's head.
const MaxRunHead = (2 + 32 + 68 + 8 + 7) / 8

// Begin writes a run's head: the first group of the first block, and the baseline of that block.
func (u *RunHeads) Begin(w *pack.Writer, first Handle, from From) {
	w.Bool(false) // not a mark
	appendHandle(w, first)
	u.appendFrom(w, from)
	w.Align()
	u.Enter(first, from)
}

// Enter is Begin for a caller that writes only the part behind the head.
func (u *RunHeads) Enter(first Handle, from From) { u.at, u.from = first, from }

func (u *RunHeads) appendFrom(w *pack.Writer, from From) {
	w.Uvarint(uint64(u.Tick - from.Base))
	appendGap(w, uint64(from.Prev)+1)
}

// HeadBits returns the number of bits that Begin writes at a whole byte.
func (u *RunHeads) HeadBits(first Handle, from From) int {
	return (2 + pack.UvarintBits(uint64(first%Private)) + u.fromBits(from) + 7) &^ 7
}

func (u *RunHeads) fromBits(from From) int {
	return pack.UvarintBits(uint64(u.Tick-from.Base)) + GapBits(uint64(from.Prev)+1)
}

// Next writes that another block follows: its first group, and its baseline.
func (u *RunHeads) Next(w *pack.Writer, g Handle, from From) {
	w.Put(1, 1)
	appendGap(w, uint64(g-u.at))
	w.Bool(from == u.from)
	if from != u.from {
		u.appendFrom(w, from)
	}
	u.Enter(g, from)
}

// NextBits returns the number of bits that Next writes.
func (u *RunHeads) NextBits(g Handle, from From) int {
	width := 2 + GapBits(uint64(g-u.at))
	if from != u.from {
		width += u.fromBits(from)
	}
	return width
}

// End writes that no block follows.
func (u *RunHeads) End(w *pack.Writer) {
	w.Put(0, 1)
	w.Align()
}

// EndBits bounds the output of End.
const EndBits = 1 + 7

// MaxBlock bounds the groups of a plain block: more than a packet holds of groups with a value of two
// bits.
const MaxBlock = 1 << 12

// AppendCount writes the number of groups of a plain block, at least one, and whether their handles
// have gaps. If so, the handles of all but the first follow.
func AppendCount(w *pack.Writer, n int, gaps bool) {
	w.Uvarint(uint64(n - 1))
	w.Bool(gaps)
}

// CountBits returns the number of bits that AppendCount writes.
func CountBits(n int) int { return pack.UvarintBits(uint64(n-1)) + 1 }

// AppendGap writes the handle of the next group of a plain block with gaps.
func (u *RunHeads) AppendGap(w *pack.Writer, g Handle) {
	appendGap(w, uint64(g-u.at))
	u.at = g
}

// Skip advances to a group of the same block, which needs no gap.
func (u *RunHeads) Skip(g Handle) { u.at = g }

// MaxParts bounds the packets among which the predicted groups of one tick are divided.
const MaxParts = 64

// ReadBegin reads a run's head behind the bit that says that it is not a mark. rec is then the head of
// the first record.
func (u *RunHeads) ReadBegin(r *pack.Reader, rec *Record) (ok bool) {
	first, ok := readHandle(r)
	from, aged := u.readFrom(r)
	r.Align()
	u.Enter(first, from)
	*rec = Record{Kind: Update, Group: first, Tick: u.Tick, From: from}
	return ok && aged && r.Err() == nil
}

func (u *RunHeads) readFrom(r *pack.Reader) (from From, ok bool) {
	base, aged := readAge(r, u.Tick)
	prev := readGap(r) - 1
	return From{Base: base, Prev: uint8(prev)}, aged && r.Err() == nil && prev <= MaxPrev
}

// ReadNext reads the head of the next block into rec. more is false at the end of the run; ok is false
// when the bytes are malformed.
func (u *RunHeads) ReadNext(r *pack.Reader, rec *Record) (more, ok bool) {
	if !r.Bool() {
		r.Align()
		return false, r.Err() == nil
	}
	if _, ok = u.ReadGap(r); !ok {
		return true, false
	}
	if !r.Bool() {
		from, aged := u.readFrom(r)
		if !aged || from == u.from {
			return true, false
		}
		u.from = from
	}
	rec.Group, rec.From = u.at, u.from
	return true, r.Err() == nil
}

// ReadCount reads the number of groups of a plain block, including its first, and whether their
// handles have gaps.
func (u *RunHeads) ReadCount(r *pack.Reader) (n int, gaps, ok bool) {
	more := r.Uvarint()
	gaps = r.Bool()
	return int(more) + 1, gaps, r.Err() == nil && more < MaxBlock && more < uint64(Private-u.at%Private)
}

// ReadGap reads the handle of the next group.
func (u *RunHeads) ReadGap(r *pack.Reader) (g Handle, ok bool) {
	gap := readGap(r)
	if r.Err() != nil || gap >= uint64(Private-u.at%Private) {
		return 0, false
	}
	u.at += Handle(gap)
	return u.at, true
}
