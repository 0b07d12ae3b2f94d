package input_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// limitsAt are limits that a client keeps if its screen is at most a second old.
func limitsAt(tick entangle.Tick) input.SeenLimits {
	return input.SeenLimits{Newest: tick, TickRate: 60}
}

// drawScreen changes a screen into the one of a later frame.
func drawScreen(rng *rand.Rand, s *timesync.Screen) {
	switch rng.IntN(6) {
	case 0: // the frame shows the same
	case 1:
		s.Base += timesync.Shown(rng.IntN(10 * 256))
	default:
		s.Base += timesync.Shown(256 + rng.IntN(2*128) - 128)
	}
	for i := range s.Intervals.Len() {
		if rng.IntN(4) == 0 {
			s.Behind[i] += int32(rng.IntN(40) - 20)
		}
	}
	if n := s.Intervals.Len(); n < timesync.MaxTimelines && rng.IntN(40) == 0 {
		s.Intervals.Add(1 + n)
		s.Behind[n] = s.BehindBase(1 + n)
	}
}

// Whatever packets are lost, and in whichever packet an input arrives, the server gets what was on the screen
// when the input was made, with any input delay and in any frames.
func TestScreensArriveWithTheirTicks(t *testing.T) {
	run(t, func(t *testing.T, rng *rand.Rand) {
		w, stream, seen := newWriter(), newReader(99), input.NewSeenTimes(60)
		streams, delay := []input.OwnStream{{Writer: w}}, rng.IntN(4)
		var c input.Composer
		var screens input.Screens
		screen := timesync.Screen{Base: timesync.ShownAt(70, 0), Packets: 1}
		want := map[entangle.Tick]timesync.Screen{}
		written, fresh := entangle.Tick(103), 0
		for tick := entangle.Tick(100); tick < 1000; tick++ {
			for ticks := rng.IntN(3); ticks > 0; ticks-- {
				written++
				w.Write(written, delay, hands{X: uint8(written / 10)}.bytes())
				screens.Write(written+entangle.Tick(delay), &screen)
				want[written+entangle.Tick(delay)] = screen
			}
			if screen.Base.Tick().Before(tick - 20) {
				drawScreen(rng, &screen)
			}
			written = max(written, tick+2)
			c.Begin(nil, 1100, written)
			c.Pack(streams, names{}, &screens, int(written.Sub(tick))+delay, uint16(tick))
			if frame := c.Finish(); len(frame) > 0 && rng.IntN(3) > 0 {
				var f input.Frame
				f.Open(frame, written, 1, 1)
				take(&f, stream)
				require.NoError(t, f.Err())
				seen.Put(&f, tick-1, input.SeenLimits{Newest: screen.Base.Tick() + 30, TickRate: 1 << 20})
			}
			stream.Take(tick)
			if _, status := stream.At(tick); status == input.Fresh {
				want := want[tick]
				for every := range timesync.MaxTimelines + 1 {
					is, ok := seen.At(tick, every)
					require.True(t, ok, "tick %d", tick)
					require.Equal(t, want.At(every), is, "tick %d, interval %d", tick, every)
				}
				fresh++
			}
		}
		assert.Greater(t, fresh, 200)
	})
}

// The composer writes the same bytes as the plain encoder.
func TestScreensEqualTheirPlainTwin(t *testing.T) {
	run(t, func(t *testing.T, rng *rand.Rand) {
		for range 100 {
			header := entangle.Tick(rng.Uint32())
			plain := plainScreens{newest: header + entangle.Tick(rng.IntN(9)), of: make([]timesync.Screen, 1+rng.IntN(input.MaxTicks))}
			at := timesync.Screen{Base: timesync.ShownAt(header-2000+entangle.Tick(rng.IntN(4000)), uint8(rng.Uint32())), Packets: 1}
			for i := range rng.IntN(5) {
				at.Intervals.Add(1 + i*i)
				at.Behind[i] = rng.Int32N(10000) - 5000
			}
			intervals := at.Intervals
			for i := len(plain.of) - 1; i >= 0; i-- {
				drawScreen(rng, &at)
				at.Intervals = intervals
				clear(at.Behind[intervals.Len():])
				plain.of[i] = at
			}
			for range rng.IntN(timesync.MaxLateFrames + 1) {
				f := timesync.LateFrame{Screen: plain.of[0], Later: uint32(rng.IntN(9)), Overtaken: uint32(rng.IntN(2) * rng.IntN(9))}
				f.Screen.Base -= timesync.Shown(rng.IntN(1000))
				if n := intervals.Len(); n > 0 && rng.IntN(2) == 0 {
					f.Screen.Behind[rng.IntN(n)] += 3
				}
				f.Newest = uint16(rng.Uint32())
				plain.late = append(plain.late, f)
			}
			var c input.Composer
			c.Begin(nil, 1<<20, header)
			c.Screens(screensOf(&plain), input.MaxTicks)
			var b input.Body
			w := newWriter()
			w.Write(header, 0, hands{}.bytes())
			require.True(t, b.Encode(w, header, 1))
			c.Stream(0).Uvarint(0)
			require.True(t, c.Put(&b))
			require.Equal(t, plainFrame(header, &plain, plainStream{newest: header, words: []word{val(hands{})}}), c.Finish())
		}
	})
}

// When the delay grows, the ticks in between repeat the last input and its screen. When it shrinks, or the
// clock jumps, a screen stays with the input that is used.
func TestScreensFollowTheWriter(t *testing.T) {
	var s input.Screens
	at := func(tick entangle.Tick) (list []entangle.Tick) {
		var c input.Composer
		c.Begin(nil, 1100, tick)
		c.Screens(&s, 8)
		w, b := newWriter(), input.Body{}
		w.Write(tick, 0, hands{}.bytes())
		b.Encode(w, tick, 1)
		c.Stream(0).Uvarint(0)
		c.Put(&b)
		var f input.Frame
		f.Open(c.Finish(), tick, 1, 1)
		require.NoError(t, f.Err())
		newest, screens := f.ScreenList()
		for i := range screens {
			list = append(list, newest-entangle.Tick(i), screens[i].Base.Tick()+20)
		}
		return list
	}
	require.Empty(t, at(100))
	for tick := entangle.Tick(100); tick < 103; tick++ {
		s.Write(tick, screenAt(tick))
	}
	require.Equal(t, []entangle.Tick{102, 102, 101, 101, 100, 100}, at(102))
	s.Write(106, screenAt(103))
	require.Equal(t, []entangle.Tick{106, 103, 105, 102, 104, 102, 103, 102, 102, 102, 101, 101, 100, 100}, at(103))
	s.Write(105, screenAt(104))
	s.Write(106, screenAt(105))
	s.Write(107, screenAt(106))
	require.Equal(t, []entangle.Tick{107, 106, 106, 103}, at(106)[:4])
	s.Jump(-3)
	s.Write(105, screenAt(108))
	require.Equal(t, []entangle.Tick{105, 108, 104, 102}, at(108)[:4])
	s.Jump(50)
	s.Write(156, screenAt(160))
	require.Equal(t, []entangle.Tick{156, 160, 155, 108, 154, 108}, at(160)[:6])
	s.Jump(500)
	s.Write(657, screenAt(660))
	require.Equal(t, []entangle.Tick{657, 660}, at(660))
	s.Jump(-1 << 31)
	s.Write(7, screenAt(660))
	require.Equal(t, []entangle.Tick{7, 660}, at(660)[:2])
	var unknown timesync.Screen
	s.Write(8, &unknown)
	require.Empty(t, at(660), "the clock has no times yet")

	s = input.Screens{}
	for tick := entangle.Tick(100); tick < 100+input.MaxTicks; tick++ {
		s.Write(tick, screenAt(tick))
	}
	s.Jump(4 - input.MaxTicks)
	s.Write(104, screenAt(170))
	require.Equal(t, []entangle.Tick{104, 170, 103, 103, 102, 102, 101, 101, 100, 100}, at(170), "no tick before the first")
	other := *screenAt(171)
	other.Packets = 3
	s.Write(105, &other)
	require.Equal(t, []entangle.Tick{105, 171}, at(171), "the others were shown at another interval of packets")
	require.Equal(t, []entangle.Tick{105, 171}, at(150), "a clock that was set back is behind the screen")
	s.Jump(-1 << 31)
	s.Write(7, screenAt(5000))
	require.Empty(t, at(7), "too far ahead")
}

// What arrived first for a tick counts, until the player's clock jumps back. Ticks that have run and ticks of
// the far future change nothing.
func TestSeenTimesKeepTheFirst(t *testing.T) {
	seen := input.NewSeenTimes(60)
	put := func(newest, now entangle.Tick, epoch int, screens ...timesync.Screen) int {
		var f input.Frame
		f.Open(plainFrame(newest, &plainScreens{newest, screens, nil}, plainStream{newest: newest, epoch: epoch, words: []word{no}}), newest, 1, 1)
		take(&f, newReader(now))
		require.NoError(t, f.Err())
		return seen.Put(&f, now, limitsAt(now))
	}
	is := func(tick entangle.Tick) entangle.Tick {
		if s, ok := seen.At(tick, 1); ok {
			return s.Tick() + 21
		}
		return 0
	}
	require.Zero(t, put(100, 98, 0, *screenAt(100), *screenAt(99), *screenAt(98)))
	require.Equal(t, []entangle.Tick{100, 99, 0, 0}, []entangle.Tick{is(100), is(99), is(98), is(101)})
	require.Zero(t, put(101, 99, 0, *screenAt(97), *screenAt(97)))
	require.Equal(t, []entangle.Tick{97, 100}, []entangle.Tick{is(101), is(100)})
	require.Zero(t, put(101, 99, 1, *screenAt(96), *screenAt(95)))
	require.Zero(t, put(101, 99, 0, *screenAt(94), *screenAt(94)))
	require.Equal(t, []entangle.Tick{96, 95}, []entangle.Tick{is(101), is(100)})
	require.Zero(t, put(99+64, 99, 1, *screenAt(90)))
	require.Zero(t, put(99+65, 99, 1, *screenAt(90)))
	require.Equal(t, []entangle.Tick{90, 0}, []entangle.Tick{is(99 + 64), is(99 + 65)})
	require.Equal(t, 1, put(140, 100, 1, *screenAt(158)))
	require.EqualValues(t, 121, is(140), "ahead of the newest tick nothing is seen")
	for rows := entangle.Tick(64); rows <= 1024; rows *= 2 {
		require.Zero(t, is(140+rows), "another tick")
	}
	own := *screenAt(103)
	own.Behind[1] = 300 << 8
	require.Equal(t, 1, put(103, 100, 1, own), "too old is only what has this interval")
	shown, _ := seen.At(103, 6)
	require.EqualValues(t, 100-60, shown.Tick())
}

// What a client does not tell is possible, too: it may leave out an interval, so that its time follows from the
// base.
func TestSeenTimesOfOtherIntervalsAreClamped(t *testing.T) {
	seen := input.NewSeenTimes(60)
	var f input.Frame
	f.Open(plainFrame(1000, &plainScreens{1000, []timesync.Screen{{Base: timesync.ShownAt(950, 0), Packets: 1}}, nil}, plainStream{newest: 1000, words: []word{no}}), 1000, 1, 1)
	take(&f, newReader(998))
	require.NoError(t, f.Err())
	require.Zero(t, seen.Put(&f, 998, limitsAt(998)))
	for _, every := range []int{2, 60, 4096} {
		shown, ok := seen.At(1000, every)
		require.True(t, ok)
		assert.Equal(t, max(timesync.ShownAt(998-60, 0), timesync.ShownAt(950, 0)-timesync.Shown(2*(every-1))<<8), shown, "interval %d", every)
	}
}

// A client cannot claim to have seen what it was not sent, nor what is older than its connection explains. A time that
// is half a second ahead is possible, because shown times go on for so long while the server stands still.
func TestSeenTimesAreClamped(t *testing.T) {
	for _, c := range []struct {
		rtt          time.Duration
		every        int
		claim, truth float64 // ticks before the newest
	}{
		{0, 1, 0, 0},
		{0, 1, -30, -30}, // the server stood still
		{0, 1, -30.5, -30},
		{0, 1, -1 << 30, -30},
		{0, 1, 60, 60},
		{0, 1, 60.25, 60},
		{0, 1, 1 << 30, 60},
		{100 * time.Millisecond, 1, 29, 29},
		{100 * time.Millisecond, 1, 29.25, 29},
		{100 * time.Millisecond, 6, 39, 39},
		{100 * time.Millisecond, 6, 39.5, 39},
		{400 * time.Millisecond, 6, 61, 60},
		{time.Hour, 1, 61, 60},
	} {
		for _, newest := range []entangle.Tick{5, 1000, 1<<32 - 3} {
			limits := input.SeenLimits{Newest: newest, RTT: c.rtt, TickRate: 60}
			claim := timesync.ShownAt(newest, 0) - timesync.Shown(c.claim*256)
			got, changed := limits.Clamp(claim, c.every)
			want := timesync.ShownAt(newest, 0) - timesync.Shown(c.truth*256)
			assert.Equal(t, want.Tick(), got.Tick(), "%+v", c)
			assert.Equal(t, want.Fraction(), got.Fraction(), "%+v", c)
			assert.Equal(t, c.claim != c.truth, changed, "%+v", c)
		}
	}
}

// The screens of a frame with six ticks, at usual frame rates with a millisecond of jitter, for 60 ticks per second.
func TestScreensAreSmall(t *testing.T) {
	for _, c := range []struct {
		rate, timelines int
		first, more     float64 // bytes of the newest tick, and the most of each further one
	}{
		{60, 0, 3.7, 0.95},
		{60, 1, 6.2, 1.05},
		{60, 3, 11.2, 1.05},
		{20, 1, 6.2, 0.8},
		{30, 1, 6.2, 1},
		{75, 1, 6.2, 1.6},
		{90, 1, 6.2, 1.6},
		{120, 1, 6.2, 1.05},
		{144, 1, 6.2, 1.6},
		{240, 1, 6.2, 1.05},
	} {
		rng := rand.New(rand.NewPCG(1, 1))
		screen := timesync.Screen{Packets: 1}
		for i := range c.timelines {
			screen.Intervals.Add(1 + i*(i+1)/2)
			screen.Behind[i] = int32(i*(i+1)*256) + 100
		}
		var screens input.Screens
		tick, passed, bytes, packets := entangle.Tick(100), 0.0, 0, 0
		one, length := 0, 60/float64(c.rate)
		for frame := range 10_000 {
			now := float64(frame)*length + rng.Float64()*0.06
			for ran := 0; passed+1 <= now; passed++ {
				tick++
				screens.Write(tick, &screen)
				if ran++; ran == 1 {
					for _, ticks := range []int{1, 6} {
						var c input.Composer
						c.Begin(nil, 1000, tick)
						c.Screens(&screens, ticks)
						n := c.Stream(0).LenBits() - 4
						if ticks == 1 {
							one += n
						} else {
							bytes += n
						}
					}
					packets++
				}
			}
			screen.Base = timesync.Shown((now + 70) * 256)
		}
		first, more := float64(one)/float64(packets)/8, float64(bytes-one)/float64(packets)/8/5
		t.Logf("%d frames per second, %d timelines: %.1f bytes, and %.2f for each further tick", c.rate, c.timelines, first, more)
		assert.LessOrEqual(t, first, c.first)
		assert.LessOrEqual(t, more, c.more)
	}
}

func TestMalformedScreensAreErrors(t *testing.T) {
	write := func(ticks uint64, ahead, back int64, intervals uint64, rest func(w *bits.Writer)) []byte {
		var w bits.Writer
		w.Uvarint(ticks)
		w.Varint(ahead)
		w.Varint(back)
		w.Bits(7, 8)
		w.Uvarint(intervals)
		rest(&w)
		w.Bits(0, 64)
		return w.Finish()
	}
	nothing := func(*bits.Writer) {}
	interval := func(every uint64, behind int64) func(w *bits.Writer) {
		return func(w *bits.Writer) {
			w.Uvarint(every - 1)
			w.Varint(behind)
		}
	}
	advance := func(by int64) func(w *bits.Writer) {
		return func(w *bits.Writer) {
			w.Bool(false)
			w.Bits(7, 3)
			w.Varint(by)
		}
	}
	late := func(back, later, overtaken uint64) func(w *bits.Writer) {
		return func(w *bits.Writer) {
			w.Bool(true)
			w.Bits(0, 5)
			w.Uvarint(back)
			w.Bits(9, 16)
			w.Uvarint(later)
			w.Bool(true)
			w.Uvarint(overtaken)
		}
	}
	for i, c := range []struct {
		frame []byte
		err   error
	}{
		{write(65, 0, 20, 0, nothing), input.ErrTicks},
		{write(1<<40, 0, 20, 0, nothing), input.ErrTicks},
		{write(1, 4097, 20, 0, nothing), input.ErrDistance},
		{write(1, 0, 8264, 0, nothing), input.ErrDistance},
		{write(1, 0, -4097, 0, nothing), input.ErrDistance},
		{write(1, 0, 20, 17, nothing), input.ErrIntervals},
		{write(1, 0, 20, 1, interval(4097, 0)), input.ErrIntervals},
		{write(1, 0, 20, 1, interval(1<<50, 0)), input.ErrIntervals},
		{write(1, 0, 20, 2, func(w *bits.Writer) { interval(3, 5)(w); interval(3, 5)(w) }), input.ErrIntervals},
		{write(1, 0, 20, 1, interval(4096, 1<<21+1)), input.ErrDistance},
		{write(1, 0, 20, 1, interval(4096, -1<<63)), input.ErrDistance},
		{write(2, 0, 20, 0, advance(1<<21)), input.ErrDistance},
		{write(2, 0, 20, 0, advance(-1<<63)), input.ErrDistance},
		{write(2, 0, 20, 0, advance(1<<63-1)), input.ErrDistance},
		{write(2, 0, 20, 1, func(w *bits.Writer) { interval(1, 1<<21)(w); w.Bool(false); w.Bits(1, 6); w.Bits(3, 2); w.Varint(1) }), input.ErrDistance},
		{write(1, 0, 20, 0, late(1<<21+1, 0, 0)), input.ErrDistance},
		{write(1, 0, 20, 0, late(0, 1<<32, 0)), input.ErrDistance},
		{write(1, 0, 20, 0, late(0, 0, 1<<32)), input.ErrDistance},
	} {
		var f input.Frame
		f.Open(c.frame, 100, 1, 1)
		require.False(t, f.Next())
		require.ErrorIs(t, f.Err(), c.err, "case %d", i)
		require.Zero(t, f.Screens())
	}
}

// Of an input that did not arrive, the screen is taken to have gone on from an earlier one. A screen may be ahead of
// its packet: while the server stands still, it goes on for a while, and the client's clock is set back afterwards. No
// claim is later than half a second after what was sent when it arrived, or older than possible.
//
// Proves: L1, L2
func TestTheScreenOfAnInputIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		claim   entangle.Tick
		want    float64 // of tick 103
		clamped bool
	}{
		"honest": {90, 90, false}, "half a second ahead": {130, 130, false}, "from the future": {150, 130, true}, "a second and more ago": {20, 40, true},
	} {
		w, seen, header := newWriter(), input.NewSeenTimes(60), entangle.Tick(103)
		var screens input.Screens
		var composer input.Composer
		var b input.Body
		var f input.Frame
		w.Write(103, 0, hands{X: 1}.bytes())
		screens.Write(103, &timesync.Screen{Base: timesync.ShownAt(c.claim, 0), Packets: 1})
		composer.Begin(nil, 1100, header)
		composer.Screens(&screens, 1)
		require.True(t, b.Encode(w, header, 1))
		composer.Stream(0).Uvarint(0)
		require.True(t, composer.Put(&b))
		f.Open(composer.Finish(), header, 1, 1)
		seen.Put(&f, 100, limitsAt(100))
		for tick, later := range map[entangle.Tick]timesync.Shown{103: 0, 105: 2} {
			found, repeated, ok := seen.Find(tick, 16)
			require.True(t, ok, name)
			assert.Equal(t, later > 0, repeated, name)
			at, clamped := found.At(1)
			assert.Equal(t, timesync.Shown(c.want*256)+later<<8, at, name)
			assert.Equal(t, c.clamped, clamped, name)
		}
		_, _, ok := seen.Find(120, 16)
		assert.False(t, ok, "too long ago")
		_, _, ok = seen.Find(102, 16)
		assert.False(t, ok, "it is of a later tick")
	}
}

// No time of a late frame is farther ahead than what a client may have seen, whatever it claims of each interval.
//
// Proves: L2
func TestTheTimesOfALateFrameAreBounded(t *testing.T) {
	limits := limitsAt(1000)
	last := timesync.ShownAt(1030, 0)
	for _, base := range []timesync.Shown{timesync.ShownAt(900, 7), last, last + 1, timesync.ShownAt(1<<31, 0)} {
		for _, behind := range []int32{0, 256, -256, timesync.MaxBehind, -timesync.MaxBehind} {
			s := timesync.Screen{Base: base, Packets: 1}
			s.Intervals.Add(6)
			s.Behind[0] = behind
			claim := s
			limits.Bound(&s)
			assert.Equal(t, min(claim.At(1), last), s.At(1))
			assert.LessOrEqual(t, s.At(6), last)
			if claim.At(1) <= last && claim.At(6) <= last {
				assert.Equal(t, claim, s, "a possible one is left alone")
			}
		}
	}
}

// A late frame of which the screen is later than the newest one of the packet, or much earlier, is left out, and no other
// one is.
//
// Proves: L1
func TestALateFrameFarFromThePacketIsLeftOut(t *testing.T) {
	var late []timesync.LateFrame
	for i, base := range []timesync.Shown{0, 1, 1 << 21, 1<<21 + 1, -1 << 30} {
		f := timesync.LateFrame{Screen: *screenAt(100_000), Newest: uint16(i)}
		f.Screen.Base -= base
		late = append(late, f)
	}
	ahead := timesync.LateFrame{Screen: *screenAt(100_001), Newest: 9}
	var screens input.Screens
	screens.Write(100_000, screenAt(100_000))
	screens.Late = append(late, ahead)
	var c input.Composer
	c.Begin(nil, 1100, 100_000)
	c.Screens(&screens, 1)
	w, b := newWriter(), input.Body{}
	w.Write(100_000, 0, hands{}.bytes())
	require.True(t, b.Encode(w, 100_000, 1))
	c.Stream(0).Uvarint(0)
	require.True(t, c.Put(&b))
	var f input.Frame
	f.Open(c.Finish(), 100_000, 1, 1)
	require.NoError(t, f.Err())
	require.Equal(t, late[:3], f.LateFrames())
}
