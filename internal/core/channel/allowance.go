package channel

import "time"

// Class says which allowance a channel draws on, and who goes first: the later ones.
type Class uint8

const (
	// Messages is what a game says.
	Messages Class = iota
	// Structure is what comes and goes in the world.
	Structure
	// Control is what holds the connection together.
	Control

	classCount
)

// Bytes are bytes of frames by Class.
type Bytes [classCount]int

// Sum returns all of them together.
func (b *Bytes) Sum() (n int) {
	for _, of := range b {
		n += of
	}
	return n
}

// Allow gives each class so many bytes for this frame, less its Debt. A class may go into
// debt for one frame. A mux that was never allowed anything has no limit.
func (m *Mux) Allow(bytes Bytes) {
	m.limited = true
	for c := range m.left {
		m.left[c] = bytes[c] + min(m.left[c], 0)
	}
}

// Debt returns what each class sent beyond the last Allow.
func (m *Mux) Debt() (debt Bytes) {
	for c, left := range m.left {
		debt[c] = max(-left, 0)
	}
	return debt
}

// Wanted returns the bytes of what is due and may be sent.
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

// spend takes what a piece costs from the allowance of its class.
func (m *Mux) spend(c Class, bytes int) {
	if m.limited {
		m.left[c] -= bytes
	}
}

func (m *Mux) spent(c Class) bool { return m.limited && m.left[c] <= 0 }
