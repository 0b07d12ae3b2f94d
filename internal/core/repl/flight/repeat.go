package flight

import "github.com/entangle-ecs/entangle"

// The confirmed tick waits for each change of a predicted entity, and it takes a round trip and more
// until a loss is detected. So while packets get lost, such changes are repeated, 1, 3 and 7 ticks
// after they were first sent.

// MaxRepeats is the number of repeats.
const MaxRepeats = 3

// RepeatDue reports whether the next of the repeats that are left is due, so many ticks after the last
// sending.
func RepeatDue(left uint8, ticks int32) bool { return left > 0 && ticks >= 1<<(MaxRepeats-left) }

// repeat is how often a message in flight is to be repeated.
type repeat struct {
	last      entangle.Tick // when it was sent last
	left      uint8
	predicted bool // it has an action of a predicted group
}

// maxRepeated is the length of the longest message that is repeated, in bytes.
const maxRepeated = 300

// NotePredicted notes that the newest message has an action of a predicted group.
func (a *Messages) NotePredicted() { a.Last().repeat.predicted = true }

// Weigh decides whether the newest message, of so many bytes, is to be repeated.
func (a *Messages) Weigh(bytes int, now entangle.Tick) {
	if r := &a.Last().repeat; r.predicted && bytes <= maxRepeated {
		r.last, r.left = now, MaxRepeats
	}
}

// PollRepeat returns the number of a message to repeat. It is not ok when there is none in this tick.
func (a *Messages) PollRepeat(now entangle.Tick) (number uint16, ok bool) {
	for i := range a.list {
		if r := &a.list[i].repeat; RepeatDue(r.left, now.Sub(r.last)) {
			r.left--
			r.last = now
			return a.list[i].Number, true
		}
	}
	return 0, false
}
