package sender

import (
	"encoding/binary"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// chunk is the usual update of a group in one tick, ready to be copied: that of all
// its members, without references. There is at most one for each group, by its
// number; what it does not serve has a body.
type chunk struct {
	bases  span
	tick   entangle.Tick // it is of this one
	at     uint32        // in chunks.words
	width  uint16        // bits, with the one that says that there are no references
	filled bool          // it has a value, and so can be sent
}

// maxChunk bounds the bits of a chunk: more than fit into a packet.
const maxChunk = 1 << 14

// chunks is the chunks of the present tick.
type chunks struct {
	of    []chunk
	words []uint64
	w     bits.Writer
	buf   []byte
}

func (c *chunks) grow(groups int) {
	for len(c.of) < groups {
		c.of = append(c.of, chunk{})
	}
}

// chunk returns the chunk of a group's update from a base, or nil when that needs a
// body of its own.
func (w *World) chunk(id groupID, base entangle.Tick) *chunk {
	c := &w.chunks.of[id]
	if c.tick != w.tick {
		w.fill(id, c, base)
	} else if w.unshared && c.filled && c.bases.has(base) {
		w.fill(id, c, base)
	}
	if !c.filled || !c.bases.has(base) {
		return nil
	}
	return c
}

// fill encodes a chunk for a base, and for all that ask for the same.
func (w *World) fill(id groupID, c *chunk, base entangle.Tick) {
	*c = chunk{tick: w.tick, bases: allTime(w.tick)}
	b, all := &w.bodies, &w.chunks
	b.here = body{key: bodyKey{kind: repl.Update, base: base, shaped: w.tick}, bases: c.bases, shapes: c.bases}
	w.stats.Bodies++
	b.refs.Reset()
	b.w.Reset(all.buf[:0])
	b.w.Bool(false)
	w.encodeUpdate(id)
	width := b.w.LenBits()
	all.buf = b.w.Finish()
	if !b.here.some || len(b.refs.Slots()) > 0 || width > maxChunk {
		return
	}
	c.bases, c.at, c.width, c.filled = b.here.bases, uint32(len(all.words)), uint16(width), true
	for from := all.buf; len(from) > 0; {
		var word [8]byte
		from = from[copy(word[:], from):]
		all.words = append(all.words, binary.LittleEndian.Uint64(word[:]))
	}
}

// append writes a chunk's bits. Its words have zeros behind its end.
func (c *chunks) append(w *bits.Writer, at uint32, width uint16) {
	for ; width > 64; width -= 64 {
		w.Put(c.words[at], 64)
		at++
	}
	w.Put(c.words[at], uint(width))
}
