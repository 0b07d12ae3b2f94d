package netsim

import "time"

// Run lets time pass: server and clients run their frames, each at its moments.
func (s *Sim) Run(d time.Duration) { s.RunUntil(d, func() bool { return false }) }

// RunUntil lets time pass until a condition holds, at most d, and reports whether
// it held. The condition is asked before the first frame and after every frame.
func (s *Sim) RunUntil(d time.Duration, cond func() bool) bool {
	end := s.clock.Since() + d
	if cond() {
		return true
	}
	for h := s.nextFrame(end); h != nil; h = s.nextFrame(end) {
		s.clock.Advance(h.next - s.clock.Since())
		h.frame()
		s.hearEnds()
		if s.watch != nil {
			s.watchFrame(h)
		}
		if cond() {
			return true
		}
	}
	s.clock.Advance(end - s.clock.Since())
	return false
}

// nextFrame returns whose frame is the next before end, nil if there is none. Of
// frames at one moment the server's comes first, then in the order of joining.
func (s *Sim) nextFrame(end time.Duration) *host {
	var first *host
	for _, h := range s.hosts {
		if h.next < end && (first == nil || h.next < first.next) {
			first = h
		}
	}
	return first
}

// FreezeServer lets no frame of the server begin for a time from now on, as a machine
// that hangs: what arrives waits, and the server's clock goes on. A negative time fails
// the test.
func (s *Sim) FreezeServer(d time.Duration) {
	s.t.Helper()
	s.check(s.server.freeze(s.clock.Since(), d))
}

// SetServerDrift makes the server's clock run faster (above 0) or slower than the
// simulation's from now on, by so many parts per million, -MaxDrift to MaxDrift. Its
// frames go by that clock. Another drift fails the test.
func (s *Sim) SetServerDrift(ppm int) {
	s.t.Helper()
	s.check(s.serverClock.setDrift(ppm))
}

// SetServerFrameRate changes how many frames per second of its clock the server runs,
// from the next frame on. One that can't be fails the test.
func (s *Sim) SetServerFrameRate(rate int) {
	s.t.Helper()
	s.check(s.server.setFrameRate(rate))
}

// check fails the test with an error.
func (s *Sim) check(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("%v", err)
	}
}
