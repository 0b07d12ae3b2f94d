package timesync

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
)

// wired is a meter in the hands of a server with 60 frames per second.
type wired struct {
	*testing.T
	meter *Meter
	tick  entangle.Tick // last finished
	now   time.Time
	pkt   uint16
}

func newWired(t *testing.T) *wired {
	return &wired{T: t, meter: NewMeter(MeterConfig{TickRate: 60, SendEvery: 3}), tick: 999, now: start}
}

// run runs ticks, for which inputs come so early; missing: they do not.
func (w *wired) run(margins ...margin) {
	for _, m := range margins {
		next := w.tick + 1
		if m != missing {
			w.meter.Brought(next+entangle.Tick(m), next)
		}
		w.tick, w.now = next, w.now.Add(time.Second/60)
		w.meter.Ran(next, m != missing)
	}
}

// said returns what the next packet says, by tick, and whether it says anything.
func (w *wired) said() (map[entangle.Tick]margin, bool) {
	w.pkt++
	b := w.meter.AppendFrame(nil, 500, w.pkt, w.tick, w.now)
	if len(b) == 0 {
		return nil, false
	}
	var f words
	require.NoError(w, f.parse(b))
	said := map[entangle.Tick]margin{}
	for i, m := range f.report.margins[:f.report.n] {
		if m != unknown {
			said[w.tick-entangle.Tick(f.report.back)-entangle.Tick(f.report.n-1-i)] = m
		}
	}
	return said, true
}

func TestAMeterTellsEachTickOnce(t *testing.T) {
	w := newWired(t)
	w.run(2)
	said, _ := w.said()
	assert.Equal(t, map[entangle.Tick]margin{1002: 2}, said)
	w.run(2, 2, 2)
	_, ok := w.said()
	assert.False(t, ok, "it is too early for the next report")
	assert.False(t, w.meter.Urgent(w.now))
	w.run(2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2)
	said, _ = w.said()
	assert.Len(t, said, 16)
	assert.Equal(t, margin(2), said[1003])
	w.now = w.now.Add(time.Minute)
	_, ok = w.said()
	assert.False(t, ok, "there is no news")
}

func TestALateInputIsToldAtOnce(t *testing.T) {
	w := newWired(t)
	w.run(2)
	w.said()
	w.run(2, 2, 2, -4)
	assert.True(t, w.meter.Urgent(w.now))
	said, _ := w.said()
	assert.Equal(t, margin(-4), said[1000])
	assert.EqualValues(t, 1, w.meter.Stats().Late)
	w.run(-3)
	_, ok := w.said()
	assert.False(t, ok, "but not in every tick")
}

func TestAReportThatGetsLostIsToldAgain(t *testing.T) {
	w := newWired(t)
	w.run(1)
	w.said()
	w.meter.HandleAcked(w.pkt)
	w.run(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
	said, _ := w.said()
	require.Len(t, said, 16)
	lost := w.pkt
	w.run(4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4)
	w.meter.HandleLost(lost)
	again, _ := w.said()
	for tick, m := range said {
		assert.Equal(t, m, again[tick], "tick %d", tick)
	}
	assert.Greater(t, len(again), len(said))
	w.meter.HandleLost(lost)
	w.meter.HandleLost(12345)
	w.now = w.now.Add(time.Second)
	_, ok := w.said()
	assert.False(t, ok, "a verdict comes once, and of what was sent")
}

// A tick without its input is told as missing when nothing can be expected any more, and
// what is told before does not wait for it.
func TestAMissingInputIsToldWhenItWillNotCome(t *testing.T) {
	w := newWired(t)
	w.run(0, 0, missing, 0, 0)
	said, _ := w.said()
	assert.NotContains(t, said, entangle.Tick(1002))
	assert.Len(t, said, 4)
	w.run(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	said, _ = w.said()
	assert.Equal(t, missing, said[1002])
	s := w.meter.Stats()
	assert.EqualValues(t, 20, s.InTime)
	assert.EqualValues(t, 1, s.Missing)
}

// An input that comes twice counts as it came first, also after it was told.
func TestAMarginStays(t *testing.T) {
	w := newWired(t)
	w.meter.Brought(1003, 1000)
	w.meter.Brought(1003, 1002)
	said, _ := w.said()
	assert.Equal(t, map[entangle.Tick]margin{1003: 3}, said)
	w.now = w.now.Add(time.Second)
	w.meter.Brought(1003, 1000)
	_, ok := w.said()
	assert.False(t, ok)
}

func TestTicksThatLeapAreBounded(t *testing.T) {
	w := newWired(t)
	for _, tick := range []entangle.Tick{1000, 1 << 31, 5, 1<<32 - 1, 0, 900, 1800, 1801, 1700} {
		w.meter.Brought(tick, 1000)
		w.now = w.now.Add(time.Second)
		for range 4 {
			if said, ok := w.said(); ok {
				assert.LessOrEqual(t, len(said), MaxReport)
			}
			w.now = w.now.Add(time.Second)
		}
	}
}

func TestAPongSaysWhenItsPingCame(t *testing.T) {
	w := newWired(t)
	w.meter.Packet(1004, 1000)
	require.NoError(t, w.meter.HandleFrame(1004, []byte{7}, w.now))
	w.run(missing, missing)
	assert.True(t, w.meter.Urgent(w.now.Add(pongWait)))
	b := w.meter.AppendFrame(nil, 500, 1, w.tick, w.now)
	var f words
	require.NoError(t, f.parse(b))
	assert.Equal(t, pong{number: 7, age: 2, every: 3}, f.pong)
	assert.Empty(t, w.meter.AppendFrame(nil, 500, 2, w.tick, w.now), "once")

	require.NoError(t, w.meter.HandleFrame(1005, []byte{8}, w.now))
	assert.Empty(t, w.meter.AppendFrame(nil, 500, 2, w.tick, w.now), "nobody told when that packet came")
}

func TestAFrameNeedsRoom(t *testing.T) {
	w := newWired(t)
	w.run(2)
	assert.Empty(t, w.meter.AppendFrame(nil, maxFrame-1, 1, w.tick, w.now))
	assert.NotEmpty(t, w.meter.AppendFrame(nil, maxFrame, 1, w.tick, w.now))
}

func TestQuality(t *testing.T) {
	w := newWired(t)
	assert.Equal(t, Unknown, w.meter.Stats().Quality)
	for range 256 {
		w.run(2)
	}
	assert.Equal(t, Good, w.meter.Stats().Quality)
	assert.Equal(t, 2, w.meter.Stats().Margin)
	for range 6 {
		w.run(missing)
	}
	assert.Equal(t, Fair, w.meter.Stats().Quality)
	for range 10 {
		w.run(missing)
	}
	assert.Equal(t, Poor, w.meter.Stats().Quality)
	for range 256 {
		w.run(1)
	}
	assert.Equal(t, Good, w.meter.Stats().Quality)
	assert.Equal(t, "good", Good.String())
}

func TestConfigurationsThatCannotBe(t *testing.T) {
	assert.PanicsWithValue(t, "timesync: ClientConfig.TickRate is 0; it must be 1 to 1000", func() { NewClient(ClientConfig{}) })
	assert.PanicsWithValue(t, "timesync: MeterConfig.TickRate is 1001; it must be 1 to 1000", func() { NewMeter(MeterConfig{TickRate: 1001}) })
	assert.PanicsWithValue(t, "timesync: MeterConfig.SendEvery is -1; it must be 0 to 4096", func() { NewMeter(MeterConfig{TickRate: 60, SendEvery: -1}) })
}
