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

// budget is the bytes that each class may still send in this frame.
type budget struct {
	left    Bytes // negative: sent beyond the budget
	limited bool
}

// SetBudget sets each class's byte budget for this frame, less its Debt. A class may go into debt
// for one frame. A mux without any call of SetBudget has no limit.
func (s *sender) SetBudget(bytes Bytes) {
	b := &s.budget
	b.limited = true
	for c := range b.left {
		b.left[c] = bytes[c] + min(b.left[c], 0)
	}
}

// Debt returns the bytes that each class sent beyond the last SetBudget.
func (s *sender) Debt() (debt Bytes) {
	for c, left := range s.budget.left {
		debt[c] = max(-left, 0)
	}
	return debt
}

// Wanted returns the bytes that are due and may be sent.
func (s *sender) Wanted(now time.Time, rtt time.Duration) (wanted Bytes) {
	if s.count == 0 {
		return wanted
	}
	s.refreshPlan(s.clock.since(now), rtt)
	for _, c := range s.plan.due {
		if msg := c.msg; msg.begun || !msg.channel.cfg.Mode.Reliable() || s.window+msg.cost <= ReliableWindow {
			f := msg.frameOf(c.index)
			wanted[msg.channel.cfg.Class] += frameSize(&f)
		}
	}
	return wanted
}

// spend subtracts the size of a piece from the budget of its class.
func (b *budget) spend(c Class, bytes int) {
	if b.limited {
		b.left[c] -= bytes
	}
}

func (b *budget) spent(c Class) bool { return b.limited && b.left[c] <= 0 }
