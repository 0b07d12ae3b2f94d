package predict

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// planned is a world at tick 1006 that records the plan of every frame. Its one entity is predicted
// from tick 1002 on, correctly up to the confirmed tick 1003.
func planned(t *testing.T) (*forecast, *[]string) {
	f := newForecast(t, nil)
	f.run(2)
	f.confirmTick(1002)
	e := f.spawns("a", 1002, fcPlace{10, 10}, fcPace{1, 2})
	f.run(4)
	f.says(e, 1003, fcPlace{11, 12}, fcPace{1, 2})
	f.confirmTick(1003)
	f.check()
	var plan []string
	f.onPlan = func(step string) { plan = append(plan, step) }
	f.first = e
	return f, &plan
}

// Each case of the table of docs/STATES.md, "Prediction in a frame", is a plan of steps.
//
// Proves: B2, B9, B10, B11, T3
func TestThePlanOfEachCase(t *testing.T) {
	late := []string{"revive", "remove"}
	cases := map[string]struct {
		happens func(f *forecast)
		plan    []string
	}{
		"nothing arrives": {func(*forecast) {}, nil},
		"as predicted": {func(f *forecast) {
			f.says(f.first, 1004, fcPlace{12, 14}, fcPace{1, 2})
			f.confirmTick(1004)
		}, nil},
		"mispredicted at the confirmed tick": {func(f *forecast) {
			f.says(f.first, 1004, fcPlace{0, 0}, fcPace{1, 2})
			f.confirmTick(1004)
		}, []string{
			"save", "restore 1004", "tick 1005", "insert 1005 due", "tick 1006", "insert 1006 due", "put back", "report",
		}},
		"mispredicted at a later tick": {func(f *forecast) {
			f.says(f.first, 1005, fcPlace{0, 0}, fcPace{1, 2})
			f.confirmTick(1004)
		}, []string{"save", "restore 1005", "tick 1006", "insert 1006 due", "put back", "report"}},
		"the present differs": {func(f *forecast) {
			f.says(f.first, 1006, fcPlace{0, 0}, fcPace{1, 2})
			f.confirmTick(1004)
		}, []string{"insert 1006 differing", "report", "refresh"}},
		"a tick to come": {func(f *forecast) {
			f.says(f.first, 1008, fcPlace{0, 0}, fcPace{1, 2})
			f.confirmTick(1004)
		}, nil},
		"the game requests a tick": {func(f *forecast) { f.p.Request(1004) }, []string{
			"save", "restore 1004", "tick 1005", "insert 1005 due", "tick 1006", "insert 1006 due", "put back", "report",
		}},
		"requested before the confirmed tick": {func(f *forecast) { f.p.Request(1002) }, []string{
			"save", "restore 1002", "tick 1003", "insert 1003 all known", "tick 1004", "insert 1004 due",
			"tick 1005", "insert 1005 due", "tick 1006", "insert 1006 due", "put back", "report",
		}},
		"the clock is set forward": {func(f *forecast) { f.jump(2) }, []string{
			"save", "tick 1007 for the first time", "insert 1007 due", "tick 1008 for the first time", "insert 1008 due", "put back",
		}},
		"the clock is set back": {func(f *forecast) { f.jump(-2) }, []string{"save", "restore 1004", "put back", "refresh"}},
		"the clock is set further than histories reach": {func(f *forecast) {
			f.jump(94)
			f.confirmTick(1098)
		}, []string{
			"save", "restart 1098", "tick 1099 for the first time", "insert 1099 due",
			"tick 1100 for the first time", "insert 1100 due", "put back", "refresh",
		}},
		"the confirmed state is too old": {func(f *forecast) {
			f.run(30)
			f.says(f.first, 1010, fcPlace{0, 0}, fcPace{1, 2})
			f.confirmTick(1010)
		}, []string{"take over 1036", "refresh"}},
		"the clock is not synced": {func(f *forecast) {
			f.synced = false
			f.says(f.first, 1004, fcPlace{0, 0}, fcPace{1, 2})
		}, []string{"take over 1006", "refresh"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f, plan := planned(t)
			c.happens(f)
			*plan = nil
			f.check()
			assert.Equal(t, append(c.plan, late...), *plan)
			assert.Equal(t, f.time.Tick, f.p.progress.worldTick, "the plan leads to the present")
		})
	}
}
