package input

import "github.com/entangle-ecs/entangle"

// maxShownTimes is for how many ticks shown times are kept: waiting ticks, and those that have run
// recently.
const maxShownTimes = 256

// ShownTimes holds the time that a client's player saw when the input of each tick was made. A frame
// has it for its newest tick; a new tick that is older by k was made when the shown time was k ticks
// earlier. The zero value is ready for use.
type ShownTimes struct{ rows [maxShownTimes]shownTime }

type shownTime struct {
	known bool
	tick  entangle.Tick
	shown Shown
}

// Put sets the shown time of the newest tick of a frame and of up to MaxTicks-1 before it. Values set
// earlier, and those of newer ticks, are kept.
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
