package predict

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A misprediction is reported with the predicted and the confirmed value.
func TestRollbacksAreExplainedAsTheyHappen(t *testing.T) {
	var why *Why
	now := time.Time{}
	clock := func() time.Time {
		now = now.Add(time.Millisecond)
		return now
	}
	f := newForecast(t, func(c *PredictionConfig) {
		why = NewWhy(WhyConfig{World: c.World, Protocol: c.Protocol, Clock: clock, Keep: 8, Ticks: 8})
		c.Why = why
	})
	f.run(1)
	f.confirmTick(1001)
	a := f.spawns("a", 1001, fcPlace{10, 0}, fcPace{1, 0})
	b := f.spawns("b", 1001, fcPlace{10, 0}, fcPace{1, 0})
	f.run(4)
	f.says(a, 1003, fcPlace{12, 5}, fcPace{1, 0})
	f.says(b, 1003, fcPlace{12, 6}, fcPace{1, 0})
	f.confirmTick(1003)
	f.check()
	f.says(a, 1004, fcPlace{13, 5}, fcPace{1, 0})
	f.despawns(b, 1004)
	f.confirmTick(1004)
	f.check()
	f.run(1)
	f.says(a, 1005, fcPlace{14, 5}, fcPace{})
	f.p.Store().Confirmed(f.p.entities.slotOf(a)).Mask.Clear(f.col(f.pace))
	f.p.Confirmed(f.p.entities.slotOf(a))
	f.confirmTick(1005)
	f.check()
	f.p.Request(1005)
	f.check()

	var lines []string
	for _, r := range why.Reports() {
		lines = append(lines, r.String())
	}
	assert.Equal(t, []string{
		fmt.Sprintf("tick 1003, 2 back, 1ms: fcPlace.Y of entity %v was 0, is 5; 1 more entity", a),
		fmt.Sprintf("tick 1004, 1 back, 1ms: the server despawned entity %v", b),
		fmt.Sprintf("tick 1005, 1 back, 1ms: fcPace of entity %v was {X:1 Y:0}, is none", a),
		"tick 1005, 1 back, 1ms: the game asked for it",
	}, lines)
}
