package timesync

import "github.com/entangle-ecs/entangle"

const (
	// sentTicks is how many sent input ticks are remembered until they are measured.
	sentTicks = 256

	// steadyBlocks is how many blocks a window needs to be trusted without caution.
	steadyBlocks = 16
)

// required measures where the input line has to be: how far clock and input delay together
// have to be ahead of local time for inputs to arrive in time.
//
// If an input tick was first sent when the line was at s, and arrived with the margin e, it
// would have arrived with the margin 0 with the line at s-e, whatever its latency and however
// often it was resent. So each sample determines a position of the line by itself.
type required struct {
	window     window
	sent       [sentTicks]sentTick
	newestSent entangle.Tick // the newest that was sent
	caution    Phase         // added while there are few samples,
	most       Phase         // and the greatest part of their spread to add
	delay      int32         // input delay of the newest, in ticks
	some       bool

	streak streak
	wait   Phase // the length of a streak that moves the window
	moved  bool  // a streak has moved it

	inputAt Phase // local time of the last sample of an input
	inputs  bool  // there was a sample of an input
	late    uint64
	judged  uint64
	recent  recent
}

// sentTick holds where the input line was when the input of tick was first sent.
type sentTick struct {
	tick entangle.Tick
	open bool // not yet measured
	line Phase
}

// InputsSent records a sent frame of inputs, with the given number of ticks up to newest.
func (c *Client) InputsSent(newest entangle.Tick, ticks int) {
	if !c.own.ran || ticks <= 0 {
		return
	}
	c.required.recordSent(newest, min(ticks, sentTicks), newest.Sub(c.own.ticks.tick), c.own.offset)
}

// recordSent records the ticks that are sent for the first time. If the delay has grown, more than
// one input was made in a tick, and only the newest is as early as later ones.
func (r *required) recordSent(newest entangle.Tick, ticks int, delay int32, offset Phase) {
	first, line := newest-entangle.Tick(ticks)+1, offset+whole(int(delay))
	switch {
	case !r.some || delay > r.delay:
		first = newest
	case first.Sub(r.newestSent) <= 0:
		first = r.newestSent + 1
	}
	r.delay = delay
	for t := first; newest.Sub(t) >= 0; t++ {
		r.sent[t%sentTicks] = sentTick{tick: t, open: true, line: line}
	}
	if !r.some || newest.Sub(r.newestSent) > 0 {
		r.newestSent, r.some = newest, true
	}
}

// jump follows a jump of the clock. Inputs sent for ticks that will run again are discarded,
// and skipped ticks have no input.
func (r *required) jump(by int64) {
	if !r.some {
		return
	}
	r.newestSent += entangle.Tick(by)
	for i := range r.sent {
		if r.sent[i].tick.Sub(r.newestSent) > 0 {
			r.sent[i].open = false
		}
	}
}

// restart forgets all measurements and the inputs in flight.
func (r *required) restart() {
	r.window.keepOnly(0, 0)
	for i := range r.sent {
		r.sent[i].open = false
	}
}

// takeReport handles the server's margins of the ticks up to last. A missing input is assumed
// to have arrived with the next one.
func (r *required) takeReport(at, line Phase, last entangle.Tick, p *report) {
	later := sentTick{}
	var early margin
	for i := range p.n {
		tick, m := last-entangle.Tick(i), p.margins[p.n-1-i]
		s := &r.sent[tick%sentTicks]
		if m == unknown || s.tick != tick {
			continue
		}
		switch {
		case m != missing:
			later, early = *s, m
		case later.line == 0 || max(s.line-later.line, later.line-s.line) > 2*One:
			r.lose(s)
			continue
		default:
			m = min(early-margin(later.tick.Sub(tick)), -1)
		}
		r.addSample(at, line, s, m)
	}
}

// lose counts a missing input without a sample.
func (r *required) lose(s *sentTick) {
	if s.open {
		s.open = false
		r.judged++
		r.late++
		r.recent.addTick(false)
	}
}

// addSample adds the sample of an input with its margin.
func (r *required) addSample(at, line Phase, s *sentTick, m margin) {
	if !s.open {
		return
	}
	s.open = false
	r.judged++
	r.inputAt, r.inputs = at, true
	r.recent.addTick(m >= 0)
	if m < 0 {
		r.late++
	}
	sample := s.line - whole(int(m))
	long := r.streak.addSample(at, sample, line, r.wait)
	if long && r.streak.follow(&r.window, at) {
		r.streak, r.moved = streak{}, true
		return
	}
	r.window.addSample(at, sample)
}

// takePing adds the sample of a ping, if there are no fresh samples of inputs.
func (r *required) takePing(at, sample, fresh Phase) {
	if !r.inputs || at-r.inputAt > fresh {
		r.window.addSample(at, sample)
	}
}

// line returns where the input line should be, with a reserve while there are few samples.
func (r *required) line() Phase {
	level := r.window.level(1)
	if lack := steadyBlocks - r.window.n; lack > 0 {
		level += (min(r.window.spread()/2, r.most) + r.caution) * Phase(lack) / steadyBlocks
	} else {
		r.caution = One // after a change more is known than at the start
	}
	return level
}
