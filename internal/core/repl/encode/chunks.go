package encode

import (
	"encoding/binary"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// chunk is the encoded update of a group in one tick and one view. It serves all peers with that view and with a
// baseline in the span.
type chunk struct {
	bases group.Span // baselines with the same bits
	at    uint32     // first byte in chunks.bits
	Width uint32     // number of bits; 0: the group has no value to send
	refs  uint32     // index in chunks.slots of the first entity that it refers to
	nrefs uint32     // number of references
	next  int32      // 1 + index of an older chunk of the group; 0: none
	set   int32      // of an entity alone: 1 + index of its components in chunks.sets, and the bits are the values; else 0
	view  view.ID
	prev  uint8 // From.Prev of the baselines
	Large bool  // it does not fit into a packet
}

// Sendable reports whether a packet can carry the chunk, and it has something to send.
func (c *chunk) Sendable() bool { return c.Width > 0 && !c.Large }

// plain reports whether the chunk has only values of member 0 and no references, so that a run can put it into a block with
// others.
func (c *chunk) plain() bool { return c.set > 0 && c.nrefs == 0 }

// chunks is the chunks that were encoded in this tick, by group.
type chunks struct {
	first newest // chunk of each group
	List  []chunk
	bits  []byte      // each chunk in whole little-endian words, padded with zeros
	sets  []set.Mask  // components of chunks; equal neighbours share one
	slots []repl.Slot // to which chunks refer
}

// newest is, for each group, 1 + the index of the newest thing that was encoded of it in the present tick. That leads to
// the older ones. The tick is stored with each index, so that nothing has to be cleared for the next tick.
type newest struct {
	tick entangle.Tick
	of   []newestOf // by group
}

type newestOf struct {
	tick entangle.Tick
	at   int32
}

// begin starts a tick with a number of groups.
func (n *newest) begin(tick entangle.Tick, groups int) {
	n.tick = tick
	for len(n.of) < groups {
		n.of = append(n.of, newestOf{})
	}
}

// find returns 1 + the index of the newest of a group, or 0 if there is none.
func (n *newest) find(id ident.GroupIndex) int32 {
	if of := &n.of[id]; of.tick == n.tick {
		return of.at
	}
	return 0
}

func (n *newest) set(id ident.GroupIndex, at int) { n.of[id] = newestOf{n.tick, int32(at)} }

// reset forgets the chunks of the last tick.
func (c *chunks) reset(tick entangle.Tick, groups int) {
	c.first.begin(tick, groups)
	c.List, c.bits, c.sets, c.slots = c.List[:0], c.bits[:0], c.sets[:0], c.slots[:0]
}

// serves reports whether the chunk is the update from a baseline in a view.
func (c *chunk) serves(from repl.From, view view.ID) bool {
	return c.bases.Contains(from.Base) && c.prev == from.Prev && c.view == view
}

// Find returns the index of a group's chunk from a baseline in a view. ok is false if it is not encoded yet.
func (c *chunks) Find(id ident.GroupIndex, from repl.From, view view.ID) (i int32, ok bool) {
	for i = c.first.find(id); i != 0; i = c.List[i-1].next {
		if c.List[i-1].serves(from, view) {
			return i - 1, true
		}
	}
	return 0, false
}

// Chunk returns the index of a group's chunk from a baseline in a view, and encodes it if necessary.
func (w *Encoder) Chunk(id ident.GroupIndex, from repl.From, view view.ID) int32 {
	if i, ok := w.Chunks.Find(id, from, view); ok && !w.Unshared {
		return i
	}
	return w.encodeChunk(id, from, view)
}

// encodeChunk encodes a group's update and returns the index of the new chunk. It is written where it stays.
func (w *Encoder) encodeChunk(id ident.GroupIndex, from repl.From, view view.ID) int32 {
	w.BodiesMade++
	b, c := &w.Bodies, &w.Chunks
	b.refs.Reset()
	b.w.Reset(c.bits)
	w.beginUpdate(from, view)
	w.beginRecord()
	comps := w.encodeUpdate(id)
	c.List = append(c.List, chunk{})
	made := &c.List[len(c.List)-1] // set field by field, as in beginUpdate
	made.bases, made.view, made.prev, made.refs = b.current.bases, view, from.Prev, uint32(len(c.slots))
	c.slots = append(c.slots, b.refs.Slots()...)
	made.nrefs = uint32(len(c.slots)) - made.refs
	if !comps.IsZero() {
		made.set = c.addSet(&comps)
	}
	made.at = uint32(len(c.bits))
	if b.current.hasValue {
		made.Width = uint32(b.w.LenBits()) // 0 too: a codec may write no bits
		b.w.Bits(0, uint(-b.w.LenBits()&63))
		c.bits = b.w.Finish()
	}
	made.Large = w.BitsOf(made) > MaxRecordBits
	made.next = c.first.find(id)
	c.first.set(id, len(c.List))
	return int32(len(c.List)) - 1
}

// addSet stores a set of components, unless it equals the last one, and returns 1 + its index.
func (c *chunks) addSet(comps *set.Mask) int32 {
	if n := len(c.sets); n == 0 || c.sets[n-1] != *comps {
		c.sets = append(c.sets, *comps)
	}
	return int32(len(c.sets))
}

// sameSet reports whether two chunks of entities alone have the same components.
func (c *chunks) sameSet(a, b *chunk) bool {
	return a.set == b.set || c.sets[a.set-1] == c.sets[b.set-1]
}

// appendBits writes a chunk's bits.
func (c *chunks) appendBits(w *bits.Writer, ch *chunk) {
	from := c.bits[ch.at:]
	switch width := uint(ch.Width); {
	case width <= 64:
		w.Put(binary.LittleEndian.Uint64(from), width)
	case width <= 128:
		w.Pair(binary.LittleEndian.Uint64(from), binary.LittleEndian.Uint64(from[8:]), width)
	default:
		w.Copy(from, int(width))
	}
}

// SlotsOf returns the slots that a chunk refers to.
func (c *chunks) SlotsOf(ch *chunk) []repl.Slot { return c.slots[ch.refs : ch.refs+ch.nrefs] }

// BitsOf returns an upper bound of the size of a chunk in bits, as a block of its own without the block's head.
func (w *Encoder) BitsOf(ch *chunk) int {
	bits := 3 + int(ch.Width)
	switch {
	case ch.plain():
		return 1 + w.setBits(ch) + repl.CountBits(1) + int(ch.Width)
	case ch.set > 0:
		bits += w.setBits(ch)
	}
	if ch.nrefs > 0 {
		bits += repl.MaxRefBits * int(ch.nrefs+1)
	}
	return bits
}

// setBits returns the size in bits of the set of components of a chunk that has one.
func (w *Encoder) setBits(ch *chunk) int { return w.sets.Bits(&w.Chunks.sets[ch.set-1]) }
