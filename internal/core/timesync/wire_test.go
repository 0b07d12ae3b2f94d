package timesync

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWireGolden(t *testing.T) {
	for name, c := range map[string]struct {
		frame serverFrame
		hex   string
	}{
		"a pong":                  {serverFrame{hasPong: true, pong: pong{number: 7, age: 2, every: 3}}, "1d9001"},
		"a report of equal ticks": {serverFrame{hasReport: true, report: reportOf(-2, 3, 3, 3)}, "9ac000"},
		"both, with holes":        {serverFrame{hasPong: true, pong: pong{number: 255, every: 1}, hasReport: true, report: reportOf(1, -1, missing, 4, unknown, 2)}, "ff83102147390a"},
		"only what is missing":    {serverFrame{hasReport: true, report: reportOf(0, missing)}, "020023"},
		"the extremes":            {serverFrame{hasPong: true, pong: pong{age: MaxAge, every: MaxSendEvery}, hasReport: true, report: reportOf(MaxMargin, MaxMargin, -MaxMargin)}, "030c770cf7cdf605ab7dd8ff0100"},
	} {
		t.Run(name, func(t *testing.T) {
			b := c.frame.appendTo(nil)
			assert.Equal(t, c.hex, hex.EncodeToString(b))
			var back serverFrame
			require.NoError(t, back.parse(b))
			assert.Equal(t, c.frame, back)
		})
	}
}

// The smallest byte budget has room for a pong. The report waits for a larger budget.
func TestAPongFitsIntoAnyBudget(t *testing.T) {
	w := newWired(t)
	w.run(3, 3, 3)
	w.meter.PacketReceived(100, w.tick+1-MaxAge)
	require.NoError(t, w.meter.HandleFrame(100, []byte{9}, w.now))
	assert.Empty(t, w.meter.AppendFrame(nil, maxPong-1, 1, w.tick, w.now))
	b := w.meter.AppendFrame(nil, maxPong, 2, w.tick, w.now)
	var f serverFrame
	require.NoError(t, f.parse(b))
	assert.True(t, f.hasPong)
	assert.False(t, f.hasReport)
	assert.EqualValues(t, MaxAge, f.pong.age)
	reported, _ := w.nextReport()
	assert.Len(t, reported, 3)

	longest := serverFrame{hasPong: true, pong: pong{number: 255, age: MaxAge, every: MaxSendEvery}}
	assert.Len(t, longest.appendTo(nil), maxPong)
}

// reportOf returns a report of margins, beginning with that of the oldest tick.
func reportOf(back int64, margins ...margin) report {
	r := report{back: back, n: len(margins)}
	copy(r.margins[:], margins)
	return r
}

func FuzzServerFrame(f *testing.F) {
	for _, seed := range []string{"01", "1d9001", "9ac000", "ff83102147390a", "030c770cf7cdf605ab7dd8ff0100"} {
		b, _ := hex.DecodeString(seed)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var w serverFrame
		if w.parse(b) == nil {
			require.Equal(t, b, w.appendTo(nil))
		}
	})
}
