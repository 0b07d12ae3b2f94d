package netsim

import "time"

// Run advances time by d: server and clients run their frames, each at its own moments.
func (s *Sim) Run(d time.Duration) { s.RunUntil(d, func() bool { return false }) }

// RunUntil advances time until a condition holds, by at most d, and reports whether it held. The
// condition is evaluated before the first frame and after every frame.
func (s *Sim) RunUntil(d time.Duration, cond func() bool) bool {
	end := s.clock.Since() + d
	if cond() {
		return true
	}
	for h := s.nextFrame(end); h != nil; h = s.nextFrame(end) {
		s.clock.Advance(h.nextFrame - s.clock.Since())
		h.runFrame()
		s.forgetDisconnected()
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

// nextFrame returns the app with the next frame before end, or nil if there is none. Of frames at
// the same moment the server's comes first, then those of the clients in the order of joining.
func (s *Sim) nextFrame(end time.Duration) *host {
	var first *host
	for _, h := range s.hosts {
		if h.nextFrame < end && (first == nil || h.nextFrame < first.nextFrame) {
			first = h
		}
	}
	return first
}

// FreezeServer keeps the server from beginning a frame for a duration from now on, like a machine
// that hangs: received packets wait, and the server's clock runs on. A negative duration fails the
// test.
func (s *Sim) FreezeServer(d time.Duration) {
	s.t.Helper()
	s.requireNoError(s.server.freeze(s.clock.Since(), d))
}

// SetServerDrift makes the server's clock run faster (above 0) or slower than the simulation's from
// now on, in parts per million, -MaxDrift to MaxDrift. The server's frames follow this clock. A
// value out of range fails the test.
func (s *Sim) SetServerDrift(ppm int) {
	s.t.Helper()
	s.requireNoError(s.serverClock.setDrift(ppm))
}

// SetServerFrameRate changes the server's frames per second, measured by its own clock, from the
// next frame on. An invalid rate fails the test.
func (s *Sim) SetServerFrameRate(rate int) {
	s.t.Helper()
	s.requireNoError(s.server.setFrameRate(rate))
}

// requireNoError fails the test if err is not nil.
func (s *Sim) requireNoError(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("%v", err)
	}
}
