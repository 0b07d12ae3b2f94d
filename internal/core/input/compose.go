package input

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Composer writes the frames of one end, one at a time. The zero value is ready for use.
type Composer struct {
	w       bits.Writer
	dst     []byte
	bits    int // the greatest size of the frame
	streams int

	mark bits.Writer // position before the current stream

	header entangle.Tick
	turn   int  // the stream to begin with, if not all have room
	body   Body // of Pack
}

// Begin starts a frame of a client behind dst, of at most room bytes, in a packet with the given
// tick. shown is the time that the player sees, or nil.
func (c *Composer) Begin(dst []byte, room int, header entangle.Tick, shown *Shown) {
	c.BeginDown(dst, room, header)
	appendShown(&c.w, shown, header)
}

// BeginDown starts a frame of a server, which relays inputs.
func (c *Composer) BeginDown(dst []byte, room int, header entangle.Tick) {
	c.dst, c.bits, c.streams, c.header = dst, room*8, 0, header
	c.w.Reset(dst)
}

// Stream starts a stream of a type. Write its head to the result, and then Put its body.
func (c *Composer) Stream(typ int) *bits.Writer {
	c.mark = c.w
	if c.streams > 0 {
		c.w.Bool(true)
	}
	c.w.Uvarint(uint64(typ))
	return &c.w
}

// Put writes the body of the current stream. If there is no room for it, it returns false, and
// the frame is as before that stream.
func (c *Composer) Put(b *Body) bool {
	if b.count == 0 || c.w.LenBits()+b.width+1 > c.bits {
		c.w = c.mark
		return false
	}
	c.w.Copy(b.bytes, b.width)
	c.streams++
	return true
}

// Finish ends the frame and returns dst with it, or dst unchanged if it has no stream.
func (c *Composer) Finish() []byte {
	if c.streams == 0 {
		return c.dst
	}
	c.w.Bool(false)
	return c.w.Finish()
}
