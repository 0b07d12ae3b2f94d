package receiver_test

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// This file writes the wire format by hand, as docs/PROTOCOL.md describes it. It uses none of the
// tested code except the bit writer.

// comps is the number of components: 0 is a number of 32 bits, 1 is a reference, 2 has no value.
const comps = 3

// content is the part of a record about one member.
type content struct {
	removed []int
	set     []int
	value   uint32
	ref     uint64 // index into the table
}

func number(v uint32) content { return content{set: []int{0}, value: v} }

// record is one record of an action message, of a part of a unit or of a run.
type record struct {
	kind       repl.Kind
	group      repl.Handle
	tick, base entangle.Tick
	predicted  predicted
	ended      predicted // of a change: no longer predicted
	refs       []repl.Ref
	leavers    []leaver
	alone      bool
	generation repl.Generation // of the handle, in a full
	only       content         // content of member 0, if it is the only one
	joins      []joining
	changed    []change
	usual      bool // it is like the record before it, and only has values of its own
}

type leaver struct {
	number repl.Member
	fate   repl.Fate
}

type joining struct {
	number  repl.Member
	kept    bool
	from    int // index into the table; 0 for a native member
	content content
}

type change struct {
	number  repl.Member
	content content
}

func flagged(set []int) (v uint64) {
	for _, c := range set {
		v |= 1 << c
	}
	return v
}

// write writes the changes of a member. last is the component set of the previous member in a list,
// or nil if the member is alone.
func (c content) write(w *bits.Writer, removals bool, last *uint64) {
	c.writeRemoved(w, removals)
	same := last != nil && flagged(c.set) == *last
	if last != nil {
		w.Bool(same)
		*last = flagged(c.set)
	}
	c.writeSet(w, same)
}

func (c content) writeRemoved(w *bits.Writer, removals bool) {
	if !removals {
		return
	}
	w.Bool(len(c.removed) > 0)
	if len(c.removed) > 0 {
		w.Bits(flagged(c.removed), comps)
	}
}

// writeSet writes which components follow, unless that is known, and their values.
func (c content) writeSet(w *bits.Writer, known bool) {
	if !known {
		w.Bits(flagged(c.set), comps)
	}
	c.writeValues(w)
}

func (c content) writeValues(w *bits.Writer) {
	for _, comp := range c.set {
		switch comp {
		case 0:
			w.Bits(uint64(c.value), 32)
		case 1:
			w.Uvarint(c.ref)
		}
	}
}

func handle(w *bits.Writer, h repl.Handle) {
	w.Bool(h >= repl.MaxGroups)
	w.Uvarint(uint64(h) % repl.MaxGroups)
}

func writeNeeds(w *bits.Writer, now entangle.Tick, needs []repl.Need) {
	w.Bool(len(needs) > 0)
	if len(needs) == 0 {
		return
	}
	w.Uvarint(uint64(len(needs)))
	for _, n := range needs {
		handle(w, n.Group)
		w.Uvarint(uint64(now - n.Tick))
	}
}

func writeRefs(w *bits.Writer, refs []repl.Ref) {
	w.Bool(len(refs) > 0)
	if len(refs) == 0 {
		return
	}
	w.Uvarint(uint64(len(refs)))
	for _, ref := range refs {
		w.Bool(ref.Yours)
		handle(w, ref.ID.Group)
		writeGeneration(w, ref.ID.Generation)
		w.Bool(ref.ID.Member > 0)
		if ref.ID.Member > 0 {
			w.Uvarint(uint64(ref.ID.Member) - 1)
		}
	}
}

func writeGeneration(w *bits.Writer, g repl.Generation) {
	w.Bool(g > 0)
	if g > 0 {
		w.Uvarint(uint64(g) - 1)
	}
}

// list writes rising numbers, and some data after each.
func list[T any](w *bits.Writer, items []T, number func(T) repl.Member, behind func(T)) {
	next := uint64(0)
	for _, item := range items {
		n := uint64(number(item))
		w.Bool(n == next)
		if n != next {
			skip(w, n-next)
		}
		next = n + 1
		behind(item)
	}
	w.Bits(0, 6)
}

// skip writes how many numbers are skipped.
func skip(w *bits.Writer, n uint64) {
	w.Bits(min(n, 31), 5)
	if n >= 31 {
		w.Uvarint(n - 31)
	}
}

func (r *record) writeLeavers(w *bits.Writer) {
	w.Bool(len(r.leavers) > 0)
	if len(r.leavers) > 0 {
		list(w, r.leavers, func(l leaver) repl.Member { return l.number }, func(l leaver) { w.Bits(uint64(l.fate), 2) })
	}
}

func (r *record) writeChanged(w *bits.Writer) {
	last, next := uint64(0), uint64(0)
	for _, c := range r.changed {
		n, same := uint64(c.number), flagged(c.content.set) == last
		w.Bool(same && n == next)
		if !same || n != next {
			w.Bool(same)
			skip(w, n-next)
		}
		next, last = n+1, flagged(c.content.set)
		c.content.writeRemoved(w, r.kind == repl.Change)
		c.content.writeSet(w, same)
	}
	w.Bits(0b10, 7)
}

func (r *record) writeJoins(w *bits.Writer) {
	list(w, r.joins, func(j joining) repl.Member { return j.number }, func(j joining) {
		if r.kind == repl.Full {
			w.Bool(j.kept)
		}
		if !j.kept {
			r.writeJoiner(w, j)
		}
	})
	last := uint64(0)
	for _, j := range r.joins {
		if !j.kept {
			j.content.write(w, false, &last)
		}
	}
}

func (r *record) writeJoiner(w *bits.Writer, j joining) {
	w.Bool(j.from == 0)
	if j.from > 0 {
		w.Uvarint(uint64(j.from) - 1)
	}
}

// predicted is members that are predicted from an action on. nil states nothing.
type predicted []repl.Member

func (r *record) writePredicted(w *bits.Writer) {
	if states := r.predicted != nil || r.ended != nil; !states {
		w.Bool(false)
		return
	}
	w.Bool(true)
	named := slices.Concat(r.predicted, r.ended)
	slices.Sort(named)
	list(w, named, func(n repl.Member) repl.Member { return n }, func(n repl.Member) { w.Bool(slices.Contains(r.predicted, n)) })
}

func (r *record) write(w *bits.Writer) {
	switch r.kind {
	case repl.Gone:
		r.writeLeavers(w)
		return
	case repl.Update:
	default:
		r.writePredicted(w)
	}
	writeRefs(w, r.refs)
	if r.kind != repl.Update {
		r.writeLeavers(w)
	}
	w.Bool(r.alone)
	if r.alone {
		r.only.write(w, r.kind == repl.Change, nil)
		return
	}
	if r.kind != repl.Update {
		r.writeJoins(w)
	}
	if r.kind != repl.Full {
		r.writeChanged(w)
	}
}

// message writes actions of one tick, sorted by group.
func message(records ...record) []byte {
	var w bits.Writer
	w.Bits(uint64(records[0].tick), 32)
	w.Bool(false) // no units
	writeRecords(&w, records)
	return w.Finish()
}

// part is one part of a unit in a message.
type part struct {
	unit, number uint64
	needs        []repl.Need // in part 0
	records      []record
	last         bool
}

// whole returns a unit of one part.
func whole(unit uint64, records ...record) part {
	return part{unit: unit, records: records, last: true}
}

// units writes a message of parts of units of one tick.
func units(tick entangle.Tick, parts ...part) []byte {
	var w bits.Writer
	w.Bits(uint64(tick), 32)
	w.Bool(true)
	for _, p := range parts {
		w.Bool(true)
		w.Uvarint(p.unit)
		w.Uvarint(p.number)
		if p.number == 0 {
			writeNeeds(&w, tick, p.needs)
		}
		writeRecords(&w, p.records)
		w.Bool(p.last)
	}
	w.Bool(false)
	return w.Finish()
}

func writeRecords(w *bits.Writer, records []record) {
	next, base, based := repl.Handle(0), entangle.Tick(0), false
	for i := range records {
		r := &records[i]
		if i > 0 {
			w.Bool(r.usual)
		}
		if r.usual {
			r.only.writeValues(w)
			next++
			continue
		}
		w.Bits(uint64(r.kind), 2)
		private := r.group >= repl.MaxGroups
		w.Bool(private)
		if private {
			next = max(next, repl.MaxGroups)
		}
		w.Uvarint(uint64(r.group - next))
		next = r.group + 1
		if r.kind == repl.Full {
			writeGeneration(w, r.generation)
		} else {
			same := based && base == r.base
			if w.Bool(same); !same {
				w.Uvarint(uint64(r.tick - r.base))
			}
			base, based = r.base, true
		}
		r.write(w)
	}
	if len(records) > 0 {
		w.Bool(false)
	}
	w.Bits(3, 2)
}

// run writes updates of one tick, sorted by group, of one handle space: each is a block of its own.
func run(records ...record) []byte {
	var w bits.Writer
	w.Bool(false) // a run
	for i := range records {
		r := &records[i]
		if i == 0 {
			handle(&w, r.group)
			w.Uvarint(uint64(r.tick - r.base))
			w.Bool(true) // no previous baseline
			w.Align()
		} else {
			before := &records[i-1]
			gap := uint64(r.group - before.group)
			w.Bool(true)
			if w.Bool(gap == 1); gap != 1 {
				w.Uvarint(gap - 2)
			}
			w.Bool(r.base == before.base)
			if r.base != before.base {
				w.Uvarint(uint64(r.tick - r.base))
				w.Bool(true)
			}
		}
		w.Bool(false) // not a plain block
		r.write(&w)
	}
	w.Bool(false)
	return w.Finish()
}

// markOf writes one part of a mark.
func markOf(tick entangle.Tick, part int, last bool, needs ...repl.Need) []byte {
	var w bits.Writer
	w.Bool(true)
	w.Uvarint(uint64(part))
	w.Bool(last)
	writeNeeds(&w, tick, needs)
	return w.Finish()
}
