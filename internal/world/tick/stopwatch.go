package tick

import (
	"time"
)

// Part is a part of a frame, for measuring what takes the time.
type Part uint8

// The parts of a frame, in their order. Each includes the game's systems in its stages.
const (
	// Receiving is reading and applying datagrams: the stages before Order.Predicting.
	Receiving Part = iota
	// Predicting is comparing with the confirmed state, and computing ticks again.
	Predicting
	// Simulating is the ticks of the frame.
	Simulating
	// Sending is finding what has changed and writing packets.
	Sending
	// Showing is the end of the frame, once the packets are sent.
	Showing
	// Outside is the time between two frames that is longer than a tick: the program does
	// something else, or does not run.
	Outside
	// Waiting is the time between two frames up to that: an app that keeps up waits.
	Waiting

	// Parts is how many parts there are.
	Parts
)

// String returns the part's name, as it is logged.
func (p Part) String() string {
	return [...]string{"receive", "prediction", "simulation", "send", "after send", "outside of Update", "waiting"}[min(p, Waiting)]
}

// FrameTimes is the time spent in each part of the frames, since the app was made.
type FrameTimes [Parts]time.Duration

// stopwatch measures the parts of each frame with one reading of a clock each, and single
// systems only while it is asked to, which takes two readings for each.
type stopwatch struct {
	clock func() time.Time // nil: nothing is measured
	step  time.Duration    // of a tick
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

// Measure has the parts of each frame measured by a clock. step is the time of a tick.
func (s *Schedule) Measure(clock func() time.Time, step time.Duration) {
	s.watch.clock, s.watch.step = clock, step
}

// Times returns the time spent in each part of the frames.
func (s *Schedule) Times() FrameTimes { return s.watch.times }

// MeasureSystems has each system measured from now on, from zero, or no longer.
func (s *Schedule) MeasureSystems(on bool) {
	s.watch.perSystem = on && s.watch.clock != nil
	for _, times := range s.watch.systems {
		clear(times)
	}
}

// Slowest returns the system that took the most time since MeasureSystems, and how much;
// nil if none took any.
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

// makeRoom makes the memory for the times of all systems, once none can be added any more.
func (s *Schedule) makeRoom() {
	for stage := range s.stages {
		s.watch.systems[stage] = make([]time.Duration, len(s.stages[stage]))
	}
}
