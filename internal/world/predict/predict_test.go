package predict

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A correct prediction is never replayed.
//
// Proves: B1
func TestCorrectPredictionsCauseNoRollback(t *testing.T) {
	f := newForecast(t, nil)
	f.run(1)
	f.confirmTick(1001)
	e := f.spawns("a", 1001, fcPlace{10, 0}, fcPace{1, 0})
	f.run(8)
	f.steps = nil
	for tick := fcStart + 2; tick < 1100; tick++ {
		f.says(e, tick, fcPlace{10 + int32(tick-1001), 0}, fcPace{1, 0})
		f.confirmTick(tick)
		f.run(1)
	}
	assert.Zero(t, f.p.Stats().Rollbacks)
	assert.EqualValues(t, 10+f.time.Tick-1001, f.at(e).X)
}

// A mispredicted value is corrected at its tick, and every tick since is replayed from it.
//
// Proves: B2, T2
func TestAMismatchGoesBackToItsTickAndReplays(t *testing.T) {
	f := newForecast(t, nil)
	f.run(1)
	f.confirmTick(1001)
	e := f.spawns("a", 1001, fcPlace{10, 0}, fcPace{1, 0})
	f.run(4)
	assert.Equal(t, fcPlace{14, 0}, *f.at(e), "at 1005")
	f.says(e, 1003, fcPlace{20, 5}, fcPace{2, 0})
	f.confirmTick(1003)
	assert.Equal(t, []string{"restore 1003", "tick 1004", "tick 1005"}, f.check())
	assert.Equal(t, fcPlace{24, 5}, *f.at(e), "from 20 at 1003 by 2 in each tick")
	assert.EqualValues(t, 1, f.p.Stats().Rollbacks[ByMismatch])
	assert.EqualValues(t, 2, f.p.Stats().Ticks)
	assert.Empty(t, f.check(), "it is right now")
}
