package sender

import (
	"encoding/binary"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// chunk is the usual update of a group in one tick, ready to be copied: that of all its members,
// without references. There is at most one for each group, by its number; other updates have a
// body.
type chunk struct {
	bases span
	tick  entangle.Tick // it is of this one
	at    uint32        // in chunks.words
	width uint16        // bits, with the one that says that there are no references; 0: there is none
	kind  uint16        // what stands before the values, if it is of one entity; else 0
	apart uint8         // of the bases
	asked bool          // somebody needs it, and not only likely
}

// maxChunk bounds the bits of a chunk: more than fit into a packet.
const maxChunk = 1 << 14

// chunks is the chunks of the present tick.
type chunks struct {
	of    []chunk
	words []uint64      // each chunk's bits, the first one lowest; zeros behind the last
	buf   []byte        // where one is written
	age   entangle.Tick // of the last base that none served; see encodeLikely
}

func (c *chunks) grow(groups int) {
	for len(c.of) < groups {
		c.of = append(c.of, chunk{})
	}
}

// chunk returns the chunk of a group's update from a baseline, or nil when that update needs a body
// of its own. The first caller decides the chunk's baseline.
func (w *World) chunk(id groupID, from repl.From) *chunk {
	c := &w.chunks.of[id]
	serves := c.tick == w.tick && c.serves(from)
	if serves && c.asked && !w.unshared {
		return c
	}
	if !serves && (c.tick != w.tick || !c.asked) || serves && w.unshared {
		w.fill(id, c, from)
		w.chunks.age = w.tick - from.Base
	}
	if c.asked = true; !c.serves(from) {
		return nil
	}
	return c
}

// serves reports whether a chunk is right for a peer with a baseline.
func (c *chunk) serves(from repl.From) bool {
	return c.width > 0 && c.apart == from.Apart && c.bases.contains(from.Base)
}

// fill encodes a chunk for a baseline, and for all baselines with the same bits.
func (w *World) fill(id groupID, c *chunk, from repl.From) {
	*c = chunk{tick: w.tick, bases: allTime(w.tick), apart: from.Apart}
	w.stats.Bodies++
	b := &w.bodies
	b.refs.Reset()
	b.w.Reset(w.chunks.buf[:0])
	gr := &w.groups[id]
	alone, prefix, some := gr.alone(), 0, false
	if alone && w.differ == nil && !w.isPaused(gr.members[0].slot) {
		prefix, some = w.fillAlone(gr.members[0].slot, c, from.Base)
	} else {
		prefix, some = w.fillAny(id, c, from)
	}
	width := b.w.LenBits()
	b.w.Bits(0, 64)
	w.chunks.buf = b.w.Finish()
	if !some || len(b.refs.Slots()) > 0 || width > maxChunk {
		return
	}
	c.at, c.width = w.chunks.keep(width), uint16(width)
	if alone {
		c.kind = w.kinds.of(w.chunks.words[c.at], prefix)
	}
}

// fillAny writes the update of any group, and returns where the values of the last member begin and
// whether there are any.
func (w *World) fillAny(id groupID, c *chunk, from repl.From) (prefix int, some bool) {
	b := &w.bodies
	b.here = body{key: w.updateKey(from, 0), bases: c.bases, shapes: c.bases}
	w.beginRecord()
	b.w.Bool(false)
	w.encodeUpdate(id)
	c.bases = b.here.bases
	return b.here.prefix, b.here.some
}

// fillAlone is fillAny for a group of one, in a world where no component is sent as differences.
func (w *World) fillAlone(slot repl.Slot, c *chunk, base entangle.Tick) (prefix int, some bool) {
	const noRefsAndAlone = 0b10
	b := &w.bodies
	set := w.slots.changedSince(slot, base, &c.bases)
	b.w.Put(noRefsAndAlone, kindFlags)
	w.sets.Append(&b.w, &set)
	prefix = b.w.LenBits()
	for comp := set.Next(0); comp >= 0; comp = set.Next(comp + 1) {
		w.src.Encode(&b.w, slot, comp, &b.refs)
	}
	return prefix, !set.IsZero()
}

// keepBody makes a chunk of a body without references. It is for peers with another baseline than
// the group's chunk, so that the bytes sent to a peer do not depend on which peer asked first.
func (w *World) keepBody(id groupID, b *body) {
	out := &w.bodies.w
	out.Reset(w.chunks.buf[:0])
	out.Bool(false)
	out.Copy(w.bodies.bytes(b), b.width)
	out.Bits(0, 64)
	w.chunks.buf = out.Finish()
	b.kept, b.at = true, w.chunks.keep(1+b.width)
	if w.groups[id].alone() {
		b.kind = w.kinds.of(w.chunks.words[b.at], 1+b.prefix)
	}
}

// keep stores the written bits, of that width and followed by 64 zeros, and returns their place.
// Two words can be read from there.
func (c *chunks) keep(width int) (at uint32) {
	at = uint32(len(c.words))
	for i := 0; i < width; i += 64 {
		c.words = append(c.words, binary.LittleEndian.Uint64(c.buf[i>>3:]))
	}
	if width <= 64 {
		c.words = append(c.words, 0)
	}
	return at
}

// appendValues writes a chunk's bits without those before its values.
func (c *chunks) appendValues(w *bits.Writer, at uint32, width uint16, prefix uint8) {
	words := c.words[at : at+2]
	low, high := words[0]>>prefix|words[1]<<(64-prefix), words[1]>>prefix
	switch n := uint(width) - uint(prefix); {
	case n <= 64:
		w.Put(low, n)
	case width <= 128:
		w.Pair(low, high, n)
	default:
		w.Put(words[0]>>prefix, 64-uint(prefix))
		c.append(w, at+1, width-64)
	}
}

// append writes a chunk's bits.
func (c *chunks) append(w *bits.Writer, at uint32, width uint16) {
	for ; width > 128; width -= 64 {
		w.Put(c.words[at], 64)
		at++
	}
	if width <= 64 {
		w.Put(c.words[at], uint(width))
		return
	}
	w.Pair(c.words[at], c.words[at+1], uint(width))
}
