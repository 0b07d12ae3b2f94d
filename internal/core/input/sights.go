package input

import "github.com/entangle-ecs/entangle"

// maxSights is for how many ticks it is kept what the player saw: those that wait and
// that have run not long ago.
const maxSights = 256

// Sights keeps what a client's player saw when it made the input of each tick. A frame
// says it for its newest tick; one that is older by k, and was not heard of before, was
// made when k ticks less were to be seen. The zero value is ready.
type Sights struct{ rows [maxSights]sight }

type sight struct {
	known bool
	tick  entangle.Tick
	shown Shown
}

// Put takes what was seen for the newest tick of a frame and up to MaxTicks-1 before it.
// What was said first stays, and what is newer.
func (s *Sights) Put(newest entangle.Tick, ticks int, shown Shown) {
	for range min(ticks, MaxTicks) {
		at := &s.rows[newest%maxSights]
		if at.known && !at.tick.Before(newest) {
			return
		}
		*at = sight{true, newest, shown}
		newest--
		shown.Tick--
	}
}

// At returns what was seen when the input of a tick was made.
func (s *Sights) At(tick entangle.Tick) (Shown, bool) {
	at := &s.rows[tick%maxSights]
	return at.shown, at.known && at.tick == tick
}

// Reset forgets all.
func (s *Sights) Reset() { *s = Sights{} }
