package systems

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/world/tick"
)

// documented has the names of the stages, in the documented order of a frame.
var documented = []string{
	"Restore",
	"Receive",
	"Interpolate",
	"AfterReceive",
	"Prediction.CheckRollback",
	"Prediction.Rollback",
	"FixedUpdate.TickUpdate",
	"FixedInput",
	"FixedUpdate.WriteInputEvent",
	"FixedUpdate.Assemble",
	"FixedMain",
	"FixedUpdate.ClearInputEvent",
	"FixedUpdate.SetPreSpawnedHash",
	"FixedUpdate.Round",
	"FixedUpdate.SpawnHistory",
	"FixedUpdate.UpdateHistory",
	"BeforeSend",
	"Send.EntityUpdates",
	"Send.ComponentUpdates",
	"Send.Packets",
	"Sync",
	"Visual",
	"AfterSend",
}

// These are the indexes in documented of the first stage of a tick, and of the first stage after a
// tick.
const firstOfTick, firstAfterTick = 6, 16

// Proves: O1
func TestStagesAreListedInTheDocumentedOrder(t *testing.T) {
	var stages []string
	for stage := range stageCount {
		stages = append(stages, stage.String())
	}
	assert.Equal(t, documented, stages)
	assert.Equal(t, "Stage(200)", Stage(200).String())
}

// recording is a system that records the calls of its methods.
type recording struct {
	name string
	log  *[]string
}

func (r recording) Initialize(*ecs.World) { *r.log = append(*r.log, "init "+r.name) }
func (r recording) Update(*ecs.World)     { *r.log = append(*r.log, r.name) }
func (r recording) Finalize(*ecs.World)   { *r.log = append(*r.log, "final "+r.name) }

// recorded returns a schedule in which each stage has work of the engine and two
// systems of the game, all of which write their names into the log.
func recorded(log *[]string) *tick.Schedule {
	s := NewSchedule()
	for stage := range stageCount {
		s.Add(tick.Stage(stage), recording{stage.String() + " game 1", log})
		s.Add(tick.Stage(stage), recording{stage.String() + " game 2", log})
		s.Bind(tick.Stage(stage), func() { *log = append(*log, stage.String()) })
	}
	return s
}

// stagesOf returns the stages that a frame with the given number of ticks has to run, in order. It
// uses the documented list only.
func stagesOf(steps int) []string {
	var want []string
	add := func(names []string) {
		for _, name := range names {
			want = append(want, name, name+" game 1", name+" game 2")
		}
	}
	add(documented[:firstOfTick])
	for range steps {
		add(documented[firstOfTick:firstAfterTick])
	}
	add(documented[firstAfterTick:])
	return want
}

// All packets are read before the first tick of a frame and all are sent after
// the last; in each stage the engine's work comes before the game's, and the
// game's systems run in the order in which they were added.
//
// Proves: O1, O2
func TestFrameRunsStagesInOrder(t *testing.T) {
	w := ecs.NewWorld()
	for _, steps := range []int{0, 1, 3, tick.MaxSteps} {
		var log []string
		s := recorded(&log)
		s.Initialize(&w)
		log = nil
		s.Frame(&w, steps)
		assert.Equal(t, stagesOf(steps), log, "%d steps", steps)
	}
}

// A replayed tick runs all stages of a tick except FixedInput.
//
// Proves: O1
func TestReplayRunsATickWithoutFixedInput(t *testing.T) {
	w := ecs.NewWorld()
	var log, want []string
	s := recorded(&log)
	s.Initialize(&w)
	log = nil
	s.Replay(&w)
	for _, name := range documented[firstOfTick:firstAfterTick] {
		if name != FixedInput.String() {
			want = append(want, name, name+" game 1", name+" game 2")
		}
	}
	assert.Equal(t, want, log)
}
