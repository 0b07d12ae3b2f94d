package plugin

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/systems"
)

// The sets run in a frame in the order of their constants.
//
// Proves: O2
func TestSystemsRunInTheOrderOfTheirSets(t *testing.T) {
	w := ecs.NewWorld()
	var log []string
	schedule := systems.NewSchedule()
	for set := setCount; set > 0; set-- { // in the reverse order
		schedule.Add(tick.Stage((set - 1).stage()), Func(func(*ecs.World) func() {
			return func() { log = append(log, (set - 1).String()) }
		}))
	}
	schedule.Initialize(&w)
	schedule.Frame(&w, 2)
	assert.Equal(t, []string{
		"AfterReceive",
		"FixedInput", "FixedMain", "FixedInput", "FixedMain",
		"BeforeSend", "AfterSend",
	}, log)
}

func TestUnknownSetIsRefusedWithTheSets(t *testing.T) {
	assert.PanicsWithValue(t, "plugin: Set(77) is no set of systems; use AfterReceive, FixedInput, FixedMain, BeforeSend or AfterSend", func() { Set(77).stage() })
}

func TestFuncIsASystem(t *testing.T) {
	w := ecs.NewWorld()
	var log []string
	sys := Func(func(got *ecs.World) func() {
		assert.Same(t, &w, got)
		log = append(log, "initialize")
		return func() { log = append(log, "update") }
	})
	sys.Initialize(&w)
	sys.Update(&w)
	sys.Update(&w)
	sys.Finalize(&w)
	sys.Update(&w)
	assert.Equal(t, []string{"initialize", "update", "update"}, log)
}

func TestFuncMayOnlySetUp(t *testing.T) {
	w := ecs.NewWorld()
	sys := Func(func(*ecs.World) func() { return nil })
	sys.Initialize(&w)
	assert.NotPanics(t, func() { sys.Update(&w) })
	assert.Panics(t, func() { Func(nil) })
}
