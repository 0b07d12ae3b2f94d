package input

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// The advance from the screen of one tick to that of the next one is predicted to be as many ticks as
// there are inputs made at the later screen. The difference, in 256ths of a tick, takes 5 bits if the
// frames are even and as long as a tick, 10 if their rate does not divide that of the ticks, and more
// after a stall.
const (
	nearAdvance, nearBits = -8, 4
	farAdvance, farBits   = -96, 8

	// maxAdvance is the most that a packet can say of the advance, in 256ths of a tick.
	maxAdvance = 1 << 21
)

// appendScreens writes the screens of the newest n ticks, newest first, for a packet with tick header. A
// nil s has none.
func appendScreens(w *bits.Writer, s *Screens, n int, header entangle.Tick) {
	if s != nil {
		n = s.sendable(n, header)
	}
	if s == nil || n == 0 {
		w.Uvarint(0)
		return
	}
	w.Uvarint(uint64(n))
	w.Varint(int64(s.newest.Sub(header)))
	later := s.at(s.newest)
	w.Varint(int64(header.Sub(later.Base.Tick())))
	w.Bits(uint64(later.Base.Fraction()), 8)
	w.Uvarint(uint64(later.Intervals.Len()))
	for i := range later.Intervals.Len() {
		w.Uvarint(uint64(later.Intervals.At(i) - 1))
		w.Varint(int64(later.Behind[i]))
	}
	appendLateFrames(w, s.Late, later)
	intervals, same := &later.Intervals, 1
	for i := 1; i < n; i++ {
		earlier := s.at(s.newest - entangle.Tick(i))
		moved := distancesDiffer(intervals, later, earlier)
		w.Bool(moved || later.Base != earlier.Base)
		if !moved && later.Base == earlier.Base {
			same++
			continue
		}
		appendAdvance(w, int64(later.Base-earlier.Base)-int64(same)<<8)
		if intervals.Len() > 0 {
			w.Bool(moved)
		}
		if moved {
			appendDistances(w, intervals, later, earlier)
		}
		later, same = earlier, 1
	}
}

// distancesDiffer reports whether any of the intervals is at another distance from the base in two screens.
func distancesDiffer(intervals *timesync.Intervals, a, b *timesync.Screen) bool {
	for i := range intervals.Len() {
		if every := intervals.At(i); a.BehindBase(every) != b.BehindBase(every) {
			return true
		}
	}
	return false
}

// appendDistances writes by how much the distances from the base change from a screen to an earlier one.
func appendDistances(w *bits.Writer, intervals *timesync.Intervals, later, earlier *timesync.Screen) {
	for i := range intervals.Len() {
		every := intervals.At(i)
		by := earlier.BehindBase(every) - later.BehindBase(every)
		w.Bool(by != 0)
		if by != 0 {
			w.Varint(int64(by))
		}
	}
}

func appendAdvance(w *bits.Writer, by int64) {
	switch {
	case by >= nearAdvance && by < nearAdvance+1<<nearBits:
		w.Bool(false)
		w.Bits(uint64(by-nearAdvance), nearBits)
	case by >= farAdvance && by < farAdvance+1<<farBits:
		w.Bits(1, 2)
		w.Bits(uint64(by-farAdvance), farBits)
	default:
		w.Bits(3, 2)
		w.Varint(by)
	}
}

func readAdvance(r *bits.Reader) int64 {
	switch {
	case !r.Bool():
		return int64(r.Bits(nearBits)) + nearAdvance
	case !r.Bool():
		return int64(r.Bits(farBits)) + farAdvance
	}
	return r.Varint()
}

// screens are what a frame of a client tells of its screen.
type screens struct {
	newest entangle.Tick
	n      int
	of     [MaxTicks]timesync.Screen // of the newest n ticks, newest first

	late  [timesync.MaxLateFrames]timesync.LateFrame
	lates int
}

// read reads what appendScreens wrote into an s without any. packets is the send interval of the base.
func (s *screens) read(r *bits.Reader, header entangle.Tick, packets int) {
	n := r.Uvarint()
	if n == 0 {
		return
	}
	ahead, back := r.Varint(), r.Varint()
	switch {
	case n > MaxTicks:
		r.Fail(ErrTicks)
	case ahead < -maxDistance || ahead > maxDistance || back < -maxDistance || back > maxShown:
		r.Fail(ErrDistance)
	}
	s.newest = header + entangle.Tick(ahead)
	first := &s.of[0]
	// A time before tick 0, as a game shows that has just begun, is negative: a tick would wrap around.
	*first = timesync.Screen{Base: timesync.ShownAt(header, uint8(r.Bits(8))) - timesync.Shown(back)<<8, Packets: packets}
	readIntervals(r, first)
	s.readLateFrames(r)
	same := int64(1)
	for i := 1; i < int(n) && r.Err() == nil; i++ {
		s.of[i] = s.of[i-1]
		if !r.Bool() {
			same++
			continue
		}
		readEarlier(r, &s.of[i], same)
		same = 1
	}
	if r.Err() == nil {
		s.n = int(n)
	}
}

// readIntervals reads the timelines of the newest screen.
func readIntervals(r *bits.Reader, s *timesync.Screen) {
	n := r.Uvarint()
	if n > timesync.MaxTimelines {
		r.Fail(ErrIntervals)
	}
	for i := 0; i < int(n) && r.Err() == nil; i++ {
		more := r.Uvarint()
		if more >= timesync.MaxSendEvery {
			r.Fail(ErrIntervals)
			return
		}
		every := int(more) + 1
		if _, twice := s.Intervals.Find(every); twice {
			r.Fail(ErrIntervals)
			return
		}
		s.Intervals.Add(every)
		s.Behind[i] = readDistance(r, 0)
	}
}

// readEarlier changes a screen into an earlier one. same is how many ticks have the later one.
func readEarlier(r *bits.Reader, s *timesync.Screen, same int64) {
	by := readAdvance(r)
	if advance := by + same<<8; by > maxAdvance || advance > maxAdvance || advance < -maxAdvance {
		r.Fail(ErrDistance)
		return
	}
	s.Base -= timesync.Shown(by + same<<8)
	readDistances(r, s)
}

// readDistances reads by how much the distances from the base change to those of an earlier screen, if they do.
func readDistances(r *bits.Reader, s *timesync.Screen) {
	if s.Intervals.Len() == 0 || !r.Bool() {
		return
	}
	for i := range s.Intervals.Len() {
		if r.Bool() {
			s.Behind[i] = readDistance(r, s.Behind[i])
		}
	}
}

// readDistance reads a distance from the base, relative to another one.
func readDistance(r *bits.Reader, from int32) int32 {
	by := r.Varint()
	if to := int64(from) + by; by >= -2*timesync.MaxBehind && by <= 2*timesync.MaxBehind && to >= -timesync.MaxBehind && to <= timesync.MaxBehind {
		return int32(to)
	}
	r.Fail(ErrDistance)
	return 0
}
