package tick

import (
	"time"
)

// Part is a part of a frame, for measuring time.
type Part uint8

// The parts of a frame, in their order. Each includes the game's systems in its stages.
const (
	// Receiving is reading and applying datagrams: the stages before Order.Predicting.
	Receiving Part = iota
	// Predicting is comparing with the confirmed state, and replaying ticks.
	Predicting
	// Simulating is the ticks of the frame.
	Simulating
	// Sending is finding changes and writing packets.
	Sending
	// Showing is the end of the frame, once the packets are sent.
	Showing
	// Outside is the time between two frames beyond the length of a tick: the program does
	// something else, or does not run.
	Outside
	// Waiting is the time between two frames up to the length of a tick: an app that keeps up
	// waits.
	Waiting

	// Parts is the number of parts.
	Parts
)

// String returns the part's name, as it is logged.
func (p Part) String() string {
	return [...]string{"receive", "prediction", "simulation", "send", "after send", "outside of Update", "waiting"}[min(p, Waiting)]
}

// FrameTimes is the time spent in each part of all frames since the app was created.
type FrameTimes [Parts]time.Duration

// stopwatch measures each part of a frame with one reading of a clock. It measures single systems
// only on request, which takes two readings for each.
type stopwatch struct {
	clock func() time.Time // nil: nothing is measured
	step  time.Duration    // the length of a tick
	last  time.Time        // the last reading
	times FrameTimes

	perSystem bool
	systems   [][]time.Duration // by stage, as in Schedule.stages
}

// lap adds the time since the last call to a part.
func (s *stopwatch) lap(p Part) {
	if s.clock == nil {
		return
	}
	now := s.clock()
	if s.last.IsZero() {
		s.last = now
	}
	took := max(now.Sub(s.last), 0)
	if p == Outside {
		wait := min(took, s.step)
		s.times[Waiting] += wait
		took -= wait
	}
	s.times[p] += took
	s.last = now
}

// Measure makes the schedule measure the parts of each frame by a clock. step is the time of a
// tick.
func (s *Schedule) Measure(clock func() time.Time, step time.Duration) {
	s.watch.clock, s.watch.step = clock, step
}

// Times returns the time spent in each part of the frames.
func (s *Schedule) Times() FrameTimes { return s.watch.times }

// MeasureSystems starts to measure each system, from zero, or stops it.
func (s *Schedule) MeasureSystems(on bool) {
	s.watch.perSystem = on && s.watch.clock != nil
	for _, times := range s.watch.systems {
		clear(times)
	}
}

// Slowest returns the system that took the most time since MeasureSystems, and how much; nil if no
// time was measured.
func (s *Schedule) Slowest() (slowest System, took time.Duration) {
	for stage, times := range s.watch.systems {
		for i, t := range times {
			if t > took {
				slowest, took = s.stages[stage][i], t
			}
		}
	}
	return slowest, took
}

// makeRoom allocates the times of all systems, once no more systems can be added.
func (s *Schedule) makeRoom() {
	for stage := range s.stages {
		s.watch.systems[stage] = make([]time.Duration, len(s.stages[stage]))
	}
}
