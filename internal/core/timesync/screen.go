package timesync

import "github.com/entangle-ecs/entangle"

// Shown is a time of the server at which a frame shows entities, in 256ths of a tick.
type Shown int64

// ShownAt returns the time at a fraction of a tick, in 256ths, after the tick.
func ShownAt(tick entangle.Tick, fraction uint8) Shown {
	return Shown(tick)<<8 | Shown(fraction)
}

// Tick returns the tick at s or before it.
func (s Shown) Tick() entangle.Tick { return entangle.Tick(s >> 8) }

// Fraction returns how far s is after its tick, in 256ths of a tick.
func (s Shown) Fraction() uint8 { return uint8(s) }

// MaxBehind is the most by which a time of a Screen differs from the base, in 256ths of a tick. The server
// would have to stand still or to skip ticks for more than 8,000 ticks for that.
const MaxBehind = 1 << 21

// Screen holds the times at which one frame shows interpolated entities. They are rounded to 256ths of
// a tick, so that they can be sent without an error. The zero value is a screen without times.
type Screen struct {
	// Base is the time of the base, and Packets its send interval in ticks: that of the server. Packets
	// is 0 in a screen without times.
	Base    Shown
	Packets int
	// Intervals has the send intervals with a timeline of their own, and Behind by how much each of
	// these is behind the base, in 256ths of a tick.
	Intervals Intervals
	Behind    [MaxTimelines]int32
}

// At returns the time at which entities with a send interval are shown.
func (s *Screen) At(every int) Shown { return s.Base - Shown(s.BehindBase(every)) }

// BehindBase returns by how much the time of a send interval is behind the base, in 256ths of a tick.
func (s *Screen) BehindBase(every int) int32 {
	every = TimelineInterval(every)
	if i, ok := s.Intervals.Find(every); ok {
		return s.Behind[i]
	}
	return int32(behindBase(every, s.Packets) >> 8)
}

// Screen sets s to the times that this frame shows. Before, s holds the times of the last frame, or
// is the zero value. Call it after Show.
func (c *Client) Screen(s *Screen) {
	t := &c.shown
	if !t.some {
		*s = Screen{}
		return
	}
	last := *s
	*s = Screen{Base: Shown(t.base.time >> 8), Packets: t.base.every, Intervals: t.intervals}
	for i := range t.intervals.Len() {
		behind := Shown((t.base.time - t.own[i].time) >> 8)
		// The difference of two rounded times may vary by one step. No time may go back because of it.
		if was := last.At(t.intervals.At(i)); last.Packets != 0 && s.Base-behind < was {
			behind = s.Base - was
		}
		s.Behind[i] = int32(min(max(behind, -MaxBehind), MaxBehind))
	}
}

// Intervals lists send intervals that have a timeline of their own, in the order in which they began. The
// zero value is empty.
type Intervals struct {
	every [MaxTimelines]uint16
	n     uint8
}

// Len returns the number of intervals.
func (l *Intervals) Len() int { return int(l.n) }

// At returns interval i, in ticks.
func (l *Intervals) At(i int) int { return int(l.every[i]) }

// Add appends an interval of 1 to MaxSendEvery ticks. Len must be less than MaxTimelines.
func (l *Intervals) Add(every int) {
	l.every[l.n] = uint16(every)
	l.n++
}

// Cut returns the first n intervals.
func (l *Intervals) Cut(n int) Intervals {
	cut := Intervals{n: uint8(n)}
	copy(cut.every[:n], l.every[:])
	return cut
}

// Find returns the index of the timeline of an interval. ok is false if the interval has none yet.
func (l *Intervals) Find(every int) (i int, ok bool) {
	for i, own := range l.every[:l.n] {
		if int(own) == every {
			return i, true
		}
	}
	if l.n < MaxTimelines {
		return 0, false
	}
	for j, own := range l.every {
		best, t := int(l.every[i]), int(own)
		if longer := t > best; best < every && longer || t > every && !longer {
			i = j
		}
	}
	return i, true
}
