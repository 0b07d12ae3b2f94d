package input

import (
	mathbits "math/bits"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

const (
	// MaxSeenAge is the greatest age of what a player sees when its input arrives at the server.
	MaxSeenAge = time.Second
	// SeenMargin is by how much this age may exceed twice the round trip and two send intervals. A packet
	// travels there and one back, and a lost packet is sent again a round trip later. The margin is for
	// long frames, and for timelines that follow a shorter round trip slowly.
	SeenMargin = 250 * time.Millisecond
)

// SeenLimits are the limits of what a client can have seen when a packet of it arrives.
type SeenLimits struct {
	Newest   entangle.Tick // the newest tick that was sent to the client
	RTT      time.Duration // 0: not measured
	TickRate int           // ticks per second
}

// Clamp returns a time at which a client claims to have seen entities with a send interval, or the nearest
// possible one. It may be ahead of the newest tick, after the server has stood still: then entities rest. changed says that
// the claim is not possible.
func (l SeenLimits) Clamp(claim timesync.Shown, every int) (possible timesync.Shown, changed bool) {
	age := int64(l.Newest.Sub(claim.Tick()))<<8 - int64(claim.Fraction())
	by := age - min(max(age, -int64(timesync.MaxAhead(l.TickRate))), l.oldest(every))
	return claim + timesync.Shown(by), by != 0
}

// oldest returns the greatest possible age, in 256ths of a tick.
func (l SeenLimits) oldest(every int) int64 {
	most := l.span(MaxSeenAge)
	if l.RTT <= 0 || l.RTT > MaxSeenAge {
		return most
	}
	return min(l.span(2*l.RTT+SeenMargin)+int64(2*every)<<8, most)
}

// span returns a duration of up to three seconds in 256ths of a tick.
func (l SeenLimits) span(d time.Duration) int64 {
	return int64(d) * int64(l.TickRate) << 8 / int64(time.Second)
}

// Bound moves the times of a screen that are farther ahead than Clamp allows to the last possible one. Such times would be
// later than all that the client shows from then on.
func (l SeenLimits) Bound(s *timesync.Screen) {
	newest := timesync.ShownAt(l.Newest, 0) + timesync.MaxAhead(l.TickRate)
	s.Base = min(s.Base, newest)
	least := int32(max(s.Base-newest, -timesync.MaxBehind))
	for i := range s.Intervals.Len() {
		s.Behind[i] = max(s.Behind[i], least)
	}
}

// allows reports whether all times of a screen are possible.
func (l SeenLimits) allows(s *timesync.Screen) bool {
	_, changed := l.Clamp(s.Base, s.Packets)
	for i := range s.Intervals.Len() {
		_, other := l.Clamp(s.Base-timesync.Shown(s.Behind[i]), s.Intervals.At(i))
		changed = changed || other
	}
	return !changed
}

// SeenTimes holds what a client's screen showed when the input of a tick was made, for the present tick of
// the server and those to come.
type SeenTimes struct {
	rows  []seenRow
	ahead int32
}

type seenRow struct {
	known  bool
	tick   entangle.Tick
	epoch  Epoch
	screen timesync.Screen
	limits SeenLimits // when it arrived
}

// NewSeenTimes returns an empty SeenTimes.
func NewSeenTimes(tickRate int) SeenTimes {
	ahead := Ahead(tickRate)
	return SeenTimes{rows: make([]seenRow, 1<<mathbits.Len(uint(ahead))), ahead: int32(ahead)}
}

// Put stores the screens of a frame of which all streams were read, for the ticks after now. What an earlier
// frame had for a tick counts, until the player's clock jumps back. Put returns the number of ticks with
// times that were not possible.
func (s *SeenTimes) Put(f *Frame, now entangle.Tick, limits SeenLimits) (clamped int) {
	for i := range f.screens.n {
		tick := f.screens.newest - entangle.Tick(i)
		d := tick.Sub(now)
		if d <= 0 {
			break
		}
		at := &s.rows[int(tick)&(len(s.rows)-1)]
		if d > s.ahead || at.known && at.tick == tick && !f.epoch.newer(at.epoch) {
			continue
		}
		*at = seenRow{known: true, tick: tick, epoch: f.epoch, screen: f.screens.of[i], limits: limits}
		if !limits.allows(&at.screen) {
			clamped++
		}
	}
	return clamped
}

// Seen is what a client's screen showed when an input was made.
type Seen struct {
	row   *seenRow
	later timesync.Shown // by how much the input is later than the one whose screen is known
}

// Find returns what the screen showed when the input of a tick was made. If that is not known, it is what the
// screen would have shown, had it gone on from that of an earlier input in step with the ticks, for at most
// back ticks; repeated says so. ok is false if that is not known either. The result is valid until the next Put.
func (s *SeenTimes) Find(tick entangle.Tick, back int) (seen Seen, repeated, ok bool) {
	for by := range min(back, len(s.rows)-1) + 1 {
		at := &s.rows[int(tick-entangle.Tick(by))&(len(s.rows)-1)]
		if at.known && at.tick == tick-entangle.Tick(by) {
			return Seen{row: at, later: timesync.Shown(by) << 8}, by > 0, true
		}
	}
	return Seen{}, false, false
}

// At returns the time at which entities with a send interval were shown. It is a possible one; clamped says
// that the client claimed another.
func (s *Seen) At(every int) (shown timesync.Shown, clamped bool) {
	shown, clamped = s.row.limits.Clamp(s.row.screen.At(every), timesync.TimelineInterval(every))
	return shown + s.later, clamped
}

// At returns the time at which the screen showed entities with a send interval when the input of a tick was
// made. It is a possible one, also where the client has told nothing of that interval, and not ahead of the newest
// tick at that time. ok is false if what the screen showed is not known.
func (s *SeenTimes) At(tick entangle.Tick, every int) (shown timesync.Shown, ok bool) {
	at := &s.rows[int(tick)&(len(s.rows)-1)]
	if !at.known || at.tick != tick {
		return 0, false
	}
	shown, _ = at.limits.Clamp(at.screen.At(every), timesync.TimelineInterval(every))
	return min(shown, timesync.ShownAt(at.limits.Newest, 0)), true
}
