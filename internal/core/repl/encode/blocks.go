package encode

import (
	"math"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// block is a stretch of records that stand behind one head, as repl.Run describes it.
type block struct {
	n     int
	from  repl.From // of all
	bits  int       // with the head, unless it is the first of its run
	dense bool      // the handles have no gaps
}

// baseline is the baseline of a block. The peer's baselines for its groups may differ: the block
// states the earliest of them, if each group has the same bits from there, and if it is not before
// the last structure that the peer was sent of the group.
type baseline struct {
	from  repl.From
	least entangle.Tick
}

func newBaseline(rec *Update, c *chunk) baseline {
	return baseline{from: repl.From{Base: rec.Base, Prev: c.prev}, least: leastBaseline(rec, c)}
}

// leastBaseline returns the earliest baseline that a record may state. What a view hides must not
// show in it, and the distance to a previous baseline belongs to one baseline.
func leastBaseline(rec *Update, c *chunk) entangle.Tick {
	switch {
	case c.view != 0 || c.prev > 0:
		return rec.Base
	case c.bases.Lo.Before(rec.StructureSent):
		return rec.StructureSent
	}
	return c.bases.Lo
}

// meet takes another record into account. It reports false, and changes nothing, if the record needs
// another baseline.
func (b *baseline) meet(rec *Update, c *chunk) bool {
	base, least := b.from.Base, leastBaseline(rec, c)
	if rec.Base.Before(base) {
		base = rec.Base
	}
	if least.Before(b.least) {
		least = b.least
	}
	if c.prev != b.from.Prev || base.Before(least) {
		return false
	}
	b.from.Base, b.least = base, least
	return true
}

// nextBlock lays out the first block of some records with rising handles, within a number of bits,
// which its size is not above. It has no records if not even the first fits. begun: another block of
// the run precedes it.
func (w *Encoder) nextBlock(run *repl.Run, first repl.Handle, records []Update, begun bool, room int) (b block) {
	rec := &records[0]
	c, h := &w.Chunks.List[rec.Chunk], first+repl.Handle(rec.At)
	bases, head := newBaseline(rec, c), 0
	if begun {
		head = run.NextBits(h, bases.from)
	}
	b = block{n: 1, from: bases.from, bits: head + w.BitsOf(c), dense: true}
	if b.bits > room {
		b.n = 0
	}
	if b.n == 0 || !c.plain() {
		return b
	}
	most := min(len(records), repl.MaxBlock)
	fixed, gaps := head+1+w.setBits(c)+repl.CountBits(most)+int(c.Width), 0
	for b.n < most {
		last := rec
		rec = &records[b.n]
		next := &w.Chunks.List[rec.Chunk]
		if !next.plain() || !w.Chunks.sameSet(next, c) || !bases.meet(rec, next) {
			break
		}
		if begun && bases.from != b.from {
			fixed -= head
			head = run.NextBits(h, bases.from)
			fixed += head
		}
		fixed += int(next.Width)
		gaps += repl.GapBits(uint64(rec.At - last.At))
		bits, dense := fixed, b.dense && rec.At == last.At+1
		if !dense {
			bits += gaps
		}
		if bits > room {
			break
		}
		b = block{n: b.n + 1, from: bases.from, bits: bits, dense: dense}
	}
	return b
}

// AppendRun writes a run of some records with rising handles, as many as fit into a number of bits,
// and returns how many it wrote. Without names it leaves out the run's head, and names references by
// their public ids.
func (w *Encoder) AppendRun(out *bits.Writer, run *repl.Run, first repl.Handle, records []Update, room int, names Namer) (n int) {
	for n < len(records) {
		left := room - out.LenBits() - repl.EndBits
		if n == 0 && names != nil {
			left -= repl.MaxRunHead * 8
		}
		b := w.nextBlock(run, first, records[n:], n > 0, left)
		if b.n == 0 {
			break
		}
		switch h := first + repl.Handle(records[n].At); {
		case n > 0:
			run.Next(out, h, b.from)
		case names != nil:
			run.Begin(out, h, b.from)
		default:
			run.Enter(h, b.from)
		}
		w.appendBlock(out, run, first, records[n:n+b.n], b.dense, names)
		n += b.n
	}
	if n > 0 {
		run.End(out)
	}
	return n
}

// appendBlock writes a block behind its baseline.
func (w *Encoder) appendBlock(out *bits.Writer, run *repl.Run, first repl.Handle, records []Update, dense bool, names Namer) {
	list := w.Chunks.List
	c := &list[records[0].Chunk]
	out.Bool(c.plain())
	if !c.plain() {
		w.AppendRefs(out, w.Chunks.SlotsOf(c), names)
		w.Chunks.append(out, c)
		return
	}
	repl.AppendCount(out, len(records), !dense)
	w.sets.Append(out, &w.Chunks.sets[c.set-1])
	if !dense {
		for i := range records[1:] {
			run.AppendGap(out, first+repl.Handle(records[1+i].At))
		}
	}
	for i := range records {
		w.Chunks.append(out, &list[records[i].Chunk])
	}
	run.Skip(first + repl.Handle(records[len(records)-1].At))
}

// RunBits bounds the size of some records with rising handles, as a run.
func (w *Encoder) RunBits(sp *group.Space, records []Update) int {
	if len(records) == 0 {
		return 0
	}
	run, bits := repl.Run{Tick: w.state.Tick}, repl.MaxRunHead*8+repl.EndBits
	for n := 0; n < len(records); {
		b := w.nextBlock(&run, sp.First, records[n:], n > 0, math.MaxInt)
		bits += b.bits
		n += b.n
		run.Enter(sp.First+repl.Handle(records[n-1].At), b.from)
	}
	return bits
}

// AppendRefs writes a table of references, as a peer names them, or all peers.
func (w *Encoder) AppendRefs(out *bits.Writer, slots []repl.Slot, names Namer) {
	out.Bool(len(slots) > 0)
	if len(slots) == 0 {
		return
	}
	out.Uvarint(uint64(len(slots)))
	for _, s := range slots {
		if names != nil {
			repl.AppendRef(out, repl.Ref{ID: names.ID(s)})
			continue
		}
		id, _ := w.state.ID(s)
		repl.AppendRef(out, repl.Ref{ID: id})
	}
}

// Copy is the body of a run behind its head, for the baselines of a span.
type Copy struct {
	Bases      group.Span
	prev       uint8
	Off, Bytes int
}

// serves reports whether a copy is right for a peer with a baseline.
func (c *Copy) serves(from repl.From) bool {
	return c.prev == from.Prev && c.Bases.Contains(from.Base)
}

// maxCopies bounds the copies of a run, for different spans of baselines, in one tick.
const maxCopies = 16

// CopyOf returns the body of a run for a peer with a baseline, or nil when the run has no common
// form for it.
func (w *Encoder) CopyOf(r *Run, from repl.From) *Copy {
	for i := range r.made {
		if made := &r.made[i]; made.serves(from) {
			if w.Unshared {
				*made, _ = w.WriteRun(r, from)
			}
			return made
		}
	}
	if r.failed || len(r.made) == maxCopies {
		return nil
	}
	made, ok := w.WriteRun(r, from)
	if !ok {
		r.failed = true
		return nil
	}
	r.made = append(r.made, made)
	return &r.made[len(r.made)-1]
}

// WriteRun makes a copy of a run for one baseline. It is not ok when the copy does not fit, when a
// group has no value to send, or when peers refer to its references by different ids.
func (w *Encoder) WriteRun(r *Run, from repl.From) (made Copy, ok bool) {
	made = Copy{Bases: group.AllTime(w.state.Tick), prev: from.Prev, Off: len(w.Runs.Arena)}
	w.Runs.records = w.Runs.records[:0]
	for _, h := range r.Groups {
		n := w.Chunk(w.state.Public.Groups[h], from, 0)
		c := &w.Chunks.List[n]
		if c.Width == 0 || !w.allPublic(w.Chunks.SlotsOf(c)) {
			return Copy{}, false
		}
		made.Bases.Intersect(c.bases)
		w.Runs.records = append(w.Runs.records, Update{At: int32(h), Chunk: n, Base: from.Base, StructureSent: from.Base})
	}
	out, run := &w.Runs.w, repl.Run{Tick: w.state.Tick}
	out.Reset(w.Runs.Arena)
	n := w.AppendRun(out, &run, 0, w.Runs.records, maxRunBytes*8, nil)
	w.Runs.Arena = out.Finish()
	made.Bytes = len(w.Runs.Arena) - made.Off
	return made, n == len(r.Groups)
}

// allPublic reports whether all entities have public ids.
func (w *Encoder) allPublic(slots []repl.Slot) bool {
	for _, s := range slots {
		if _, ok := w.state.ID(s); !ok {
			return false
		}
	}
	return true
}
