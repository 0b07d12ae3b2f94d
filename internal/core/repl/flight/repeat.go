package flight

import "github.com/entangle-ecs/entangle"

// Later values of a group wait at the client for its structure, and detecting a loss takes a round trip or more: for as
// long, interpolated entities would stand still, and the confirmed tick of predicted ones too. So while packets get lost,
// short messages are sent again before a loss is detected: 1, 3 and 7 ticks after they were first sent. The same holds
// for a predicted entity's values when it comes to rest (package schedule).

// MaxRepeats is the number of repeats.
const MaxRepeats = 3

// RepeatDue reports whether a repeat is due, if some repeats are left and the last sending was some ticks ago.
func RepeatDue(left uint8, ticks int32) bool { return left > 0 && ticks >= 1<<(MaxRepeats-left) }

// repeat is the state of a message's repeats.
type repeat struct {
	last entangle.Tick // tick of the last sending
	left uint8         // number of repeats that are left
}

// maxRepeated is the size of the largest message that is repeated, in bytes.
const maxRepeated = 300

// PollRepeat returns the number of a message that is due for a repeat, and counts the repeat as sent. ok is false when
// no message is due.
func (a *Messages) PollRepeat(now entangle.Tick) (number uint16, ok bool) {
	for i := range a.inFlight {
		if r := &a.inFlight[i].repeat; RepeatDue(r.left, now.Sub(r.last)) {
			r.left--
			r.last = now
			return a.inFlight[i].number, true
		}
	}
	return 0, false
}
