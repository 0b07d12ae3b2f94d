package input

import "github.com/entangle-ecs/entangle/protocol/bits"

// OwnLane is a lane that a client sends.
type OwnLane struct {
	Type   int // number of the type
	Writer *Writer
}

// Heads writes what stands before the body of a lane: its name, and if its type refers
// to entities, the table that its codec has just filled.
type Heads interface {
	AppendHead(w *bits.Writer, lane int)
}

// Pack puts all lanes that have something to say into the frame that was begun, and
// notes what the packet carries. Each has the ticks that have not arrived, of the last
// inTime ones, which can still be in time; the clock knows how many those are. If there is
// no room for that, all lanes have half as many ticks, and so on. If there is none for the
// newest tick of each, the next frame begins with the lane that had none. It returns how
// many lanes the frame has.
func (c *Composer) Pack(lanes []OwnLane, heads Heads, inTime int, packet uint16) int {
	start, bound := c.w, max(min(inTime, MaxTicks), MinTicks)
	for !c.try(lanes, heads, bound, packet) && bound > 1 {
		bound /= 2
		c.w, c.lanes = start, 0
	}
	return c.lanes
}

// try puts as many lanes as there is room for, with at most so many ticks, and reports
// whether these were all.
func (c *Composer) try(lanes []OwnLane, heads Heads, bound int, packet uint16) bool {
	for i := range lanes {
		at := (c.turn + i) % len(lanes)
		l := &lanes[at]
		ticks := min(l.Writer.wanted(bound), bound)
		if ticks == 0 || !c.body.Encode(l.Writer, c.header, ticks) {
			continue
		}
		heads.AppendHead(c.Lane(l.Type), at)
		if c.Put(&c.body) {
			l.Writer.carriedBy(packet, &c.body)
			continue
		}
		if bound == 1 {
			c.turn = at
		}
		return false
	}
	return true
}
