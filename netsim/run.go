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
		h.next += h.every
		h.app.Update(h.world)
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
