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

// Unacked returns how many ticks up to the newest one a frame has to have so that all are
// in it that have not arrived, 0 to MaxTicks.
func (w *Writer) Unacked() int {
	for n := MaxTicks; n > 0 && w.known; n-- {
		tick := w.newest - entangle.Tick(n) + 1
		if !w.holds(tick) {
			continue
		}
		if k := w.slots[w.place(tick)]; k != hole && k&acked == 0 {
			return n
		}
	}
	return 0
}

// wanted returns how many ticks a frame should have if the last inTime of them can still
// be in time: those of them that have not arrived, and all that no packet has carried yet.
// None are wanted of a lane all of which has arrived.
func (w *Writer) wanted(inTime int) int {
	n := w.Unacked()
	if n == 0 {
		return 0
	}
	return max(min(n, max(inTime, int(w.newest.Sub(w.told)))), MinTicks)
}
