package timesync

import "github.com/entangle-ecs/entangle"

const (
	// sentTicks is how many input ticks are remembered, to be measured.
	sentTicks = 256

	// steadyBlocks is how many blocks it takes until a window is trusted as it is.
	steadyBlocks = 16
)

// required is where the input line has to be: how far the clock and the input delay
// together have to be ahead of local time, for input to arrive in time.
//
// An input tick N that was first sent when the line was at s, and had the margin e, would
// have had the margin 0 with the line at s-e, whatever the way did to it and however often
// it had to be sent. So each sample says by itself where the line has to be.
type required struct {
	window   window
	sent     [sentTicks]sentTick
	frontier entangle.Tick // the newest that was sent
	care     Phase         // by which few samples are mistrusted in any case,
	most     Phase         // and by how much of their spread at most
	delay    int32         // from the tick in which it was made to the newest
	some     bool

	streak streak
	wait   Phase // the time of a streak that is followed
	moved  bool  // one was

	inputAt Phase // local time of the last sample of an input
	inputs  bool  // there was one
	late    uint64
	judged  uint64
	recent  recent
}

// sentTick is where the input line was when the input of tick was first sent.
type sentTick struct {
	tick entangle.Tick
	open bool // not yet measured
	line Phase
}

// Sent tells the clock of a frame of inputs that went out with so many ticks up to newest.
func (c *Client) Sent(newest entangle.Tick, ticks int) {
	if !c.own.ran || ticks <= 0 {
		return
	}
	c.required.send(newest, min(ticks, sentTicks), newest.Sub(c.own.ticks.tick), c.own.offset)
}

// send notes what goes out for the first time. When the delay has grown, more than one
// input was made in a tick, and only the newest is as early as those to come.
func (r *required) send(newest entangle.Tick, ticks int, delay int32, offset Phase) {
	first, line := newest-entangle.Tick(ticks)+1, offset+whole(int(delay))
	switch {
	case !r.some || delay > r.delay:
		first = newest
	case first.Sub(r.frontier) <= 0:
		first = r.frontier + 1
	}
	r.delay = delay
	for t := first; newest.Sub(t) >= 0; t++ {
		r.sent[t%sentTicks] = sentTick{tick: t, open: true, line: line}
	}
	if !r.some || newest.Sub(r.frontier) > 0 {
		r.frontier, r.some = newest, true
	}
}

// jump follows the clock. What was sent for ticks that come again is void, and ticks that
// are jumped over have no input.
func (r *required) jump(by int64) {
	if !r.some {
		return
	}
	r.frontier += entangle.Tick(by)
	for i := range r.sent {
		if r.sent[i].tick.Sub(r.frontier) > 0 {
			r.sent[i].open = false
		}
	}
}

// restart forgets what was measured, and what is under way.
func (r *required) restart() {
	r.window.keepOnly(0, 0)
	for i := range r.sent {
		r.sent[i].open = false
	}
}

// takeReport takes what the server measured for the inputs of ticks up to last. An input
// that never came had come at best with the one after it.
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
		r.take(at, line, s, m)
	}
}

// lose counts an input that did not come, of which nobody knows when it had.
func (r *required) lose(s *sentTick) {
	if s.open {
		s.open = false
		r.judged++
		r.late++
		r.recent.note(false)
	}
}

// take takes by how much an input was early.
func (r *required) take(at, line Phase, s *sentTick, m margin) {
	if !s.open {
		return
	}
	s.open = false
	r.judged++
	r.inputAt, r.inputs = at, true
	r.recent.note(m >= 0)
	if m < 0 {
		r.late++
	}
	sample := s.line - whole(int(m))
	long := r.streak.take(at, sample, line, r.wait)
	if long && r.streak.follow(&r.window, at) {
		r.streak, r.moved = streak{}, true
		return
	}
	r.window.add(at, sample)
}

// takePing takes what a ping says, where inputs say nothing.
func (r *required) takePing(at, sample, fresh Phase) {
	if !r.inputs || at-r.inputAt > fresh {
		r.window.add(at, sample)
	}
}

// line returns where the input line has to be. Few samples call for caution.
func (r *required) line() Phase {
	level := r.window.level(1)
	if lack := steadyBlocks - r.window.n; lack > 0 {
		level += (min(r.window.spread()/2, r.most) + r.care) * Phase(lack) / steadyBlocks
	} else {
		r.care = One // a line that changes is known better than one that is new
	}
	return level
}
