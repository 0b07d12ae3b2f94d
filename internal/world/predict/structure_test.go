package predict

import (
	"slices"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
)

// steady is a world with one entity, named a, with confirmed state as of 1001, which is the
// confirmed tick. The world is now at the end of 1005, and predicted correctly.
func steady(t *testing.T, with func(*PredictionConfig)) (*forecast, ecs.Entity) {
	f := newForecast(t, with)
	f.run(1)
	f.confirmTick(1001)
	e := f.spawns("a", 1001, fcPlace{10, 0}, fcPace{1, 0})
	f.run(4)
	f.steps = nil
	return f, e
}

// in makes the game call a function in one tick, each time that the tick runs.
func (f *forecast) in(tick entangle.Tick, do func()) {
	f.main(func() {
		if f.time.Tick == tick {
			do()
		}
	})
}

// has returns the names of the components that an entity has.
func (f *forecast) has(e ecs.Entity) (names string) {
	for _, c := range []struct {
		name string
		id   ecs.ID
	}{{"place ", f.place}, {"pace ", f.pace}, {"tint ", f.tint}, {"kit ", f.kit}, {"fuel ", f.fuel}} {
		if f.world.Has(e, c.id) {
			names += c.name
		}
	}
	return names
}

// A component that only the client has removed returns with its value.
//
// Proves: B3
func TestWhatOnlyThePredictionRemovedComesBack(t *testing.T) {
	f := newForecast(t, nil)
	f.run(1)
	f.confirmTick(1001)
	e := f.spawns("a", 1001, fcPlace{10, 0}, fcPace{1, 0})
	wrong := true
	f.in(1003, func() {
		if wrong {
			f.world.Remove(e, f.pace)
		}
	})
	f.run(4)
	assert.Equal(t, "place ", f.has(e))
	wrong = false
	f.confirmTick(1003)
	assert.Equal(t, []string{"restore 1003", "tick 1004", "tick 1005"}, f.check(), "the server said nothing of it: it is as at 1001")
	assert.Equal(t, "place pace ", f.has(e))
	assert.Equal(t, fcPace{1, 0}, *f.moves(e))
	assert.Equal(t, fcPlace{12, 0}, *f.at(e), "the server's 10 at 1003, and two ticks")
	assert.EqualValues(t, 1, f.p.Stats().Rollbacks[ByStructure])
	f.confirmTick(1005)
	assert.NotEmpty(t, f.check(), "at 1005 it moved on, and the server still said nothing")
}

// A component that the server removed is removed as of the tick of the removal.
//
// Proves: B4
func TestWhatTheServerRemovedIsRemoved(t *testing.T) {
	f, e := steady(t, nil)
	f.says(e, 1003, fcPlace{12, 0}, fcPace{})
	word := f.p.Store().Confirmed(f.p.entities.slotOf(e))
	word.Mask.Clear(f.col(f.pace))
	f.confirmTick(1003)
	assert.Equal(t, []string{"restore 1003", "tick 1004", "tick 1005"}, f.check())
	assert.Equal(t, "place ", f.has(e))
	assert.Equal(t, fcPlace{12, 0}, *f.at(e), "it stands since 1003")
	assert.Empty(t, f.check())
}

// A component that only the prediction added is removed.
//
// Proves: B5
func TestWhatOnlyThePredictionAddedIsRemoved(t *testing.T) {
	f := newForecast(t, nil)
	f.run(1)
	f.confirmTick(1001)
	e := f.spawns("a", 1001, fcPlace{10, 0}, fcPace{})
	f.says(e, 1001, fcPlace{10, 0}, fcPace{})
	word := f.p.Store().Confirmed(f.p.entities.slotOf(e))
	word.Mask.Clear(f.col(f.pace))
	f.world.Remove(e, f.pace)
	wrong := true
	f.in(1003, func() {
		if wrong {
			f.world.Add(e, f.pace)
			f.moves(e).X = 3
		}
	})
	f.run(4)
	assert.Equal(t, "place pace ", f.has(e))
	wrong = false
	f.confirmTick(1004)
	assert.Equal(t, []string{"restore 1004", "tick 1005"}, f.check())
	assert.Equal(t, "place ", f.has(e))
	assert.Equal(t, fcPlace{10, 0}, *f.at(e))
}

// A component that the server added without a prediction is added as of its tick.
//
// Proves: B6
func TestWhatTheServerAddedIsAdded(t *testing.T) {
	f := newForecast(t, nil)
	f.run(1)
	f.confirmTick(1001)
	e := f.spawns("a", 1001, fcPlace{10, 0}, fcPace{})
	word := f.p.Store().Confirmed(f.p.entities.slotOf(e))
	word.Mask.Clear(f.col(f.pace))
	f.world.Remove(e, f.pace)
	f.run(4)
	f.says(e, 1002, fcPlace{10, 0}, fcPace{3, 0})
	f.confirmTick(1002)
	assert.Equal(t, []string{"restore 1002", "tick 1003", "tick 1004", "tick 1005"}, f.check())
	assert.Equal(t, "place pace ", f.has(e))
	assert.Equal(t, fcPlace{19, 0}, *f.at(e), "three ticks since")
}

// A misprediction is corrected even if no confirmed state of the entity arrives.
//
// Proves: B7
func TestWhatTheServerLeftAloneIsPutRight(t *testing.T) {
	f := newForecast(t, nil)
	f.run(1)
	f.confirmTick(1001)
	e := f.spawns("a", 1001, fcPlace{10, 0}, fcPace{})
	wrong := true
	f.in(1002, func() {
		if wrong {
			f.at(e).X = 99 // a push that did not happen
		}
	})
	f.run(4)
	assert.EqualValues(t, 99, f.at(e).X)
	wrong = false
	f.confirmTick(1003)
	assert.Equal(t, []string{"restore 1003", "tick 1004", "tick 1005"}, f.check())
	assert.EqualValues(t, 10, f.at(e).X)
	assert.EqualValues(t, 1, f.p.Stats().Rollbacks[ByMismatch])
}

// In a replay the newest confirmed state of each entity is inserted at its own tick.
//
// Proves: B8, B27
func TestNewerWordsAreKeptInAReplay(t *testing.T) {
	f := newForecast(t, nil)
	f.run(1)
	f.confirmTick(1001)
	a := f.spawns("a", 1001, fcPlace{10, 0}, fcPace{1, 0})
	b := f.spawns("b", 1001, fcPlace{50, 0}, fcPace{1, 0})
	f.run(5)
	f.says(a, 1002, fcPlace{20, 0}, fcPace{1, 0})
	f.says(b, 1004, fcPlace{70, 0}, fcPace{2, 0})
	f.confirmTick(1002)
	assert.Equal(t, []string{
		"restore 1002", "tick 1003", "tick 1004", "insert 1004 b", "tick 1005", "tick 1006",
	}, f.check())
	assert.Equal(t, fcPlace{24, 0}, *f.at(a), "from 1002")
	assert.Equal(t, fcPlace{74, 0}, *f.at(b), "from 1004")
	assert.Empty(t, f.check())
	f.confirmTick(1006)
	f.says(a, 1006, fcPlace{24, 0}, fcPace{1, 0})
	f.says(b, 1006, fcPlace{74, 0}, fcPace{2, 0})
	assert.Empty(t, f.check(), "what was put in is history")
}

// If nothing is mispredicted at the confirmed tick, and two entities are at later ticks, in
// whatever order their confirmed state arrived, the rollback is to the older of the two.
//
// Proves: B9
func TestTheOldestOfSeveralConfirmedTicksIsGoneBackTo(t *testing.T) {
	for _, olderFirst := range []bool{false, true} {
		f, a := steady(t, nil)
		b := f.spawns("b", 1001, fcPlace{50, 0}, fcPace{1, 0})
		f.confirmTick(1002)
		f.check()
		says := []func(){
			func() { f.says(a, 1004, fcPlace{40, 0}, fcPace{1, 0}) },
			func() { f.says(b, 1003, fcPlace{70, 0}, fcPace{1, 0}) },
		}
		if olderFirst {
			slices.Reverse(says)
		}
		for _, say := range says {
			say()
		}
		assert.Equal(t, []string{"restore 1003", "tick 1004", "insert 1004 a", "tick 1005"}, f.check())
		assert.Equal(t, fcPlace{41, 0}, *f.at(a))
		assert.Equal(t, fcPlace{72, 0}, *f.at(b))
	}
}

// All ticks that arrive in one frame are compared: a misprediction at the newest alone is found at that
// tick, and one at the confirmed tick alone at the confirmed tick.
//
// Proves: B9
func TestSeveralConfirmedTicksInOneFrame(t *testing.T) {
	f, a := steady(t, nil)
	f.says(a, 1002, fcPlace{11, 0}, fcPace{1, 0})
	f.says(a, 1004, fcPlace{13, 7}, fcPace{1, 0})
	f.confirmTick(1002)
	assert.Equal(t, []string{"restore 1004", "tick 1005"}, f.check(), "right at 1002, wrong at 1004")
	assert.Equal(t, fcPlace{14, 7}, *f.at(a))
}

// If one entity is mispredicted at the confirmed tick and another at a later tick that arrived in
// the same frame, both are corrected: the rollback is to the older tick, and the later confirmed
// state is inserted at its own.
//
// Proves: B9
func TestConfirmedTicksOfSeveralEntitiesInOneFrame(t *testing.T) {
	f, a := steady(t, nil)
	b := f.spawns("b", 1001, fcPlace{50, 0}, fcPace{1, 0})
	f.check()
	f.says(b, 1004, fcPlace{80, 0}, fcPace{1, 0})
	f.says(a, 1002, fcPlace{20, 0}, fcPace{1, 0})
	f.confirmTick(1002)
	assert.Equal(t, []string{
		"restore 1002", "tick 1003", "tick 1004", "insert 1004 b", "tick 1005",
	}, f.check())
	assert.Equal(t, fcPlace{23, 0}, *f.at(a))
	assert.Equal(t, fcPlace{81, 0}, *f.at(b))
	f.says(a, 1003, fcPlace{30, 0}, fcPace{1, 0})
	f.confirmTick(1003)
	f.says(a, 1004, fcPlace{40, 0}, fcPace{1, 0})
	f.confirmTick(1004)
	assert.Equal(t, []string{"restore 1004", "tick 1005"}, f.check(), "two of one entity: the newer holds")
	assert.Equal(t, fcPlace{41, 0}, *f.at(a))
}

// Confirmed state of the present tick is written there, and that of a future tick waits for it.
// Neither needs a replay, and confirmed state that equals the prediction changes nothing.
//
// Proves: B10, T3
func TestConfirmationsOfThePresentAndTheFuture(t *testing.T) {
	f, e := steady(t, nil)
	f.says(e, 1005, fcPlace{14, 9}, fcPace{1, 0})
	assert.Equal(t, []string{"insert 1005 a"}, f.check())
	assert.Equal(t, fcPlace{14, 9}, *f.at(e))

	f.says(e, 1005, fcPlace{14, 9}, fcPace{1, 0})
	assert.Empty(t, f.check(), "as it is")

	f.says(e, 1007, fcPlace{30, 9}, fcPace{1, 0})
	f.steps = nil
	f.run(1)
	assert.Equal(t, fcPlace{15, 9}, *f.at(e), "1006 is before it")
	f.run(2)
	assert.Equal(t, []string{"tick 1006", "tick 1007", "insert 1007 a", "tick 1008"}, f.steps)
	assert.Equal(t, fcPlace{31, 9}, *f.at(e))
	assert.Zero(t, f.p.Stats().Rollbacks)
	assert.EqualValues(t, 2, f.p.Stats().Inserted)
	f.confirmTick(1008)
	f.says(e, 1008, fcPlace{31, 9}, fcPace{1, 0})
	assert.Empty(t, f.check(), "it is in the histories")
}

// Confirmed state of the present tick is written for all entities that differ in a frame, whether in
// values or in components.
//
// Proves: B9, B10
func TestConfirmationsOfThePresentOfSeveralEntities(t *testing.T) {
	f, a := steady(t, nil)
	b, c := f.spawns("b", 1001, fcPlace{50, 0}, fcPace{1, 0}), f.spawns("c", 1001, fcPlace{90, 0}, fcPace{1, 0})
	f.check()
	f.run(1)
	f.world.Remove(b, f.pace)
	f.run(1)
	f.steps = nil
	f.says(a, 1007, fcPlace{16, 9}, fcPace{1, 0})
	f.says(b, 1007, fcPlace{56, 0}, fcPace{3, 0})
	f.says(c, 1007, fcPlace{96, 5}, fcPace{1, 0})
	assert.ElementsMatch(t, []string{"insert 1007 a", "insert 1007 b", "insert 1007 c"}, f.check())
	assert.Equal(t, fcPlace{16, 9}, *f.at(a))
	assert.Equal(t, fcPace{3, 0}, *f.moves(b))
	assert.Equal(t, fcPlace{96, 5}, *f.at(c))
	assert.Empty(t, f.check())
	assert.EqualValues(t, 3, f.p.Stats().Inserted)
}

// An entity that the server spawned some ticks ago exists in the present: it is inserted at its tick,
// and the ticks since are replayed.
//
// Proves: B26
func TestAnEntityAppearsAsOfNow(t *testing.T) {
	f, a := steady(t, nil)
	f.says(a, 1002, fcPlace{11, 0}, fcPace{1, 0})
	b := f.spawns("b", 1003, fcPlace{100, 0}, fcPace{5, 0})
	f.confirmTick(1002)
	assert.Equal(t, []string{"restore 1003", "tick 1004", "tick 1005"}, f.check())
	assert.Equal(t, fcPlace{110, 0}, *f.at(b))
	assert.EqualValues(t, 1, f.p.Stats().Rollbacks[BySpawn])

	c := f.spawns("c", 1004, fcPlace{0, 1}, fcPace{5, 0})
	f.says(a, 1003, fcPlace{12, 0}, fcPace{1, 0})
	f.says(b, 1003, fcPlace{200, 0}, fcPace{5, 0})
	f.confirmTick(1003)
	assert.Equal(t, []string{"restore 1003", "tick 1004", "insert 1004 c", "tick 1005"}, f.check(), "c is not there before 1004")
	assert.Equal(t, fcPlace{210, 0}, *f.at(b))
	assert.Equal(t, fcPlace{5, 1}, *f.at(c))
	assert.Empty(t, f.check())
}
