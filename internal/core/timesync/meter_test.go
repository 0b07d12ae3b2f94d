package timesync

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
)

// wired is the meter of a server with 60 frames per second.
type wired struct {
	*testing.T
	meter *Meter
	tick  entangle.Tick // the last finished tick
	now   time.Time
	pkt   uint16
}

func newWired(t *testing.T) *wired {
	return &wired{T: t, meter: NewMeter(MeterConfig{TickRate: 60, SendEvery: 3}), tick: 999, now: start}
}

// run runs ticks with inputs that arrive with the given margins, or do not arrive (missing).
func (w *wired) run(margins ...margin) {
	for _, m := range margins {
		next := w.tick + 1
		if m != missing {
			w.meter.InputReceived(next+entangle.Tick(m), next)
		}
		w.tick, w.now = next, w.now.Add(time.Second/60)
		w.meter.TickRan(next, m != missing)
	}
}

// nextReport returns the report in the next packet by tick; ok is false if it has none.
func (w *wired) nextReport() (map[entangle.Tick]margin, bool) {
	w.pkt++
	b := w.meter.AppendFrame(nil, 500, w.pkt, w.tick, w.now)
	if len(b) == 0 {
		return nil, false
	}
	var f serverFrame
	require.NoError(w, f.parse(b))
	reported := map[entangle.Tick]margin{}
	for i, m := range f.report.margins[:f.report.n] {
		if m != unknown {
			reported[w.tick-entangle.Tick(f.report.back)-entangle.Tick(f.report.n-1-i)] = m
		}
	}
	return reported, true
}

func TestAMeterReportsEachTickOnce(t *testing.T) {
	w := newWired(t)
	w.run(2)
	reported, _ := w.nextReport()
	assert.Equal(t, map[entangle.Tick]margin{1002: 2}, reported)
	w.run(2, 2, 2)
	_, ok := w.nextReport()
	assert.False(t, ok, "it is too early for the next report")
	assert.False(t, w.meter.Urgent(w.now))
	w.run(2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2)
	reported, _ = w.nextReport()
	assert.Len(t, reported, 16)
	assert.Equal(t, margin(2), reported[1003])
	w.now = w.now.Add(time.Minute)
	_, ok = w.nextReport()
	assert.False(t, ok, "all ticks are reported")
}

func TestALateInputIsReportedAtOnce(t *testing.T) {
	w := newWired(t)
	w.run(2)
	w.nextReport()
	w.run(2, 2, 2, -4)
	assert.True(t, w.meter.Urgent(w.now))
	reported, _ := w.nextReport()
	assert.Equal(t, margin(-4), reported[1000])
	assert.EqualValues(t, 1, w.meter.Stats().Late)
	w.run(-3)
	_, ok := w.nextReport()
	assert.False(t, ok, "but not in every tick")
}

func TestALostReportIsSentAgain(t *testing.T) {
	w := newWired(t)
	w.run(1)
	w.nextReport()
	w.meter.HandleAcked(w.pkt)
	w.run(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
	reported, _ := w.nextReport()
	require.Len(t, reported, 16)
	lost := w.pkt
	w.run(4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4)
	w.meter.HandleLost(lost)
	again, _ := w.nextReport()
	for tick, m := range reported {
		assert.Equal(t, m, again[tick], "tick %d", tick)
	}
	assert.Greater(t, len(again), len(reported))
	w.meter.HandleLost(lost)
	w.meter.HandleLost(12345)
	w.now = w.now.Add(time.Second)
	_, ok := w.nextReport()
	assert.False(t, ok, "the packet had its verdict already")
}

// A tick without its input is reported as missing when the input cannot arrive any more. Reports of
// earlier ticks do not wait for that.
func TestAMissingInputIsReportedInTheEnd(t *testing.T) {
	w := newWired(t)
	w.run(0, 0, missing, 0, 0)
	reported, _ := w.nextReport()
	assert.NotContains(t, reported, entangle.Tick(1002))
	assert.Len(t, reported, 4)
	w.run(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	reported, _ = w.nextReport()
	assert.Equal(t, missing, reported[1002])
	s := w.meter.Stats()
	assert.EqualValues(t, 20, s.InTime)
	assert.EqualValues(t, 1, s.Missing)
}

// Only the first arrival of an input counts, even after its margin was reported.
func TestAMarginStays(t *testing.T) {
	w := newWired(t)
	w.meter.InputReceived(1003, 1000)
	w.meter.InputReceived(1003, 1002)
	reported, _ := w.nextReport()
	assert.Equal(t, map[entangle.Tick]margin{1003: 3}, reported)
	w.now = w.now.Add(time.Second)
	w.meter.InputReceived(1003, 1000)
	_, ok := w.nextReport()
	assert.False(t, ok)
}

func TestTicksThatLeapAreBounded(t *testing.T) {
	w := newWired(t)
	for _, tick := range []entangle.Tick{1000, 1 << 31, 5, 1<<32 - 1, 0, 900, 1800, 1801, 1700} {
		w.meter.InputReceived(tick, 1000)
		w.now = w.now.Add(time.Second)
		for range 4 {
			if reported, ok := w.nextReport(); ok {
				assert.LessOrEqual(t, len(reported), MaxReport)
			}
			w.now = w.now.Add(time.Second)
		}
	}
}

func TestAPongHasTheArrivalOfItsPing(t *testing.T) {
	w := newWired(t)
	w.meter.PacketReceived(1004, 1000)
	require.NoError(t, w.meter.HandleFrame(1004, []byte{7}, w.now))
	w.run(missing, missing)
	assert.True(t, w.meter.Urgent(w.now.Add(pongWait)))
	b := w.meter.AppendFrame(nil, 500, 1, w.tick, w.now)
	var f serverFrame
	require.NoError(t, f.parse(b))
	assert.Equal(t, pong{number: 7, age: 2, every: 3}, f.pong)
	assert.Empty(t, w.meter.AppendFrame(nil, 500, 2, w.tick, w.now), "once")

	require.NoError(t, w.meter.HandleFrame(1005, []byte{8}, w.now))
	assert.Empty(t, w.meter.AppendFrame(nil, 500, 2, w.tick, w.now), "the arrival of that packet is unknown")
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

func TestInvalidConfigurationsPanic(t *testing.T) {
	assert.PanicsWithValue(t, "timesync: ClientConfig.TickRate is 0; it must be 1 to 1000", func() { NewClient(ClientConfig{}) })
	assert.PanicsWithValue(t, "timesync: MeterConfig.TickRate is 1001; it must be 1 to 1000", func() { NewMeter(MeterConfig{TickRate: 1001}) })
	assert.PanicsWithValue(t, "timesync: MeterConfig.SendEvery is -1; it must be 0 to 4096", func() { NewMeter(MeterConfig{TickRate: 60, SendEvery: -1}) })
}
