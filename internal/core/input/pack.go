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
// notes what the packet carries. Each has as many ticks as it Wants if the newest inTime can
// still be in time, which the clock knows.
//
// If there is no room for that, each lane has at most 32 ticks, then 16, and so on. If
// there is none for the newest tick of each, the next frame begins with the lane that had
// none; one that finds no room in a frame of its own does not hold up the others. Pack
// returns how many lanes the frame has.
func (c *Composer) Pack(lanes []OwnLane, heads Heads, inTime int, packet uint16) int {
	start := c.w
	for bound := MaxTicks; !c.try(lanes, heads, inTime, bound, packet) && bound > 1; bound /= 2 {
		c.w, c.lanes = start, 0
	}
	for i := range lanes {
		lanes[i].Writer.tell(packet)
	}
	return c.lanes
}

// try puts as many lanes as there is room for, with at most bound ticks, and reports
// whether these were all.
func (c *Composer) try(lanes []OwnLane, heads Heads, inTime, bound int, packet uint16) bool {
	for i := range lanes {
		at := (c.turn + i) % len(lanes)
		l := &lanes[at]
		ticks := min(l.Writer.Wants(inTime), bound)
		if ticks == 0 || !c.body.Encode(l.Writer, c.header, ticks) {
			continue
		}
		heads.AppendHead(c.Lane(l.Type), at)
		if !c.Put(&c.body) {
			if bound > 1 {
				return false
			}
			if c.lanes > 0 {
				c.turn = at
				return false
			}
			continue
		}
		l.Writer.sent.add(packet, &c.body)
	}
	return true
}
