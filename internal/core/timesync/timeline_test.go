package timesync

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
)

// samples is a client that receives a packet in each frame, four ticks after it was sent.
type samples struct {
	clock *Client
	tick  entangle.Tick // of the newest packet
	now   time.Time
}

func newSamples() *samples {
	s := &samples{clock: NewClient(ClientConfig{TickRate: 60}), tick: 1000, now: start}
	s.frame()
	return s
}

// frame is a frame in which f is called when values are received.
func (s *samples) frame(f ...func()) {
	s.tick, s.now = s.tick+1, s.now.Add(time.Second/60)
	s.clock.PacketReceived(s.tick, s.now)
	for _, f := range f {
		f()
	}
	s.clock.Show(s.now)
	s.clock.FrameRan(s.tick, 0, s.now)
}

// behind returns by how much the entities with a send interval are shown behind the newest packet.
func (s *samples) behind(every int) float64 {
	tick, fraction := s.clock.Timeline(every)
	return float64(s.tick.Sub(tick)) - float64(fraction)
}

// The delay is the one of a plain computation over all samples, with an error of one bucket.
func TestDelayIsThatOfAPlainComputation(t *testing.T) {
	for seed := uint64(1); seed <= 200; seed++ {
		rng := rand.New(rand.NewPCG(seed, 1))
		h := delayHistogram{width: 13, period: 600 * One}
		var needed []Phase
		total, frame := 0, Phase(rng.IntN(int(2*One)))
		for range 1 + rng.IntN(600) {
			n, gap := Phase(rng.IntN(int(10*One)))-5*One, 1+rng.IntN(3)
			needed = append(needed, n)
			total += gap
			p := h.place(0, n)
			p.ticks = uint64(gap)
			p.count()
			if rng.IntN(300) == 0 {
				h.beginPeriod(h.begin+h.period, n)
				needed, total = needed[len(needed)-int(samplesIn(&h)):], int(h.before.ticks)
			}
		}
		starved := func(delay Phase) (sum Phase) {
			for _, n := range needed {
				if n > delay {
					sum += n - delay + frame/2
				}
			}
			return sum
		}
		delay, ok := h.delay(frame)
		require.True(t, ok)
		allowed := Phase(total) * One / starvedParts
		assert.LessOrEqual(t, starved(delay), allowed+One, "seed %d", seed)
		assert.Greater(t, starved(delay-2<<h.width), allowed, "seed %d", seed)
	}
}

// samplesIn returns the number of samples in a histogram.
func samplesIn(h *delayHistogram) (n uint32) {
	for i := range h.present.buckets {
		n += h.present.buckets[i] + h.before.buckets[i]
	}
	return n
}

// Delays that are beyond the range of the buckets are followed too.
func TestDelaysBeyondTheBuckets(t *testing.T) {
	for _, to := range []Phase{-5000 * One, -100 * One, 100 * One, 5000 * One} {
		h := delayHistogram{width: 13, period: One}
		h.place(0, 0)
		for at := range Phase(1000) {
			p := h.place(at*One, to)
			p.ticks = 1
			p.count()
			delay, _ := h.delay(0)
			h.beginPeriod(at*One, delay)
		}
		delay, ok := h.delay(0)
		require.True(t, ok)
		assert.InDelta(t, to.Ticks(), delay.Ticks(), 0.25)
	}
}

// Before an interval has samples, its timeline is behind the base by twice the difference of the
// intervals, and it continues from there.
func TestTimelineWithoutSamples(t *testing.T) {
	s := newSamples()
	for range 100 {
		s.frame()
	}
	base := s.behind(1)
	assert.InDelta(t, base+10, s.behind(6), 0.001)
	s.frame(func() { s.clock.SampleReceived(6, s.tick-6, s.tick) })
	assert.InDelta(t, base+10, s.behind(6), 0.1)
	assert.InDelta(t, base, s.behind(1), 0.1)
	assert.Equal(t, s.behind(1), s.behind(-5))
	for range 4000 {
		s.frame()
	}
	was := s.behind(6)
	s.clock.shown.shift(60 * One)
	for range 100 {
		s.frame()
	}
	assert.InDelta(t, was+60, s.behind(6), 0.1, "without samples it follows a jump of the server's ticks")
	assert.Equal(t, s.behind(MaxSendEvery), s.behind(math.MaxInt))
}

// Entities that are updated more often than packets are sent are shown like the base.
func TestTimelineOfAShorterInterval(t *testing.T) {
	s := newSamples()
	s.clock.shown.packets = 4
	for range 100 {
		s.frame()
	}
	assert.Equal(t, s.behind(4), s.behind(1))
	s.frame(func() { s.clock.SampleReceived(1, s.tick-1, s.tick) })
	assert.InDelta(t, s.behind(4), s.behind(1), 0.1)
}

// In its first period, a timeline does not get a shorter delay: rare delays are not known yet.
//
// Proves: S5
func TestTheFirstPeriodShortensNoDelay(t *testing.T) {
	s := newSamples()
	for range 100 {
		s.frame()
	}
	sample := func() { s.clock.SampleReceived(6, s.tick-6, s.tick) }
	s.frame(sample)
	first, frames := s.behind(6), int((delayPeriod/time.Second)*60)
	for range frames - 60 {
		s.frame(sample)
	}
	assert.InDelta(t, first, s.behind(6), 0.1)
	for range 4 * frames {
		s.frame(sample)
	}
	assert.Less(t, s.behind(6), first-1)
}

// There are at most MaxTimelines timelines. Further intervals share the next longer one, or the
// longest one.
func TestIntervalsShareTimelines(t *testing.T) {
	s := newSamples()
	for range 2000 {
		s.frame(func() {
			for every := 2; every <= 2*MaxTimelines; every += 2 {
				s.clock.SampleReceived(every, s.tick-entangle.Tick(every), s.tick)
			}
		})
	}
	require.Equal(t, MaxTimelines, s.clock.shown.intervals.Len())
	for _, every := range []int{1, 3, 7, 2*MaxTimelines - 1} {
		s.frame(func() { s.clock.SampleReceived(every, s.tick-1, s.tick) })
		assert.Equal(t, s.behind(every+1), s.behind(every))
	}
	assert.Equal(t, s.behind(2*MaxTimelines), s.behind(2*MaxTimelines+1))
	assert.Equal(t, MaxTimelines, s.clock.shown.intervals.Len())
}

// Values after a rest of the entity, old values, and values of ticks that are far away change no
// timeline.
func TestValuesThatAreNotMeasured(t *testing.T) {
	plain, s := newSamples(), newSamples()
	for range 1000 {
		usual := func(s *samples) func() {
			return func() { s.clock.SampleReceived(2, s.tick-2, s.tick) }
		}
		plain.frame(usual(plain))
		s.frame(usual(s), func() {
			s.clock.SampleReceived(2, s.tick-9, s.tick)
			s.clock.SampleReceived(2, s.tick-2, s.tick-2)
			s.clock.SampleReceived(2, s.tick-2, s.tick-3)
			s.clock.SampleReceived(2, s.tick-60, s.tick-58)
			s.clock.SampleReceived(2, s.tick+60, s.tick+62)
		})
		require.Equal(t, plain.behind(2), s.behind(2))
	}
	require.Equal(t, plain.clock.shown.own[0].delays, s.clock.shown.own[0].delays)
	s.frame(func() { s.clock.SampleReceived(2, s.tick-8, s.tick) })
	assert.NotEqual(t, plain.clock.shown.own[0].delays, s.clock.shown.own[0].delays, "a gap of four intervals counts")
}

// Whatever ticks a server sends, no timeline goes back once it has begun.
func TestNoTickMovesATimelineBack(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := newSamples()
		s.frame(func() {
			for every := range 5 {
				s.clock.SampleReceived(every, s.tick-1, s.tick)
			}
		})
		c, now, tick := s.clock, s.now, s.tick
		var last [5]Phase
		var screen Screen
		var lastShown [5]Shown
		for range 5000 {
			now, tick = now.Add(time.Duration(rng.IntN(40))*time.Millisecond), tick+1
			for range rng.IntN(4) {
				packet := tick + entangle.Tick(rng.Int32N(1000)>>rng.IntN(10)-200>>rng.IntN(10))
				c.PacketReceived(packet, now)
				c.SampleReceived(1+rng.IntN(4), packet-entangle.Tick(rng.IntN(20)), packet)
				if rng.IntN(100) == 0 {
					c.shown.packets = 1 + rng.IntN(9)
					c.shown.shift(Phase(rng.IntN(1000)-500) * One)
				}
			}
			c.Show(now)
			c.FrameRan(tick, 0, now)
			for i := range last {
				at, fraction := c.Timeline(i)
				shown := Phase(at)<<16 + Phase(fraction*float32(One))
				if i == 0 {
					shown = c.shown.base.time
				}
				require.GreaterOrEqual(t, shown, last[i], "seed %d", seed)
				last[i] = shown
			}
			c.Screen(&screen)
			for i := range last {
				shown := screen.At(i)
				if i == 0 {
					shown = screen.Base
				}
				require.GreaterOrEqual(t, shown, lastShown[i], "seed %d", seed)
				require.InDelta(t, int64(last[i]>>8), int64(shown), 1, "seed %d", seed)
				lastShown[i] = shown
			}
		}
	}
}

// Of several values of an entity in a frame, only the first one is a sample, because the others were
// not needed in the frame before.
func TestOneSampleInAFrame(t *testing.T) {
	one, three := newSamples(), newSamples()
	one.frame(func() { one.clock.SampleReceived(1, one.tick-1, one.tick+2) })
	three.frame(func() {
		for k := range entangle.Tick(3) {
			three.clock.SampleReceived(1, three.tick-1+k, three.tick+k)
		}
	})
	assert.Equal(t, one.clock.shown.own[0].delays, three.clock.shown.own[0].delays)
	assert.Equal(t, uint32(1), samplesIn(&three.clock.shown.own[0].delays))

	none := newSamples()
	none.frame(func() { none.clock.SampleReceived(1, none.tick, none.tick+1) })
	_, ok := none.clock.shown.own[0].delays.delay(0)
	assert.False(t, ok, "ticks without a sample need no delay")
}

// A server may give each entity an interval of its own: there are few timelines, and close ones.
func TestThereAreFewTimelines(t *testing.T) {
	different := map[int]bool{}
	for every := range MaxSendEvery + 3 {
		by := TimelineInterval(every)
		different[by] = true
		require.Equal(t, by, TimelineInterval(by), "%d", every)
		if every <= 64 {
			require.Equal(t, max(every, 1), by)
		} else if every <= MaxSendEvery {
			require.GreaterOrEqual(t, by, every)
			require.Less(t, by*8, every*9)
		}
	}
	require.Len(t, different, 64+8*6)
}

// A client that stood still while its first packets arrived receives all of them in one frame, with a pong in the first
// one. Its entities are shown two packets behind the newest one, and not behind the first.
//
// Proves: S5
func TestAClientThatStandsStillAtFirstShowsThePresent(t *testing.T) {
	s := newSamples()
	s.clock.Reset()
	s.clock.Show(s.now)
	s.now = s.now.Add(2 * time.Second)
	for range 40 {
		s.tick += 3
		s.clock.PacketReceived(s.tick, s.now)
		f := serverFrame{hasPong: true, pong: pong{every: 3}}
		require.NoError(t, s.clock.HandleFrame(s.tick, f.appendTo(nil), s.now))
	}
	s.clock.Show(s.now)
	assert.InDelta(t, 2*3, s.behind(3), 0.1)
}
