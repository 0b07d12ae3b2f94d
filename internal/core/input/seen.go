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
// possible one. changed says that the claim is not possible.
func (l SeenLimits) Clamp(claim timesync.Shown, every int) (possible timesync.Shown, changed bool) {
	age := int64(l.Newest.Sub(claim.Tick()))<<8 - int64(claim.Fraction())
	by := age - min(max(age, 0), l.oldest(every))
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

// At returns the time at which the screen showed entities with a send interval when the input of a tick was
// made. It is a possible one, also where the client has told nothing of that interval. ok is false if what the
// screen showed is not known.
func (s *SeenTimes) At(tick entangle.Tick, every int) (shown timesync.Shown, ok bool) {
	at := &s.rows[int(tick)&(len(s.rows)-1)]
	if !at.known || at.tick != tick {
		return 0, false
	}
	shown, _ = at.limits.Clamp(at.screen.At(every), timesync.TimelineInterval(every))
	return shown, true
}
