package encode

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// spawnBatch is the fulls of public groups with consecutive handles, of one entity each with the same
// components, which refers to nobody. It is encoded once in a tick, for all peers that
// have none of the groups: when many entities spawn, and when a peer joins. Behind the first full of a
// batch in a message all others are usual ones.
type spawnBatch struct {
	First      repl.Handle
	Count      int // number of groups
	Generation repl.Generation
	Comps      set.Mask
	At         int // of the first group in spawnBatches.ends
	Off        int // in the arena
}

// spawnBatches is the batches of the present tick.
type spawnBatches struct {
	list  []spawnBatch
	of    newest   // index in list, or that of noBatch
	Ends  []uint32 // where the values of each group end, in bits, behind a bit that says that it is usual
	Arena []byte
	buf   []byte
}

const (
	noBatch = -1
	// maxBatch bounds the groups of a batch, and maxBatchBits their size: a few messages. Groups behind
	// that begin another one.
	maxBatch     = 1 << 9
	maxBatchBits = 1 << 16
)

// reset forgets the batches of the last tick.
func (b *spawnBatches) reset(tick entangle.Tick, groups int) {
	b.of.begin(tick, groups)
	b.list, b.Ends, b.Arena = b.list[:0], b.Ends[:0], b.Arena[:0]
}

// SpawnBatch returns the batch of the present tick that holds a public handle, or nil.
func (w *Encoder) SpawnBatch(h repl.Handle) *spawnBatch {
	b, id := &w.Spawns, w.state.Public.Groups[h]
	if id == ident.NoGroup {
		return nil
	}
	if b.of.find(id) == 0 {
		w.encodeBatch(h)
	}
	if n := b.of.find(id); n != noBatch {
		return &b.list[n-1]
	}
	return nil
}

// canBatch reports whether a public handle has a group of one active entity that was born in it, and
// that the full of which concerns no other group.
func (w *Encoder) canBatch(h repl.Handle) bool {
	id := w.state.Public.Groups[h]
	if id == ident.NoGroup {
		return false
	}
	gr := &w.state.Groups[id]
	if !gr.Open || !gr.Alone() || gr.Withheld {
		return false
	}
	m := &gr.Members[0]
	_, trail := w.state.Trails.Of[m.Slot]
	return !trail && !w.state.IsPaused(m.Slot) && w.state.IsNative(m.Slot, id, m.Number)
}

// encodeBatch encodes the batch that begins with a public handle, or notes that there is none.
func (w *Encoder) encodeBatch(first repl.Handle) {
	b, enc, groups := &w.Spawns, &w.Bodies, w.state.Public.Groups
	b.of.set(groups[first], noBatch)
	if !w.canBatch(first) {
		return
	}
	gr := &w.state.Groups[groups[first]]
	made := spawnBatch{First: first, Comps: w.state.Slots.Mask[gr.Members[0].Slot], Generation: w.state.Public.Generation(int(first)), At: len(b.Ends), Off: len(b.Arena)}
	enc.w.Reset(b.buf[:0])
	enc.refs.Reset()
	enc.current = Body{key: Key{Kind: repl.Full, Base: w.state.Tick, Structure: w.state.Tick}, bases: group.AllTime(w.state.Tick), structures: group.AllTime(w.state.Tick)}
	for h := first; made.Count < maxBatch && enc.w.LenBits() < maxBatchBits && int(h) < len(groups); h++ {
		if !w.canBatch(h) || h != first && b.of.find(groups[h]) != 0 {
			break
		}
		gr := &w.state.Groups[groups[h]]
		s := gr.Members[0].Slot
		if w.state.Public.Generation(int(h)) != made.Generation || w.state.Slots.Mask[s] != made.Comps {
			break
		}
		before := enc.w.LenBits()
		w.beginRecord()
		enc.w.Bool(true)
		w.encodeSet(s, made.Comps)
		if len(enc.refs.Slots()) > 0 || enc.w.LenBits()-before > maxBatchedBits {
			break
		}
		b.Ends = append(b.Ends, uint32(enc.w.LenBits()))
		made.Count++
	}
	b.buf = enc.w.Finish()
	if made.Count == 0 {
		return
	}
	b.Arena = append(b.Arena, b.buf...)
	b.list = append(b.list, made)
	for _, id := range groups[first:][:made.Count] {
		b.of.set(id, len(b.list))
	}
}

// maxBatchedBits is the size of the largest full in a batch: any message has room for it.
const maxBatchedBits = 1 << 12

// AppendUsualStart writes what the body of a usual full begins with, before its values.
func (w *Encoder) AppendUsualStart(out *pack.Writer, comps *set.Mask) {
	out.Bits(repl.UsualFull, repl.UsualFullBits)
	w.sets.Append(out, comps)
}

// FullBits bounds a full of a batch without its values, and the end of a message behind it, as actionBits does.
func (w *Encoder) FullBits(b *spawnBatch) int {
	const leaversAndAlone = 2 // of repl.UsualFullBits: MaxUsualBits has the others
	return MaxUsualBits + leaversAndAlone + w.sets.Bits(&b.Comps)
}

// MaxUsualBits bounds an action that predicts and refers to nobody, without its body, and the end of a
// message behind it.
const MaxUsualBits = repl.MaxHeadBits + 1 + 1 + repl.MaxRefBits + repl.MaxMessageEndBits

// AppendBits writes the bits of a body from one bit up to another.
func AppendBits(w *pack.Writer, body []byte, from, to int) {
	if over := from & 7; over > 0 {
		n := min(8-over, to-from)
		w.Bits(uint64(body[from>>3]>>over)&(1<<n-1), uint(n))
		from += n
	}
	w.Copy(body[from>>3:], to-from)
}
