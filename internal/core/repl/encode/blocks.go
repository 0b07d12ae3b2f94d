package encode

import (
	"math"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// block is the layout of the next block of a run: the number of its records, and their common baseline. repl.RunHeads
// describes blocks.
type block struct {
	records int
	from    repl.From
	bits    int  // size; with the block's head, except for the first block of a run
	dense   bool // the handles have no gaps
}

// blockBaseline finds the baseline of a block, which is the oldest baseline of its records. A record with a newer
// baseline can state the older one if its bits are the same from there, and if the peer was sent the present structure
// of its group by then.
type blockBaseline struct {
	from     repl.From
	earliest entangle.Tick // earliest baseline that all records can state
}

// newBlockBaseline returns the baseline of a block with one record.
func newBlockBaseline(rec *Update, c *chunk) blockBaseline {
	return blockBaseline{from: repl.From{Base: rec.Base, Prev: c.prev}, earliest: earliestBaseline(rec, c)}
}

// earliestBaseline returns the earliest baseline that a record can state. In a view it is the peer's baseline, because an
// earlier one could reveal when something hidden changed. It also is if there is a previous baseline, because From.Prev
// is relative to the baseline.
func earliestBaseline(rec *Update, c *chunk) entangle.Tick {
	switch {
	case c.view != 0 || c.prev > 0:
		return rec.Base
	case c.bases.Lo.Before(rec.Earliest):
		return rec.Earliest
	}
	return c.bases.Lo
}

// include adds a record to the block. It reports false, and changes nothing, if no baseline serves all records.
func (b *blockBaseline) include(rec *Update, c *chunk) bool {
	base, least := b.from.Base, earliestBaseline(rec, c)
	if rec.Base.Before(base) {
		base = rec.Base
	}
	if least.Before(b.earliest) {
		least = b.earliest
	}
	if c.prev != b.from.Prev || base.Before(least) {
		return false
	}
	b.from.Base, b.earliest = base, least
	return true
}

// nextBlock lays out a block of the first of some records, which have rising handles. The block takes at most room bits,
// and has no records if not even the first fits. begun means that it is not the first block of the run.
func (w *Encoder) nextBlock(run *repl.RunHeads, first repl.Handle, records []Update, begun bool, room int) (b block) {
	rec := &records[0]
	c, h := &w.Chunks.List[rec.Chunk], first+repl.Handle(rec.At)
	base, head := newBlockBaseline(rec, c), 0
	if begun {
		head = run.NextBits(h, base.from)
	}
	b = block{records: 1, from: base.from, bits: head + w.BitsOf(c), dense: true}
	if b.bits > room {
		b.records = 0
	}
	if b.records == 0 || !c.plain() {
		return b
	}
	most := min(len(records), repl.MaxBlock)
	fixed, gaps := head+1+w.setBits(c)+repl.CountBits(most)+int(c.Width), 0
	for b.records < most {
		last := rec
		rec = &records[b.records]
		next := &w.Chunks.List[rec.Chunk]
		if !next.plain() || !w.Chunks.sameSet(next, c) || !base.include(rec, next) {
			break
		}
		if begun && base.from != b.from {
			fixed -= head
			head = run.NextBits(h, base.from)
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
		b = block{records: b.records + 1, from: base.from, bits: bits, dense: dense}
	}
	return b
}

// AppendRun writes a run of the first of some records, as many as fit until out has room bits, and returns their number.
// The records have rising handles, and first is the Space.First of their handles. References are written as the peer's
// ids. If peer is nil, AppendRun writes a Copy for all peers: without the run's head, and with public ids.
func (w *Encoder) AppendRun(out *bits.Writer, run *repl.RunHeads, first repl.Handle, records []Update, room int, peer *group.Peer) (n int) {
	for n < len(records) {
		left := room - out.LenBits() - repl.EndBits
		if n == 0 && peer != nil {
			left -= repl.MaxRunHead * 8
		}
		b := w.nextBlock(run, first, records[n:], n > 0, left)
		if b.records == 0 {
			break
		}
		switch h := first + repl.Handle(records[n].At); {
		case n > 0:
			run.Next(out, h, b.from)
		case peer != nil:
			run.Begin(out, h, b.from)
		default:
			run.Enter(h, b.from)
		}
		w.appendBlock(out, run, first, records[n:n+b.records], b.dense, peer)
		n += b.records
	}
	if n > 0 {
		run.End(out)
	}
	return n
}

// appendBlock writes the records of one block, after its head.
func (w *Encoder) appendBlock(out *bits.Writer, run *repl.RunHeads, first repl.Handle, records []Update, dense bool, peer *group.Peer) {
	list := w.Chunks.List
	c := &list[records[0].Chunk]
	out.Bool(c.plain())
	if !c.plain() {
		w.AppendRefs(out, w.Chunks.SlotsOf(c), peer)
		if out.Bool(c.set > 0); c.set > 0 {
			w.sets.Append(out, &w.Chunks.sets[c.set-1])
		}
		w.Chunks.appendBits(out, c)
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
		w.Chunks.appendBits(out, &list[records[i].Chunk])
	}
	run.Skip(first + repl.Handle(records[len(records)-1].At))
}

// RunBits returns an upper bound of the size in bits of a run of some records, which have rising handles.
func (w *Encoder) RunBits(sp *group.Space, records []Update) int {
	if len(records) == 0 {
		return 0
	}
	run, bits := repl.RunHeads{Tick: w.state.Tick}, repl.MaxRunHead*8+repl.EndBits
	for n := 0; n < len(records); {
		b := w.nextBlock(&run, sp.First, records[n:], n > 0, math.MaxInt)
		bits += b.bits
		n += b.records
		run.Enter(sp.First+repl.Handle(records[n-1].At), b.from)
	}
	return bits
}

// AppendRefs writes a table of references: the peer's ids, or public ids if peer is nil.
func (w *Encoder) AppendRefs(out *bits.Writer, slots []repl.Slot, peer *group.Peer) {
	out.Bool(len(slots) > 0)
	if len(slots) == 0 {
		return
	}
	out.Uvarint(uint64(len(slots)))
	for _, s := range slots {
		if peer != nil {
			repl.AppendRef(out, repl.Ref{ID: peer.ID(s)})
			continue
		}
		id, _ := w.state.ID(s)
		repl.AppendRef(out, repl.Ref{ID: id})
	}
}

// Copy is the encoded contents of a run, without the run's head. It serves all peers with baselines in a span.
type Copy struct {
	Bases      group.Span
	prev       uint8 // From.Prev of the baselines
	Off, Bytes int   // position and size in Encoder.Runs.Arena
}

// serves reports whether the copy is the run from a baseline.
func (c *Copy) serves(from repl.From) bool {
	return c.prev == from.Prev && c.Bases.Contains(from.Base)
}

// maxCopies is the maximum number of copies of a run, for different spans of baselines.
const maxCopies = 16

// CopyOf returns the copy of a run for a peer with a baseline, and encodes it if necessary. It returns nil if the run
// cannot be copied; see WriteRun.
func (w *Encoder) CopyOf(r *SharedRun, from repl.From) *Copy {
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

// WriteRun encodes a copy of a run from a baseline. ok is false if the run does not fit into a packet, if a group has no
// value to send, or if it refers to an entity whose home is private and whose id differs between peers.
func (w *Encoder) WriteRun(r *SharedRun, from repl.From) (made Copy, ok bool) {
	made = Copy{Bases: group.AllTime(w.state.Tick), prev: from.Prev, Off: len(w.Runs.Arena)}
	w.Runs.records = w.Runs.records[:0]
	for _, h := range r.Groups {
		n := w.Chunk(w.state.Public.Groups[h], from, 0)
		c := &w.Chunks.List[n]
		if c.Width == 0 || !w.allPublic(w.Chunks.SlotsOf(c)) {
			return Copy{}, false
		}
		made.Bases.Intersect(c.bases)
		w.Runs.records = append(w.Runs.records, Update{At: int32(h), Chunk: n, Base: from.Base, Earliest: from.Base})
	}
	out, run := &w.Runs.w, repl.RunHeads{Tick: w.state.Tick}
	out.Reset(w.Runs.Arena)
	n := w.AppendRun(out, &run, 0, w.Runs.records, maxRunBytes*8, nil)
	w.Runs.Arena = out.Finish()
	made.Bytes = len(w.Runs.Arena) - made.Off
	return made, n == len(r.Groups)
}

// allPublic reports whether all of some entities have public ids.
func (w *Encoder) allPublic(slots []repl.Slot) bool {
	for _, s := range slots {
		if _, ok := w.state.ID(s); !ok {
			return false
		}
	}
	return true
}
