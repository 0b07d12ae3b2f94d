package timesync

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
)

var start = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// attacked is a client with regular frames and a server that sends arbitrary frames.
type attacked struct {
	*testing.T
	clock *Client
	tick  entangle.Tick
	now   time.Time
	jumps []int32
}

func newAttacked(t *testing.T) *attacked {
	return &attacked{T: t, clock: NewClient(ClientConfig{TickRate: 60}), now: start}
}

// frame runs a tick and returns the ping that the client sends, if any.
func (s *attacked) frame() (ping []byte) {
	s.now, s.tick = s.now.Add(time.Second/60), s.tick+1
	s.clock.Show(s.now)
	s.clock.FrameRan(s.tick, 0, s.now)
	if s.clock.Synced() {
		s.clock.InputsSent(s.tick+entangle.Tick(s.clock.Delay()), 3)
	}
	ping = s.clock.AppendFrame(nil, 100, 1, s.tick, s.now)
	speed, jump := s.clock.Adjust(s.now)
	require.LessOrEqual(s, max(speed-Normal, Normal-speed), Speed(MaxSteer))
	if jump != 0 {
		s.jumps = append(s.jumps, jump)
	}
	s.tick += entangle.Tick(jump)
	return ping
}

// receive passes a frame of the server to the clock.
func (s *attacked) receive(tick entangle.Tick, f serverFrame) {
	require.NoError(s, s.clock.HandleFrame(tick, f.appendTo(nil), s.now))
}

// If a server reports every input as late, its client leads by maxLead and no more.
func TestMarginsThatNeverEndDoNotRunAway(t *testing.T) {
	for _, m := range []margin{-1, -MaxMargin, missing, MaxMargin} {
		s := newAttacked(t)
		for range 60 * 60 {
			server := entangle.Tick(s.now.Sub(start) * 60 / time.Second)
			ping := s.frame()
			s.clock.PacketReceived(server, s.now)
			if len(ping) > 0 {
				s.receive(server, serverFrame{hasPong: true, pong: pong{number: ping[0], every: 1}})
			}
			if s.clock.Synced() {
				s.receive(server, serverFrame{hasReport: true, report: reportOf(int64(server.Sub(s.tick)), m, m)})
			}
		}
		ahead := s.tick.Sub(entangle.Tick(s.now.Sub(start) * 60 / time.Second))
		assert.LessOrEqual(t, ahead, int32(4*60+2))
		assert.GreaterOrEqual(t, ahead, int32(-2))
	}
}

// A server that sends arbitrary ticks can set its client's clock to any tick. But the jumps have a
// minimum interval, and it can do no other harm.
func TestErraticTicksCauseJumps(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := newAttacked(t)
	var screen Screen
	for range 60 * 60 {
		ping := s.frame()
		tick := entangle.Tick(rng.Uint32())
		s.clock.PacketReceived(tick, s.now)
		if len(ping) > 0 {
			s.receive(tick, serverFrame{hasPong: true, pong: pong{number: ping[0], every: 1}})
		}
		s.receive(tick, serverFrame{hasReport: true, report: reportOf(int64(rng.IntN(100)-50), margin(rng.IntN(100)-50), margin(rng.IntN(100)-50))})
		previous := entangle.Tick(rng.Uint32())
		s.clock.SampleReceived(rng.IntN(40)-2, previous, previous+entangle.Tick(rng.Uint32()>>rng.IntN(32)))
		s.clock.Screen(&screen)
		s.clock.Stats()
		s.clock.ServerTick(s.now)
	}
	assert.LessOrEqual(t, len(s.jumps), 62, "once in a second")
}

// Local times and ticks that go back or leap do not make a clock panic.
func TestErraticTimes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	c := NewClient(ClientConfig{TickRate: MaxTickRate, Delay: Delay{Max: 20}})
	m := NewMeter(MeterConfig{TickRate: MaxTickRate})
	for range 20_000 {
		now := start.Add(time.Duration(rng.Int64()>>rng.IntN(60)) * time.Duration(1-2*rng.IntN(2)))
		tick := entangle.Tick(rng.Uint32()) >> rng.IntN(32)
		c.Show(now)
		c.FrameRan(tick, Phase(rng.IntN(int(One))), now)
		c.PacketReceived(entangle.Tick(rng.Uint32())>>rng.IntN(32), now)
		c.InputsSent(tick+entangle.Tick(rng.IntN(100)), rng.IntN(100)-10)
		c.SampleReceived(int(rng.Int64()), entangle.Tick(rng.Uint32()), entangle.Tick(rng.Uint32())>>rng.IntN(32))
		m.PacketReceived(tick, tick)
		for _, b := range c.AppendFrame(nil, 100, 1, tick, now) {
			require.NoError(t, m.HandleFrame(tick, []byte{b}, now))
		}
		m.InputReceived(entangle.Tick(rng.Uint32())>>rng.IntN(32), tick)
		m.TickRan(tick, rng.IntN(2) == 0)
		m.HandleLost(uint16(rng.Uint32()))
		if b := m.AppendFrame(nil, 200, uint16(rng.Uint32()), tick, now); len(b) > 0 {
			require.LessOrEqual(t, len(b), maxFrame)
			require.NoError(t, c.HandleFrame(tick, b, now))
		}
		c.Adjust(now)
		if _, fraction := c.Timeline(int(rng.Int64())); fraction < 0 || fraction >= 1 {
			t.Fatal(fraction)
		}
		c.SetDelay(Delay{Min: int(rng.Int32()), Max: int(rng.Int32()), MaxPredicted: int(rng.Int32())})
	}
}

func TestAPingIsOneByte(t *testing.T) {
	m := NewMeter(MeterConfig{TickRate: 60})
	require.NoError(t, m.HandleFrame(0, []byte{255}, start))
	require.ErrorIs(t, m.HandleFrame(0, nil, start), ErrFrame)
	require.ErrorIs(t, m.HandleFrame(0, []byte{1, 2}, start), ErrFrame)
}

// Invalid frames are refused.
func TestFramesAreRefused(t *testing.T) {
	for name, f := range map[string]serverFrame{
		"a pong from long ago":     {hasPong: true, pong: pong{age: MaxAge + 1, every: 1}},
		"no send interval":         {hasPong: true, pong: pong{}},
		"a long send interval":     {hasPong: true, pong: pong{every: MaxSendEvery + 1}},
		"a report of far ahead":    {hasReport: true, report: reportOf(-MaxMargin-1, 0)},
		"a report of long ago":     {hasReport: true, report: reportOf(MaxMargin+1, 0)},
		"margins beyond all bound": {hasReport: true, report: reportOf(0, MaxMargin+1)},
		"margins below all bound":  {hasReport: true, report: reportOf(0, -MaxMargin-1)},
		"one margin beyond":        {hasReport: true, report: reportOf(0, 0, MaxMargin+1)},
		"nothing":                  {},
	} {
		var back serverFrame
		assert.Error(t, back.parse(f.appendTo(nil)), name)
	}
	var back serverFrame
	for n := range 14 {
		full := (&serverFrame{hasPong: true, pong: pong{every: 1}, hasReport: true, report: reportOf(1, -1, missing, 4, unknown, 2)}).appendTo(nil)
		if n < len(full) {
			assert.Error(t, back.parse(full[:n]), "%d bytes", n)
		}
	}
	assert.Error(t, back.parse(make([]byte, maxFrame+1)))
}

// FuzzClientFrames passes arbitrary frames to a client.
func FuzzClientFrames(f *testing.F) {
	f.Add([]byte{0x1d, 0x90, 0x01}, uint32(7))
	f.Add([]byte{0xff, 0x83, 0x10, 0x21, 0x47, 0x39, 0x0a}, uint32(1<<31))
	f.Fuzz(func(t *testing.T, b []byte, tick uint32) {
		c := NewClient(ClientConfig{TickRate: 60})
		now := start
		for i := range 8 {
			now = now.Add(60 * time.Millisecond)
			c.Show(now)
			c.FrameRan(entangle.Tick(i), 0, now)
			c.PacketReceived(entangle.Tick(tick)+entangle.Tick(i), now)
			c.AppendFrame(nil, 9, 0, entangle.Tick(i), now)
			_ = c.HandleFrame(entangle.Tick(tick), b, now)
			c.Adjust(now)
		}
	})
}

// FuzzPing passes arbitrary frames to a meter.
func FuzzPing(f *testing.F) {
	f.Add([]byte{7})
	f.Fuzz(func(t *testing.T, b []byte) {
		m := NewMeter(MeterConfig{TickRate: 60})
		m.PacketReceived(3, 3)
		if m.HandleFrame(3, b, start) == nil {
			var w serverFrame
			require.NoError(t, w.parse(m.AppendFrame(nil, 200, 1, 3, start)))
			require.Equal(t, []byte{w.pong.number}, b)
		}
	})
}
