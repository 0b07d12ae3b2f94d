package input

import "github.com/entangle-ecs/entangle"

// maxSent is the number of packets that are recorded: those in flight, at one packet per tick and
// for one or two seconds.
const maxSent = 128

// sent records which ticks of a stream each packet has carried.
type sent struct{ packets [maxSent]carried }

type carried struct {
	packet uint16
	ticks  uint8 // 0 if the packet carried none
	newest entangle.Tick
}

func (s *sent) add(packet uint16, b *Body) {
	s.packets[packet%maxSent] = carried{packet, uint8(b.count), b.last}
}

// markSent records that the packet was sent with the ticks that it carries, if there are any.
func (w *Writer) markSent(packet uint16) {
	if c := &w.sent.packets[packet%maxSent]; c.ticks > 0 && c.packet == packet {
		w.newestSent = later(w.newestSent, c.newest)
	}
}

func (s *sent) removePacket(packet uint16) (c carried, ok bool) {
	at := &s.packets[packet%maxSent]
	if at.ticks == 0 || at.packet != packet {
		return c, false
	}
	c, at.ticks = *at, 0
	return c, true
}

// HandleAcked records that a packet was acknowledged. The ticks that it carried are not sent again.
func (w *Writer) HandleAcked(packet uint16) {
	c, ok := w.sent.removePacket(packet)
	for i := range entangle.Tick(c.ticks) {
		if tick := c.newest - i; ok && w.holds(tick) {
			w.slots[w.index(tick)] |= acked
		}
	}
}

// HandleLost records that a packet was lost. Nothing else needs to be done, because ticks are
// repeated until they are acknowledged.
func (w *Writer) HandleLost(packet uint16) { w.sent.removePacket(packet) }

// Wants returns how many ticks of the stream a frame should have, 0 to MaxTicks. They include all
// ticks that no packet has carried yet. They also include those of the newest inTime ticks, which
// can still be in time, that no acknowledged packet has carried. If there are any of either, the
// result is at least MinTicks, unless fewer were written since a jump back.
func (w *Writer) Wants(inTime int) int {
	if !w.known {
		return 0
	}
	most := min(int(w.newest.Sub(w.obsolete)), MaxTicks)
	limit := max(inTime, int(w.newest.Sub(w.newestSent)), MinTicks)
	for n := min(limit, most); n > 0; n-- {
		tick := w.newest - entangle.Tick(n) + 1
		if k := w.slots[w.index(tick)]; w.holds(tick) && k != hole && k&acked == 0 {
			return min(max(n, MinTicks), most)
		}
	}
	return 0
}
