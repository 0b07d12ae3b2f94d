package input

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Composer writes the frames of one end, one at a time. The zero value is ready.
type Composer struct {
	w     bits.Writer
	dst   []byte
	bits  int // the most that the frame may have
	lanes int

	mark bits.Writer // before the lane that is being written

	header entangle.Tick
	turn   int  // the lane to begin with, if not all have room
	body   Body // of Pack
}

// Begin starts a frame of a client behind dst, of at most room bytes, in a packet with the
// given tick. shown is what the player sees, or nil.
func (c *Composer) Begin(dst []byte, room int, header entangle.Tick, shown *Shown) {
	c.BeginDown(dst, room, header)
	appendShown(&c.w, shown, header)
}

// BeginDown starts a frame of a server, which passes inputs on.
func (c *Composer) BeginDown(dst []byte, room int, header entangle.Tick) {
	c.dst, c.bits, c.lanes, c.header = dst, room*8, 0, header
	c.w.Reset(dst)
}

// Lane starts a lane of a type. Write its head to what it returns, and then Put its body.
func (c *Composer) Lane(typ int) *bits.Writer {
	c.mark = c.w
	if c.lanes > 0 {
		c.w.Bool(true)
	}
	c.w.Uvarint(uint64(typ))
	return &c.w
}

// Put writes the body of the lane that was begun. If there is no room for it, it reports
// false, and the frame is as it was before that lane.
func (c *Composer) Put(b *Body) bool {
	if b.count == 0 || c.w.LenBits()+b.width+1 > c.bits {
		c.w = c.mark
		return false
	}
	c.w.Copy(b.bytes, b.width)
	c.lanes++
	return true
}

// Finish ends the frame and returns dst with it, or dst as it was if it has no lane.
func (c *Composer) Finish() []byte {
	if c.lanes == 0 {
		return c.dst
	}
	c.w.Bool(false)
	return c.w.Finish()
}
