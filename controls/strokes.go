package controls

import (
	"cmp"
	"time"
)

// defaultHold is a compromise: while a key is held, a terminal repeats it about 30 times per second, but
// only after half a second.
const defaultHold = 150 * time.Millisecond

// Strokes simulates keys that are held, for a device that only reports strokes, such as a terminal:
// a key is down for a while after each stroke, and for at least one frame, however long that takes.
type Strokes[K comparable] struct {
	// Hold is how long a key is down after a stroke; 0 means 150 ms. A key that is struck again
	// while it is down stays down, and is not pressed again.
	Hold time.Duration

	down map[K]stroke
}

type stroke struct {
	until time.Time
	shown bool // Down has returned the key in a frame
}

// Strike records a stroke of a key.
func (s *Strokes[K]) Strike(key K, now time.Time) {
	if s.down == nil {
		s.down = map[K]stroke{}
	}
	s.down[key] = stroke{until: now.Add(cmp.Or(s.Hold, defaultHold))}
}

// Begin begins a frame. Call it once per frame, before Keys.Update.
func (s *Strokes[K]) Begin(now time.Time) {
	for key, struck := range s.down {
		if struck.shown && !now.Before(struck.until) {
			delete(s.down, key)
			continue
		}
		struck.shown = true
		s.down[key] = struck
	}
}

// Down reports whether a key is down in this frame. Pass it to Keys.Update.
func (s *Strokes[K]) Down(key K) bool {
	_, ok := s.down[key]
	return ok
}
