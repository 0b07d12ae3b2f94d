package timesync

import (
	"math/bits"
	"time"

	"github.com/entangle-ecs/entangle"
)

const (
	// MaxTimelines is the greatest number of send intervals that have a timeline of their own. If
	// there are more, the others share the timeline of the next longer interval that has one, or
	// else that of the longest one.
	MaxTimelines = 16

	// sparseSends is the number of send intervals without a sample after which the entity is assumed
	// to have been at rest. After a shorter time, samples are assumed to be lost.
	sparseSends = 4
)

// timelines are the times at which interpolated entities are shown.
type timelines struct {
	base      timeline // its samples are the packets, as if they were those of one entity
	own       [MaxTimelines]timeline
	intervals Intervals // of the timelines in own
	at        Phase     // local time of the last frame
	newest    Phase     // the newest packet in the last frame
	frame     Phase     // usual length of a frame
	packets   int       // ticks from packet to packet, as the server states it; 0: not yet
	some      bool      // the base has begun
	last      lastSample
}

// lastSample is the last sample of this frame. Most values of a frame have the same ticks, so they
// are counted at the same place.
type lastSample struct {
	every          int
	previous, tick entangle.Tick
	place
}

// Show advances the timelines to a frame of the app at now. Call it after the packets of the frame, and before what
// it shows.
func (c *Client) Show(now time.Time) {
	s, at := &c.shown, c.axis.phaseAt(now)
	passed := max(at-s.at, 0)
	s.at, s.last = at, lastSample{}
	if !c.arrivals.ticks.some {
		return
	}
	c.beginBase(max(s.packets, 1))
	s.frame += (min(passed, 16*One) - s.frame) / 16
	s.newest = c.arrivals.newest
	far, limit := c.limits.shown, s.newest+c.limits.shown
	s.base.beginFrame(at, passed, s.frame, far, limit)
	for i := range s.own[:s.intervals.Len()] {
		s.own[i].beginFrame(at, passed, s.frame, far, limit)
	}
}

// beginBase begins the base, two packets behind the newest one, or begins it again if the number of
// ticks from packet to packet has changed.
func (c *Client) beginBase(every int) {
	s := &c.shown
	if s.some && s.base.every == every {
		return
	}
	last := s.base.time
	s.base = c.newTimeline(every, c.arrivals.newest-c.arrivals.at-whole(2*every))
	if s.some {
		s.base.time = max(s.base.time, last)
	}
	s.some = true
}

// addPacket adds the sample of a packet with a newer tick.
func (s *timelines) addPacket(previous, tick Phase) {
	if gap := (tick - previous) / One; s.some && gap <= Phase(sparseSends*s.base.every) {
		p := s.place(&s.base, previous, int(gap))
		p.count()
	}
}

// place returns where a sample is counted. If the sample before it arrived in this frame too, no
// frame has needed it.
func (s *timelines) place(t *timeline, previous Phase, gap int) place {
	p := t.delays.place(s.at, s.at-previous)
	p.ticks = uint64(gap)
	if previous > s.newest {
		p.number = 0
	}
	return p
}

// shift adapts to a jump of the server's ticks against local time: samples need a delay that is
// longer by so much.
func (s *timelines) shift(by Phase) {
	s.base.shift(by)
	for i := range s.own[:s.intervals.Len()] {
		s.own[i].shift(by)
	}
}

// of returns the timeline of a send interval, or nil if the interval has none yet.
func (s *timelines) of(every int) *timeline {
	if i, ok := s.intervals.Find(every); ok {
		return &s.own[i]
	}
	return nil
}

// behindBase returns by how much a timeline without samples is behind the base, of which the interval is
// packets. The base begins two of its intervals behind the newest packet, and the others begin like it.
func behindBase(every, packets int) Phase { return whole(2 * max(every-packets, 0)) }

// TimelineInterval returns the interval by which entities with a send interval are shown, both in ticks: up
// to 64 the same, and above it a little longer, by less than an eighth, up to MaxSendEvery. So there are few
// timelines, whatever a server sends, and a frame advances each of them.
func TimelineInterval(every int) int {
	every = min(max(every, 1), MaxSendEvery)
	if every <= 64 {
		return every
	}
	step := 1 << (bits.Len(uint(every-1)) - 4)
	return (every + step - 1) / step * step
}

// SampleReceived records the arrival of a value of an interpolated entity. The entity has the send
// interval every. The value is of tick, and the entity's newest value until now is of previous. Call
// it in the frame of the packet, after PacketReceived and before Show.
//
// A value after a rest of the entity is not measured, nor is one that is so late that the server's
// ticks or the network seem to have stood still.
func (c *Client) SampleReceived(every int, previous, tick entangle.Tick) {
	l := &c.shown.last
	if l.counts == nil || l.every != every || l.previous != previous || l.tick != tick {
		*l = lastSample{every: every, previous: previous, tick: tick, place: c.placeSample(every, previous, tick)}
	}
	if l.counts != nil {
		l.count()
	}
}

// placeSample returns where a sample is counted.
func (c *Client) placeSample(every int, previous, tick entangle.Tick) place {
	s, every, gap := &c.shown, TimelineInterval(every), int(tick.Sub(previous))
	if gap <= 0 || gap > sparseSends*every || !s.some || c.deviates(c.arrivals.ticks.extend(tick)-c.arrivals.at) {
		return place{}
	}
	t := s.of(every)
	if t == nil {
		behind := behindBase(every, s.base.every)
		t = &s.own[s.intervals.Len()]
		*t = c.newTimeline(every, s.base.offset-behind)
		t.time = s.base.time - behind
		s.intervals.Add(every)
	}
	return s.place(t, c.arrivals.ticks.extend(previous), gap)
}

// Timeline returns the time at which entities with a send interval are shown in this frame, after Show, as a
// tick and a fraction of the following one, from 0 to below 1. Before the first sample of that interval,
// it is behind the base by twice the difference of the intervals. A frame shows the rounded time that
// Screen returns.
//
// The time never goes back, and runs at most 5 % fast or slow, with these exceptions: if its error
// exceeds half a second, it jumps forward or stops, and it stops when the newest packet is half a
// second behind it.
func (c *Client) Timeline(every int) (tick entangle.Tick, fraction float32) {
	every = TimelineInterval(every)
	t := c.shown.base.time - behindBase(every, c.shown.base.every)
	if own := c.shown.of(every); own != nil {
		t = own.time
	}
	return entangle.Tick(t >> 16), float32(t&(One-1)) / float32(One)
}
