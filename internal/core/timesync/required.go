package timesync

import "github.com/entangle-ecs/entangle"

const (
	// sentTicks is how many of the newest input ticks are recorded until their margins arrive.
	sentTicks = 256

	// steadyBlocks is how many blocks a window needs for its level to be used without a reserve.
	steadyBlocks = 16
)

// required measures where the input line has to be for inputs to arrive in time. The input line is
// the tick for which an input is made now: the clock plus the input delay, minus local time.
//
// If the input for a tick was first sent when the line was at s, and arrived with the margin e, it
// would have arrived with the margin 0 if the line had been at s-e. This is true whatever the
// latency is, and however often the input was resent. So each sample determines a position of the
// line by itself.
type required struct {
	window     window
	sent       [sentTicks]sentTick
	newestSent entangle.Tick // the newest tick for which an input was sent
	caution    Phase         // reserve to add while there are few samples
	most       Phase         // the most of the samples' spread to add besides it
	delay      int32         // input delay at newestSent, in ticks
	some       bool          // an input was sent

	streak streak
	wait   Phase // how long a streak lasts before it moves the window
	moved  bool  // a streak has moved the window

	inputAt Phase  // local time of the last sample of an input
	inputs  bool   // inputAt is set
	late    uint64 // number of input ticks reported as late or missing
	judged  uint64 // number of input ticks reported
	recent  recent
}

// sentTick records where the input line was when the input for a tick was first sent.
type sentTick struct {
	tick entangle.Tick
	open bool // its margin has not arrived yet
	line Phase
}

// InputsSent records that the inputs for the given number of ticks, up to newest, were sent in a
// frame of the input channel.
func (c *Client) InputsSent(newest entangle.Tick, ticks int) {
	if !c.own.ran || ticks <= 0 {
		return
	}
	c.required.recordSent(newest, min(ticks, sentTicks), newest.Sub(c.own.ticks.tick), c.own.offset)
}

// recordSent records the ticks that are sent for the first time. After the delay has grown, inputs
// for several ticks are made at once. Only the newest of them shows how early an input will be from
// then on, so only that one is recorded.
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

// jump adapts to a jump of the clock by so many ticks. After a jump back, inputs are made again for
// some ticks; their first inputs are not measured. A jump forward skips ticks, for which there is no
// input.
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

// restart drops all measurements, and does not measure the inputs in flight.
func (r *required) restart() {
	r.window.keepOnly(0, 0)
	for i := range r.sent {
		r.sent[i].open = false
	}
}

// takeReport handles the margins that the server reports for the ticks up to last. A missing input
// is assumed to have arrived together with the next one.
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

// lose counts a missing input from which no sample can be made.
func (r *required) lose(s *sentTick) {
	if s.open {
		s.open = false
		r.judged++
		r.late++
		r.recent.addTick(false)
	}
}

// addSample adds the sample of an input that arrived with margin m.
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

// takePing adds the sample of a ping, unless there are recent samples of inputs.
func (r *required) takePing(at, sample, fresh Phase) {
	if !r.inputs || at-r.inputAt > fresh {
		r.window.addSample(at, sample)
	}
}

// line returns where the input line should be. It includes a reserve while there are few samples.
func (r *required) line() Phase {
	level := r.window.level(1)
	if lack := steadyBlocks - r.window.n; lack > 0 {
		level += (min(r.window.spread()/2, r.most) + r.caution) * Phase(lack) / steadyBlocks
	} else {
		r.caution = One // for the next restart: after it, more is known than at the start
	}
	return level
}
