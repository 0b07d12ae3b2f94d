package snapshot

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

// moment is a tick, and in the lower 32 bits the fraction of a tick after it. Like ticks, moments
// wrap around, and are compared by distance.
type moment uint64

const oneTick = moment(1) << 32

// restTicks is the time after which Advance looks at a resting entity again, so that its ticks do
// not become older than half of the wrap-around, when they would look newer.
const restTicks = 1 << 30

func atTick(tick entangle.Tick) moment { return moment(tick) << 32 }

// momentOf returns the moment a fraction of a tick, from 0 to 1, after a tick.
func momentOf(tick entangle.Tick, fraction float64) moment {
	if !(fraction > 0) {
		return atTick(tick)
	}
	return atTick(tick) + min(moment(min(fraction, 1)*float64(oneTick)), oneTick-1)
}

func (m moment) before(n moment) bool { return int64(m-n) < 0 }

func (m moment) tick() entangle.Tick { return entangle.Tick(m >> 32) }

// movement is when an entity moves from one sample to the next.
type movement struct {
	start, end moment
	before     moment // the start of the movement before this one
}

// share returns how much of the movement is over.
func (m *movement) share(now moment) float32 {
	return float32(float64(int64(now-m.start)) / float64(int64(m.end-m.start)))
}

// next ends the movement, and begins the one to a sample that is reached at end.
func (m *movement) next(end moment) { m.before, m.start, m.end = m.start, m.end, end }

// TicksOf returns the number of ticks in a duration, rounded up, as for Kind.Extrapolate.
func TicksOf(d time.Duration, tickRate int) uint16 {
	return uint16((d*time.Duration(tickRate) + time.Second - 1) / time.Second)
}
