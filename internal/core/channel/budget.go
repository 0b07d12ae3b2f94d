package channel

import "time"

// Class selects the byte budget of a channel. Higher classes are sent first.
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

// Bytes is a number of bytes for each Class.
type Bytes [classCount]int

// Sum returns the total.
func (b *Bytes) Sum() (n int) {
	for _, of := range b {
		n += of
	}
	return n
}

// budget is the number of bytes that each class may still send in this frame of the app.
type budget struct {
	left    Bytes // negative if more was sent than the budget allowed
	limited bool
}

// SetBudget sets the byte budget of each class for this frame of the app, and subtracts the class's
// Debt from it. A class may exceed its budget for one frame. A mux on which SetBudget was never
// called has no limit.
func (s *sender) SetBudget(bytes Bytes) {
	b := &s.budget
	b.limited = true
	for c := range b.left {
		b.left[c] = bytes[c] + min(b.left[c], 0)
	}
}

// Debt returns by how many bytes each class has exceeded the budget of the last SetBudget.
func (s *sender) Debt() (debt Bytes) {
	for c, left := range s.budget.left {
		debt[c] = max(-left, 0)
	}
	return debt
}

// Wanted returns the bytes of each class that are due and that ReliableWindow lets the mux send,
// whatever the budget.
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
