package input_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
)

// line loses packets independently, or in bursts.
type line struct {
	rng   *rand.Rand
	loss  float64
	burst float64 // mean length of a burst in packets; 1 or less: independent losses
	bad   bool
}

func (l *line) loses() bool {
	if l.burst <= 1 {
		return l.rng.Float64() < l.loss
	}
	if l.bad {
		l.bad = l.rng.Float64() >= 1/l.burst
	} else {
		l.bad = l.rng.Float64() < l.loss/(1-l.loss)/l.burst
	}
	return l.bad
}

// ackTicks is the round trip of a packet and its acknowledgement.
const ackTicks = 6

// missing simulates ticks on a line. The server runs a tick when the last of the inTime packets
// that contain it would have arrived. It returns how many ticks had no input, and the mean size of
// a frame in bytes.
func missing(l *line, ticks, inTime int) (n int, mean float64) {
	w, stream := newWriter(), newReader(999)
	var c input.Composer
	var screens input.Screens
	var acks []entangle.Tick
	streams, total := []input.OwnStream{{Writer: w}}, 0
	for i := range entangle.Tick(ticks) {
		tick := 1000 + i
		w.Write(tick, 0, hands{X: uint8(tick / 10), Y: 1}.bytes())
		screens.Write(tick, screenAt(tick))
		c.Begin(nil, 1100, tick)
		c.Pack(streams, names{}, &screens, inTime, uint16(tick))
		frame := c.Finish()
		total += len(frame)
		if !l.loses() {
			if _, err := read(frame, tick, stream); err != nil {
				panic(err)
			}
			acks = append(acks, tick)
		}
		for len(acks) > 0 && tick.Sub(acks[0]) >= ackTicks {
			w.HandleAcked(uint16(acks[0]))
			acks = acks[1:]
		}
		if run := tick - entangle.Tick(inTime) + 1; run.Sub(1000) >= 0 {
			if _, s := stream.Take(run); s != input.Fresh {
				n++
			}
		}
	}
	return n, float64(total) / float64(ticks)
}

// If k packets that contain a tick can be in time, the tick has no input if and only if all k
// packets are lost.
//
// Proves: I2
func TestATickIsMissingOnlyIfAllPacketsWithItAreLost(t *testing.T) {
	const ticks = 20_000
	for _, c := range []struct {
		loss, burst float64
		inTime      int
		most        float64 // greatest share of ticks
	}{
		{0.05, 1, 2, 0.05 * 0.05},
		{0.05, 1, 3, 0.05 * 0.05 * 0.05},
		{0.2, 1, 2, 0.04},
		{0.2, 1, 4, 0.0016},
		{0.2, 1, 6, 0.000064},
		{0.2, 4, 4, 0.2 * 0.42},   // four packets in a burst: the fourth is lost with probability 3/4 if the third is
		{0.2, 4, 12, 0.2 * 0.042}, // 0.75^11
		{0.2, 4, 24, 0.2 * 0.0014},
	} {
		l := &line{rng: rand.New(rand.NewPCG(1, 2)), loss: c.loss, burst: c.burst}
		n, mean := missing(l, ticks, c.inTime)
		t.Logf("loss %.0f %%, bursts of %.0f, %d ticks: %d of %d missing (%.3f %%), %.1f bytes", c.loss*100, c.burst, c.inTime, n, ticks, float64(n)/ticks*100, mean)
		require.LessOrEqual(t, float64(n), c.most*ticks*1.3+4)
	}
}
