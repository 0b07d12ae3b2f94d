package timesync

import "time"

// Speed is how fast a clock runs, in thousandths.
type Speed int32

const (
	// Normal is a clock that runs as local time does.
	Normal Speed = 1000

	// MaxSteer is the most by which a clock runs fast or slow: 5 %, which players do
	// not notice.
	MaxSteer = 50

	// leastSteer gets rid of what is left of an error.
	leastSteer = 10
)

// patience is how long an error stays before anything is done about it.
const patience = 200 * time.Millisecond

// steer drives an offset to where it has to be, by speed. It starts when an error has
// lasted, and goes on until there is none: the error is known and not measured, so there
// is nothing to overshoot.
type steer struct {
	behind, ahead Phase // errors that are left alone, either way
	patience      Phase

	speed Speed
	since Phase // local time since which the error has lasted
}

// next returns the speed until the next frame, for an error at the local time at: how far
// the clock has to go.
func (s *steer) next(at, err Phase) Speed {
	within := err <= s.behind && err >= -s.ahead
	going := s.speed > Normal && err > 0 || s.speed < Normal && err < 0
	switch {
	case going:
		s.speed = speedFor(err)
	case within:
		s.rest(at)
	case at-s.since >= s.patience:
		s.speed = speedFor(err)
	default:
		s.speed = Normal
	}
	return s.speed
}

// rest lets the clock run as it is.
func (s *steer) rest(at Phase) { s.speed, s.since = Normal, at }

// speedFor is one percent, and one more for each tick of error.
func speedFor(err Phase) Speed {
	by := Speed(min(leastSteer+max(err, -err)*10/One, MaxSteer))
	if err < 0 {
		return Normal - by
	}
	return Normal + by
}
