package repl

import (
	"github.com/entangle-ecs/entangle"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// Run packs the updates of one run: groups of one space by rising handle. The bytes behind its head
// do not differ between peers with equal baselines, and begin and end at a whole byte, so that they
// are made once and copied. A frame of updates is a sequence of runs.
type Run struct {
	Tick entangle.Tick // of the frame

	at   Handle // of the last record
	from From
	gaps bool // of groups that are alike
}

// MaxRunHead bounds the bytes of a run's head.
const MaxRunHead = (4 + 32 + 68 + 1 + ApartBits + 7) / 8

// StepBits is the usual size of Append's output: the next group, from the same baseline.
const StepBits = 2

// Begin writes a run's head: its first group, and the baseline of the first record and usually of
// all others.
func (u *Run) Begin(w *pack.Writer, first Handle, from From) {
	u.appendHead(w, runHead{width: 2}, first, from)
}

// BeginLike writes the head of a run of groups that are alike: each holds one entity, all changed
// in the same components, and none has references. Their common prefix stands once behind the head,
// with gaps if the handles have some, and then only values.
func (u *Run) BeginLike(w *pack.Writer, first Handle, from From, gaps bool) {
	head := runHead{bits: 1 << 1, width: 3}
	if gaps {
		head.bits |= 1 << 2
	}
	u.appendHead(w, head, first, from)
}

// runHead is the part of a run's head before its first group.
type runHead struct {
	bits  uint64
	width uint
}

func (u *Run) appendHead(w *pack.Writer, head runHead, first Handle, from From) {
	if first.Private() {
		head.bits |= 1 << head.width
	}
	w.Put(head.bits, head.width+1)
	w.Uvarint(uint64(first % Private))
	u.appendFrom(w, from)
	w.Align()
	u.Enter(first, from)
}

func (u *Run) appendFrom(w *pack.Writer, from From) {
	w.Uvarint(uint64(u.Tick - from.Base))
	appendApart(w, from.Apart)
}

// MaxAlike bounds the groups of a run of groups that are alike: more than a packet holds of groups
// with a value of two bits.
const MaxAlike = 1 << 12

// AppendCount writes the number of groups that are alike, at least one.
func AppendCount(w *pack.Writer, n int) { w.Uvarint(uint64(n - 1)) }

// ReadCount reads the number of groups that are alike, including the one that the head names.
func (u *Run) ReadCount(r *pack.Reader) (n int, ok bool) {
	more := r.Uvarint()
	return int(more) + 1, r.Err() == nil && more < MaxAlike && more < uint64(Private-u.at%Private)
}

// AppendGap writes the handle of the next group, in a run of groups that are alike.
func (u *Run) AppendGap(w *pack.Writer, g Handle) {
	appendGap(w, uint64(g-u.at))
	u.at = g
}

// ReadNext reads the handle of the next group in a run of groups that are alike.
func (u *Run) ReadNext(r *pack.Reader) (g Handle, ok bool) {
	gap := uint64(1)
	if u.gaps {
		gap = readGap(r)
	}
	if r.Err() != nil || gap >= uint64(Private-u.at%Private) {
		return 0, false
	}
	u.at += Handle(gap)
	return u.at, true
}

// Gaps reports whether the current run, of groups that are alike, has gaps.
func (u *Run) Gaps() bool { return u.gaps }

// Enter is Begin for a caller that writes only the part after the head.
func (u *Run) Enter(first Handle, from From) { u.at, u.from = first, from }

// Last returns the group of the last record.
func (u *Run) Last() Handle { return u.at }

// Width returns the number of bits that Append will write.
func (u *Run) Width(g Handle, from From) int {
	if g == u.at+1 && from == u.from {
		return StepBits
	}
	return u.farWidth(g, from)
}

func (u *Run) farWidth(g Handle, from From) int {
	width := StepBits
	if g != u.at+1 {
		width += pack.UvarintBits(uint64(g - u.at - 1))
	}
	if from != u.from {
		width += pack.UvarintBits(uint64(u.Tick-from.Base)) + from.apartWidth()
	}
	return width
}

// Append writes the part before the body of each record but the first.
func (u *Run) Append(w *pack.Writer, g Handle, from From) {
	if g == u.at+1 && from == u.from {
		u.at = g
		w.Put(0b11, StepBits)
		return
	}
	u.appendFar(w, g, from)
}

func (u *Run) appendFar(w *pack.Writer, g Handle, from From) {
	switch gap := uint64(g - u.at - 1); {
	case gap == 0:
		w.Put(1, 1)
	case gap < shortest: // a 0, and Uvarint at once
		w.Put(gap<<2, 1+4)
	default:
		w.Put(0, 1)
		w.Uvarint(gap)
	}
	w.Bool(from == u.from)
	if from != u.from {
		u.appendFrom(w, from)
	}
	u.at, u.from = g, from
}

// shortest is the limit of the shortest numbers of Uvarint.
const shortest = 1 << 3

// End writes that no record follows.
func (u *Run) End(w *pack.Writer) {
	w.Bool(false)
	w.Uvarint(0)
	w.Align()
}

// MaxParts bounds the packets among which the predicted groups of one tick are divided.
const MaxParts = 64

// EndBits bounds the output of End.
const EndBits = 1 + 4 + 7

// ReadBegin reads a run's head into rec, which then holds the head of the first record, and whether
// its groups are alike.
func (u *Run) ReadBegin(r *pack.Reader, rec *Record) (alike, ok bool) {
	alike = r.Bool()
	u.gaps = alike && r.Bool()
	first, ok := readHandle(r)
	from, aged := u.readFrom(r)
	r.Align()
	u.at, u.from = first, from
	*rec = Record{Kind: Update, Group: first, Tick: u.Tick, From: from}
	return alike, ok && aged && r.Err() == nil
}

func (u *Run) readFrom(r *pack.Reader) (from From, ok bool) {
	base, aged := readAge(r, u.Tick)
	from = From{Base: base, Apart: readApart(r)}
	return from, aged && r.Err() == nil
}

// Read reads the part before each record but the first. more is false at the end of the run; ok is
// false when the bytes are malformed.
func (u *Run) Read(r *pack.Reader, rec *Record) (more, ok bool) {
	if r.Peek()&0b11 == 0b11 && (u.at+1)%Private != 0 { // the next group, from the same base
		r.Skip(2)
		u.at++
		rec.Group, rec.From = u.at, u.from
		return true, r.Err() == nil
	}
	return u.readAny(r, rec)
}

func (u *Run) readAny(r *pack.Reader, rec *Record) (more, ok bool) {
	gap := uint64(0)
	if !r.Bool() {
		if gap = r.Uvarint(); gap == 0 {
			r.Align()
			return false, r.Err() == nil
		}
	}
	left := uint64(Private - 1 - u.at%Private) // handles behind the last in its space
	if r.Err() != nil || gap >= left {
		return true, false
	}
	u.at += 1 + Handle(gap)
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
