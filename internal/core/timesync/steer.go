package timesync

import "time"

// Speed is how fast a clock runs, in thousandths of local time.
type Speed int32

const (
	// Normal is the speed of local time.
	Normal Speed = 1000

	// MaxSteer is the greatest deviation from Normal, in thousandths: 5 %, which players do not
	// notice.
	MaxSteer = 50

	// leastSteer is the least deviation from Normal while the clock is steered.
	leastSteer = 10
)

// patience is how long an error has to last before it is corrected.
const patience = 200 * time.Millisecond

// steer moves an offset to its goal by changing the speed of a clock. It starts when an error has
// lasted for its patience, and continues until the error is gone. The error is computed and not
// measured, so the offset cannot overshoot.
type steer struct {
	behind, ahead Phase // errors that are tolerated, in each direction
	patience      Phase

	speed Speed
	since Phase // local time since which the error has lasted
}

// nextSpeed returns the speed until the next frame. err is the goal minus the offset, at local time
// at.
func (s *steer) nextSpeed(at, err Phase) Speed {
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

// rest returns to normal speed.
func (s *steer) rest(at Phase) { s.speed, s.since = Normal, at }

// speedFor returns a speed that deviates by one percent, plus one percent for each tick of error,
// and at most by MaxSteer.
func speedFor(err Phase) Speed {
	by := Speed(min(leastSteer+max(err, -err)*10/One, MaxSteer))
	if err < 0 {
		return Normal - by
	}
	return Normal + by
}
