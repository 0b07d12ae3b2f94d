package input

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Composer writes the frames of one end, one at a time. The zero value is ready for use.
type Composer struct {
	w       bits.Writer
	dst     []byte
	bits    int // the most bits of the frame
	streams int

	mark bits.Writer // the state before the current stream, for Put

	header entangle.Tick
	turn   int  // index of the stream that Pack begins with, if there is not room for all
	body   Body // used by Pack
}

// Begin begins a frame, which is appended to dst with at most room bytes, for a packet with tick header.
func (c *Composer) Begin(dst []byte, room int, header entangle.Tick) {
	c.dst, c.bits, c.streams, c.header = dst, room*8, 0, header
	c.w.Reset(dst)
}

// Screens writes what was on the screen when the inputs of the newest ticks were made; nil: that is not
// known. A frame of a client begins with it. Pack does it by itself.
func (c *Composer) Screens(s *Screens, ticks int) { appendScreens(&c.w, s, ticks, c.header) }

// Stream begins a stream of a type. Write its head to the result, and then call Put with its body.
func (c *Composer) Stream(typ int) *bits.Writer {
	c.mark = c.w
	if c.streams > 0 {
		c.w.Bool(true)
	}
	c.w.Uvarint(uint64(typ))
	return &c.w
}

// Put writes the body of the current stream. If there is no room for it, it removes the stream from
// the frame and returns false.
func (c *Composer) Put(b *Body) bool {
	if b.count == 0 || c.w.LenBits()+b.width+1 > c.bits {
		c.w = c.mark
		return false
	}
	c.w.Copy(b.bytes, b.width)
	c.streams++
	return true
}

// Finish ends the frame and returns dst with it. It returns dst unchanged if the frame has no
// stream.
func (c *Composer) Finish() []byte {
	if c.streams == 0 {
		return c.dst
	}
	c.w.Bool(false)
	return c.w.Finish()
}
