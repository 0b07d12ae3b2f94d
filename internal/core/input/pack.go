package input

import "github.com/entangle-ecs/entangle/protocol/bits"

// OwnStream is a stream that a client sends.
type OwnStream struct {
	Type   int // number of the type
	Writer *Writer
}

// Heads writes the head in front of the body of a stream: the network id, and, if its type refers
// to entities, the table that its codec has just filled.
type Heads interface {
	AppendHead(w *bits.Writer, stream int)
}

// Pack writes all streams with unsent ticks into the current frame, with what was on the screen when
// their inputs were made, and records which ticks the packet carries. Each stream has as many ticks as its Wants returns; inTime is how many of the
// newest ticks can still be in time according to the clock.
//
// If there is no room for that, each stream has at most 32 ticks, then 16, and so on. If there is
// not even room for the newest tick of each, the next frame begins with the first stream that had
// none. A stream that does not even fit into a frame of its own does not block the others. Pack
// returns how many streams the frame has.
func (c *Composer) Pack(streams []OwnStream, heads Heads, screens *Screens, inTime int, packet uint16) int {
	start := c.w
	for bound := MaxTicks; !c.try(streams, heads, screens, inTime, bound, packet) && bound > 1; bound /= 2 {
		c.w, c.streams = start, 0
	}
	for i := range streams {
		streams[i].Writer.markSent(packet)
	}
	return c.streams
}

// try writes as many streams as there is room for, with at most bound ticks each. It returns false
// if Pack must try again with a lower bound, or stop.
func (c *Composer) try(streams []OwnStream, heads Heads, screens *Screens, inTime, bound int, packet uint16) bool {
	most := 0
	for i := range streams {
		most = max(most, min(streams[i].Writer.Wants(inTime), bound))
	}
	c.Screens(screens, most)
	for i := range streams {
		at := (c.turn + i) % len(streams)
		l := &streams[at]
		ticks := min(l.Writer.Wants(inTime), bound)
		if ticks == 0 || !c.body.Encode(l.Writer, c.header, ticks) {
			continue
		}
		heads.AppendHead(c.Stream(l.Type), at)
		if !c.Put(&c.body) {
			if bound > 1 {
				return false
			}
			if c.streams > 0 {
				c.turn = at
				return false
			}
			continue
		}
		l.Writer.sent.add(packet, &c.body)
	}
	return true
}
