package channel

import "time"

// Class selects the byte budget of a channel, and its urgency: later classes go first.
type Class uint8

const (
	// Messages is the class of the game's messages.
	Messages Class = iota
	// Structure is the class of spawns, despawns and other actions.
	Structure
	// Control is the class of messages that maintain the connection.
	Control

	classCount
)

// Bytes are bytes of frames by Class.
type Bytes [classCount]int

// Sum returns the total.
func (b *Bytes) Sum() (n int) {
	for _, of := range b {
		n += of
	}
	return n
}

// Allow sets each class's byte budget for this frame, less its Debt. A class may go into debt for
// one frame. A mux without any call of Allow has no limit.
func (m *Mux) Allow(bytes Bytes) {
	m.limited = true
	for c := range m.left {
		m.left[c] = bytes[c] + min(m.left[c], 0)
	}
}

// Debt returns the bytes that each class sent beyond the last Allow.
func (m *Mux) Debt() (debt Bytes) {
	for c, left := range m.left {
		debt[c] = max(-left, 0)
	}
	return debt
}

// Wanted returns the bytes that are due and may be sent.
func (m *Mux) Wanted(now time.Time, rtt time.Duration) (wanted Bytes) {
	if m.count == 0 {
		return wanted
	}
	m.refresh(m.since(now), rtt)
	for _, c := range m.plan.due {
		if msg := c.msg; msg.begun || !msg.lane.cfg.Mode.Reliable() || m.window+msg.cost <= ReliableWindow {
			f := msg.frame(c.index)
			wanted[msg.lane.cfg.Class] += frameSize(&f)
		}
	}
	return wanted
}

// spend subtracts the size of a piece from the budget of its class.
func (m *Mux) spend(c Class, bytes int) {
	if m.limited {
		m.left[c] -= bytes
	}
}

func (m *Mux) spent(c Class) bool { return m.limited && m.left[c] <= 0 }
