package predict

import (
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
)

// jump sets the clock by some ticks, as it happens between two frames.
func (f *forecast) jump(ticks int) {
	from := f.time.Tick
	f.time.Tick += entangle.Tick(ticks)
	f.p.Jumped(from)
}

// Ticks that the clock jumps over are simulated, so that the prediction is at the server's future
// state. That counts as no rollback.
//
// Proves: S3
func TestTicksThatTheClockWentPastAreComputed(t *testing.T) {
	f, e := steady(t, nil)
	f.jump(3)
	assert.Equal(t, []string{"tick 1006", "tick 1007", "tick 1008"}, f.check())
	assert.EqualValues(t, 17, f.at(e).X)
	assert.EqualValues(t, 3, f.p.Stats().CaughtUp)
	assert.Zero(t, f.p.Stats().Ticks)
	f.says(e, 1006, fcPlace{15, 0}, fcPace{1, 0})
	f.confirmTick(1006)
	assert.Empty(t, f.check(), "there are histories of them")

	f.says(e, 1007, fcPlace{60, 0}, fcPace{1, 0})
	f.confirmTick(1007)
	f.jump(2)
	assert.Equal(t, []string{"restore 1007", "tick 1008", "tick 1009", "tick 1010"}, f.check())
	assert.EqualValues(t, 63, f.at(e).X)
	assert.EqualValues(t, 1, f.p.Stats().Ticks, "1008 is replayed, the two after it were never due")
	assert.EqualValues(t, 5, f.p.Stats().CaughtUp)
}

// When the clock is set back, the world is restored to that tick.
//
// Proves: S3
func TestAClockThatIsSetBackFindsWhatWas(t *testing.T) {
	f, e := steady(t, nil)
	f.run(2)
	f.jump(-3)
	assert.Equal(t, []string{"restore 1004"}, f.check())
	assert.EqualValues(t, 13, f.at(e).X)
	assert.EqualValues(t, 1004, f.time.Tick)
	f.run(1)
	assert.Zero(t, f.p.Stats().Rollbacks)
}

// If the clock is set back to before a tick of which the server's state has arrived, the world is as it was predicted
// for the new present, and that state is inserted when its tick runs again.
//
// Proves: S3
func TestAClockThatIsSetBackBeforeConfirmedState(t *testing.T) {
	f, e := steady(t, nil)
	f.says(e, 1005, fcPlace{14, 0}, fcPace{1, 0})
	f.confirmTick(1005)
	f.check()
	f.run(2)
	f.jump(-4)
	assert.Equal(t, []string{"restore 1003"}, f.check())
	assert.EqualValues(t, 12, f.at(e).X)
	f.run(1)
	f.at(e).X = 50 // whatever the tick computes
	f.run(1)
	assert.EqualValues(t, 14, f.at(e).X)
	f.run(1)
	assert.EqualValues(t, 15, f.at(e).X)
	assert.Zero(t, f.p.Stats().Rollbacks)
}

// If the clock is set back, and then forward to before a tick of which the server's state has arrived, or to that tick, the
// ticks in between are simulated: nothing says what was at the new present.
//
// Proves: S3
func TestAClockThatIsSetBackAndForward(t *testing.T) {
	f, e := steady(t, nil)
	f.says(e, 1005, fcPlace{14, 0}, fcPace{1, 0})
	f.confirmTick(1005)
	f.check()
	f.jump(-2)
	f.check()
	f.jump(-1)
	f.check()
	f.jump(2)
	assert.Equal(t, []string{"tick 1003", "tick 1004"}, f.check())
	assert.EqualValues(t, 13, f.at(e).X)
	f.at(e).X = 40
	f.jump(1)
	assert.Equal(t, []string{"tick 1005", "insert 1005 a"}, f.check())
	assert.EqualValues(t, 14, f.at(e).X)
	f.run(1)
	assert.EqualValues(t, 15, f.at(e).X)
	assert.Zero(t, f.p.Stats().Rollbacks)
}

// After a jump beyond the histories they restart at the confirmed tick, once that is near.
//
// Proves: B11, S3
func TestAJumpBeyondTheHistoriesRestarts(t *testing.T) {
	f, e := steady(t, nil)
	f.jump(100)
	f.says(e, 1095, fcPlace{500, 0}, fcPace{1, 0})
	f.confirmTick(1095)
	steps := f.check()
	assert.Equal(t, "restore 1095", steps[0])
	assert.Len(t, steps, 1+10)
	assert.EqualValues(t, 510, f.at(e).X)
	assert.EqualValues(t, 1, f.p.Stats().Blind)
	assert.EqualValues(t, 10, f.p.Stats().CaughtUp)
	f.says(e, 1097, fcPlace{502, 0}, fcPace{1, 0})
	f.confirmTick(1097)
	assert.Empty(t, f.check(), "there are histories again")
}

// When histories restart, the state of a later tick does not say what an entity was at the confirmed one. The entity is
// absent until that tick, and moves on from there. State of a future tick takes nothing away.
//
// Proves: B11
func TestARestartWithTheStateOfALaterTick(t *testing.T) {
	f, e := steady(t, nil)
	b := f.spawns("b", 1002, fcPlace{7, 0}, fcPace{})
	moved := map[entangle.Tick]int32{}
	f.main(func() {
		if f.world.Has(e, f.place) {
			moved[f.time.Tick] = f.at(e).X
		}
	})
	f.run(2)
	clear(moved)
	f.p.entities.store.Clear() // nothing is held of 1003
	f.says(e, 1005, fcPlace{50, 0}, fcPace{1, 0})
	f.says(b, 1008, fcPlace{7, 0}, fcPace{})
	f.confirmTick(1003)
	f.check()
	assert.Equal(t, map[entangle.Tick]int32{1006: 51, 1007: 52}, moved)
	assert.EqualValues(t, 7, f.at(b).X)
	assert.Equal(t, "place pace ", f.has(b))
	for _, tick := range []entangle.Tick{1004, 1003} {
		clear(moved)
		f.p.Request(tick)
		f.check()
		assert.Equal(t, map[entangle.Tick]int32{1006: 51, 1007: 52}, moved, "the new histories say so, too")
	}
}

// An entity that is excluded from rollback stays as it is when histories restart, also if the state of a later tick has
// arrived.
//
// Proves: B11
func TestARestartLeavesWhatIsExcluded(t *testing.T) {
	f, e := steady(t, nil)
	f.world.Add(e, ecs.ComponentID[components.NoRollback](f.world))
	f.run(2)
	f.p.entities.store.Clear()
	f.says(e, 1005, fcPlace{50, 0}, fcPace{1, 0})
	f.confirmTick(1003)
	in := 0
	f.main(func() {
		if f.world.Has(e, f.place) {
			in++
		}
	})
	f.check()
	assert.Equal(t, 4, in, "it is there in each replayed tick")
}

// When histories restart after a clock was set forward, ticks that had run are replayed, and the
// skipped ones run for the first time; also after two jumps, or one back.
//
// Proves: S3
func TestARestartAfterAJumpRepeatsTicksThatHaveRun(t *testing.T) {
	for name, c := range map[string]struct {
		jumps []int
		again []entangle.Tick
	}{
		"none":              {nil, []entangle.Tick{1004, 1005}},
		"forward":           {[]int{3}, []entangle.Tick{1004, 1005}},
		"forward and back":  {[]int{8, -5}, []entangle.Tick{1004, 1005}},
		"back":              {[]int{-1}, []entangle.Tick{1004}},
		"back and forward":  {[]int{-4, 8}, []entangle.Tick{1004, 1005}},
		"to before its end": {[]int{-2}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f, _ := steady(t, nil)
			var again, first []entangle.Tick
			for tick := entangle.Tick(1000); tick < 1020; tick++ {
				f.in(tick, func() {
					if f.time.Replaying {
						again = append(again, tick)
					} else {
						first = append(first, tick)
					}
				})
			}
			f.p.entities.store.Clear() // nothing is held of 1003
			f.confirmTick(1003)
			for _, by := range c.jumps {
				f.jump(by)
			}
			f.check()
			assert.Equal(t, c.again, again)
			assert.Len(t, first, max(0, int(f.time.Tick)-1005))
		})
	}
}

// Confirmed state of a tick that is too old for a rollback is written over the present.
//
// Proves: B11
func TestWhatIsTooOldIsTakenForThePresent(t *testing.T) {
	f, e := steady(t, nil)
	f.run(30)
	f.says(e, 1010, fcPlace{300, 0}, fcPace{1, 0})
	f.confirmTick(1010)
	assert.Equal(t, []string{"insert 1035 a", "resync"}, f.check())
	assert.EqualValues(t, 300, f.at(e).X)
	assert.EqualValues(t, 1, f.p.Stats().Resyncs)
	assert.Empty(t, f.check())
	f.run(1)
	f.says(e, 1030, fcPlace{320, 0}, fcPace{1, 0})
	f.confirmTick(1030)
	steps := f.check()
	assert.Equal(t, "restore 1030", steps[0], "near enough to restart from, though nothing of it was kept")
	assert.Len(t, steps, 1+6)
	assert.EqualValues(t, 326, f.at(e).X)
}

// While the server is silent, the prediction continues without limit.
//
// Proves: B11
func TestASilentServerStopsNothing(t *testing.T) {
	f, e := steady(t, nil)
	f.run(300)
	assert.EqualValues(t, 314, f.at(e).X)
	assert.Zero(t, f.p.Stats().Resyncs)
	f.says(e, 1300, fcPlace{1000, 0}, fcPace{1, 0})
	f.confirmTick(1300)
	assert.Equal(t, "restore 1300", f.check()[0])
	assert.EqualValues(t, 1005, f.at(e).X)
}

// A client survives a system that panics in a replay: the results so far are discarded, and in the
// next frame histories restart at the confirmed tick, also if the clock is set meanwhile.
func TestAPanicInAReplay(t *testing.T) {
	for name, jump := range map[string]int{"": 0, "and a jump": 1} {
		t.Run(name, func(t *testing.T) {
			f, e := steady(t, nil)
			bad := true
			f.in(1004, func() {
				if bad {
					panic("a bug of the game")
				}
			})
			f.says(e, 1003, fcPlace{100, 0}, fcPace{1, 0})
			f.confirmTick(1003)
			assert.PanicsWithValue(t, "a bug of the game", func() { f.check() })
			assert.EqualValues(t, 1005, f.time.Tick)
			bad = false
			if jump > 0 {
				f.jump(jump)
			}
			assert.Equal(t, []string{"restore 1003", "tick 1004", "tick 1005", "tick 1006"}[:3+jump], f.check())
			assert.EqualValues(t, 102+jump, f.at(e).X)
			assert.Empty(t, f.check())
		})
	}
}

// A client survives a system that panics in a tick, too.
func TestAPanicInATick(t *testing.T) {
	f, e := steady(t, nil)
	bad := true
	f.in(1006, func() {
		if bad {
			panic("a bug of the game")
		}
	})
	assert.Panics(t, func() { f.run(1) })
	bad = false
	f.says(e, 1004, fcPlace{13, 0}, fcPace{1, 0})
	f.confirmTick(1004)
	assert.Equal(t, []string{"restore 1004", "tick 1005", "tick 1006"}, f.check())
	assert.EqualValues(t, 15, f.at(e).X, "once in 1006")
}

// The oldest of several requested ticks decides, which corrects all of them. If the newest decides,
// older ticks are not replayed: here the place of b in 1003 stays wrong.
//
// Proves: T1
func TestOfSeveralTicksTheOldestDecides(t *testing.T) {
	for name, newest := range map[string]bool{"oldest": false, "newest": true} {
		t.Run(name, func(t *testing.T) {
			f, a := steady(t, func(c *PredictionConfig) { c.Newest = newest })
			b := f.spawns("b", 1001, fcPlace{0, 0}, fcPace{})
			f.check()
			f.in(1004, func() { f.at(b).X = f.at(a).X })
			f.says(a, 1003, fcPlace{100, 0}, fcPace{1, 0})
			f.confirmTick(1003)
			f.p.Request(1004)
			steps := f.check()
			if newest {
				assert.Equal(t, []string{"restore 1004", "tick 1005"}, steps)
				assert.EqualValues(t, 14, f.at(a).X, "what the server said of 1003 has no place after it")
			} else {
				assert.Equal(t, []string{"restore 1003", "tick 1004", "tick 1005"}, steps)
				assert.EqualValues(t, 101, f.at(b).X)
				assert.EqualValues(t, 102, f.at(a).X)
			}
		})
	}
}

// A rollback that is requested within a replay happens in the next frame. A request for a future tick
// is ignored, and one for a tick that is no longer kept counts for the oldest kept one.
//
// Proves: B28, T1
func TestRequestsOfTheGame(t *testing.T) {
	f, _ := steady(t, nil)
	again := true
	f.in(1005, func() {
		if again {
			again = false
			f.p.Request(1002)
		}
	})
	f.p.Request(1003)
	assert.Equal(t, []string{"restore 1003", "tick 1004", "tick 1005"}, f.check())
	assert.Equal(t, []string{"restore 1002", "tick 1003", "tick 1004", "tick 1005"}, f.check())
	assert.Empty(t, f.check())
	f.p.Request(1005)
	f.p.Request(1009)
	assert.Empty(t, f.check())
	f.p.Request(10)
	assert.Equal(t, "restore 989", f.check()[0], "before the first tick, when there was nothing")
	assert.EqualValues(t, 3, f.p.Stats().Rollbacks[ByRequest])
}

// A tick before the confirmed one can be requested: confirmed state of later ticks is inserted when
// the replay reaches them.
func TestARequestBeforeTheConfirmedTick(t *testing.T) {
	f, a := steady(t, nil)
	f.says(a, 1003, fcPlace{12, 0}, fcPace{1, 0})
	f.confirmTick(1004)
	f.says(a, 1004, fcPlace{13, 0}, fcPace{1, 0})
	f.check()
	f.p.Request(1002)
	assert.Equal(t, []string{"restore 1002", "tick 1003", "tick 1004", "insert 1004 a", "tick 1005"}, f.check())
}
