package snapshot

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
)

// addBent adds a sample with a velocity per second in the column bend.
func (s *single) addBent(tick entangle.Tick, v, speed float64) bool {
	return s.AddSample(s.slot, tick, set.MaskOf(s.col, bend), func(col int) []byte {
		if col == bend {
			return memory(speed)
		}
		return memory(v)
	})
}

// Proves: N5
func TestTwoColumnsAreBlendedTogether(t *testing.T) {
	s := newSingle(4, curved)
	s.addBent(8, 0, 8)
	s.addBent(12, 0.5, -8)
	assert.InDelta(t, 0, s.at(8), 0)
	assert.InDelta(t, 2.25, s.at(10), 1e-6, "a second at 8 units per second would bend it by 2 in the middle")
	s.RemoveColumns(s.slot, set.MaskOf(bend))
	assert.InDelta(t, 2.25, s.value(), 1e-6, "no step when the other column is removed")
	assert.InDelta(t, (2.25+0.5)/2, s.at(12), 1e-6, "on the way to the value, which is late now")
	s.addBent(20, 10.5, 0)
	assert.InDelta(t, (2.25+0.5)/2, s.value(), 1e-6, "no step when it is inserted")
	assert.InDelta(t, 10.5, s.at(20), 0)
	s.addBent(28, 10.5, 8)
	assert.InDelta(t, 10.5, s.at(22.5), 0, "equal values rest, whatever the velocities are")
}

// A movement of constant velocity is shown without a step, whichever updates are lost or late, and when the
// velocity is removed and inserted on the way: the screen moves at most half as fast again as on a line.
//
// Proves: N15
func TestCurvesMakeNoStep(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 8))
		every := 1 + r.IntN(4)
		s := newSingle(uint16(every), curved)
		arrivals := map[int][]int{} // by frame: ticks
		const frames, perTick, delay = 4000, 4, 3
		for tick := 0; tick < frames/perTick; tick += every {
			if late := int(r.ExpFloat64() * 8); r.IntN(4) > 0 {
				arrivals[tick*perTick+late] = append(arrivals[tick*perTick+late], tick)
			}
		}
		newest, last := 0.0, math.NaN()
		lines := make([]float64, every*perTick+1) // what a line moves per frame that begins in one of the last frames
		for frame := range frames {
			for _, tick := range arrivals[frame] {
				if s.addBent(entangle.Tick(tick)+100, float64(tick), tickRate) {
					newest = float64(tick)
				}
			}
			if r.IntN(30) == 0 {
				s.RemoveColumns(s.slot, set.MaskOf(bend))
			}
			now := s.at(100 - delay + float64(frame)/perTick)
			if !s.Shown(s.slot) {
				continue
			}
			if !math.IsNaN(last) {
				lines[frame%len(lines)] = max(1, (newest-last)/float64(every)) / perTick
				require.LessOrEqual(t, now-last, 1.5*slices.Max(lines), "seed %d, frame %d", seed, frame)
				require.GreaterOrEqual(t, now-last, -1e-2, "seed %d, frame %d", seed, frame)
			}
			last = now
		}
	}
}
