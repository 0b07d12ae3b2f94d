package input

import "github.com/entangle-ecs/entangle"

// maxShownTimes is the number of ticks for which shown times are kept: ticks that have not run, and
// those that have run recently.
const maxShownTimes = 256

// ShownTimes holds the time that a client's player saw when the input of each tick was made. A
// frame has this time for its newest tick. For a new tick that is k ticks older, it is assumed to
// be k ticks earlier. The zero value is ready for use.
type ShownTimes struct{ rows [maxShownTimes]shownTime }

type shownTime struct {
	known bool
	tick  entangle.Tick
	shown Shown
}

// Put sets the shown time of the newest tick of a frame, and of the earlier ones of its ticks. It
// does not change a time that was set earlier for one of these ticks or a newer one.
func (s *ShownTimes) Put(newest entangle.Tick, ticks int, shown Shown) {
	for range min(ticks, MaxTicks) {
		at := &s.rows[newest%maxShownTimes]
		if at.known && !at.tick.Before(newest) {
			return
		}
		*at = shownTime{true, newest, shown}
		newest--
		shown.Tick--
	}
}

// At returns the shown time of a tick.
func (s *ShownTimes) At(tick entangle.Tick) (Shown, bool) {
	at := &s.rows[tick%maxShownTimes]
	return at.shown, at.known && at.tick == tick
}
