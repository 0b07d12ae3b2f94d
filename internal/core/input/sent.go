package input

import "github.com/entangle-ecs/entangle"

// maxSent is how many packets are remembered: those under way, at a packet a tick and
// for a second or two.
const maxSent = 128

// sent remembers which ticks of a lane each packet has carried.
type sent struct{ packets [maxSent]carried }

type carried struct {
	packet uint16
	ticks  uint8 // 0: none
	newest entangle.Tick
}

func (s *sent) add(packet uint16, b *Body) {
	s.packets[packet%maxSent] = carried{packet, uint8(b.count), b.last}
}

// tell notes that what a packet carries of the lane, if anything, has been said.
func (w *Writer) tell(packet uint16) {
	if c := &w.sent.packets[packet%maxSent]; c.ticks > 0 && c.packet == packet {
		w.told = later(w.told, c.newest)
	}
}

func (s *sent) take(packet uint16) (c carried, ok bool) {
	at := &s.packets[packet%maxSent]
	if at.ticks == 0 || at.packet != packet {
		return c, false
	}
	c, at.ticks = *at, 0
	return c, true
}

// HandleAcked takes that a packet has arrived. What it carried is not repeated.
func (w *Writer) HandleAcked(packet uint16) {
	c, ok := w.sent.take(packet)
	for i := range entangle.Tick(c.ticks) {
		if tick := c.newest - i; ok && w.holds(tick) {
			w.slots[w.place(tick)] |= acked
		}
	}
}

// HandleLost takes that a packet is taken for lost. Since all is repeated until it has
// arrived, there is nothing to do but to forget it.
func (w *Writer) HandleLost(packet uint16) { w.sent.take(packet) }

// Wants returns how many ticks a frame should have of the lane if the newest inTime of
// them can still be in time, 0 to MaxTicks: as many as it takes to have those of them that
// no acknowledged packet has carried, and all that no packet has carried yet. It is 0 if
// there are none, and else MinTicks at least, unless fewer were written since a jump back.
func (w *Writer) Wants(inTime int) int {
	if !w.known {
		return 0
	}
	most := min(int(w.newest.Sub(w.base)), MaxTicks)
	limit := max(inTime, int(w.newest.Sub(w.told)), MinTicks)
	for n := min(limit, most); n > 0; n-- {
		tick := w.newest - entangle.Tick(n) + 1
		if k := w.slots[w.place(tick)]; w.holds(tick) && k != hole && k&acked == 0 {
			return min(max(n, MinTicks), most)
		}
	}
	return 0
}
