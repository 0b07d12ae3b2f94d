package predict

import (
	"math"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
)

// docks adds a relation between two entities to the confirmed state.
func (f *forecast) docks(e, at ecs.Entity) {
	word := f.p.Store().Confirmed(f.p.entities.slotOf(e))
	word.Mask.Set(f.col(f.dock))
	word.Target = columns.PackEntity(at)
	f.p.Confirmed(f.p.entities.slotOf(e))
}

// hang makes an entity the child of another.
func (f *forecast) hang(e, on ecs.Entity) {
	f.world.Relations().Exchange(e, []ecs.ID{f.child}, nil, f.child, on)
}

// Children that an entity had before it became the child of a predicted one roll back, too.
//
// Proves: B17
func TestWhatHangsOnAChildGoesBack(t *testing.T) {
	f, e := steady(t, nil)
	kid, grandkid, last := f.world.NewEntity(f.place), f.world.NewEntity(f.place), f.world.NewEntity(f.place)
	f.hang(last, grandkid)
	f.hang(grandkid, kid)
	f.run(2)
	assert.False(t, f.p.Predicts(grandkid))
	f.hang(kid, e)
	f.run(1)
	assert.True(t, f.p.Predicts(kid) && f.p.Predicts(grandkid) && f.p.Predicts(last))
}

// An entity that was excluded before it came to be predicted stays excluded, also if its prediction
// ends and begins in one frame.
//
// Proves: B18
func TestWhatIsExcludedBeforeItIsPredicted(t *testing.T) {
	f, _ := steady(t, nil)
	b := f.world.NewEntity(f.place, f.pace, ecs.ComponentID[components.NoRollback](f.world))
	f.run(1)
	f.world.Add(b, f.p.Marks()...)
	f.p.Track(b)
	f.says(b, 1006, fcPlace{90, 0}, fcPace{})
	assert.Empty(t, f.check())
	f.turnOff(b)
	f.world.Add(b, f.p.Marks()...)
	f.p.Track(b)
	f.says(b, 1006, fcPlace{90, 0}, fcPace{})
	assert.Empty(t, f.check())
	assert.Zero(t, f.at(b).X)
}

// A misprediction at the tick from which the clock has jumped is corrected before the skipped ticks
// run.
//
// Proves: S3
func TestAMismatchAtTheTickBeforeAJump(t *testing.T) {
	f, e := steady(t, nil)
	f.says(e, 1005, fcPlace{60, 0}, fcPace{1, 0})
	f.confirmTick(1005)
	f.jump(3)
	assert.Equal(t, []string{"restore 1005", "tick 1006", "tick 1007", "tick 1008"}, f.check())
	assert.EqualValues(t, 63, f.at(e).X)
}

// If the confirmed tick is the present, a resource that the server does not change is corrected
// there, and nothing is replayed.
//
// Proves: B15
func TestAResourceThatIsKnownAtThePresent(t *testing.T) {
	w := newTidal(t)
	w.says(w.time.Tick, fcTide{Level: 100})
	w.run(20)
	w.tide().Level = 7
	for range 20 {
		w.run(1)
		w.confirmedAt(w.time.Tick)
	}
	assert.Equal(t, fcTide{Level: 100}, *w.tide())
	assert.Zero(t, w.p.stats.Blind)
	assert.True(t, w.p.entities.store.Holds(w.time.Tick))
}

// A resource rolls back across ticks that wrap around, too.
//
// Proves: B15
func TestAResourceGoesBackOverTheWrap(t *testing.T) {
	w := newTidal(t)
	w.p.Jumped(w.time.Tick)
	w.time.Tick = math.MaxUint32 - 20
	w.check()
	w.says(w.time.Tick, fcTide{Level: 100, Rate: 1})
	for w.time.Tick != 3 {
		w.run(1)
	}
	level := w.tide().Level
	for back := entangle.Tick(1); back <= 16; back++ {
		w.p.Request(w.time.Tick - back)
		w.check()
		assert.Equal(t, level, w.tide().Level, "from %d ticks ago", back)
	}
}

// An entity has one relation at most: a relation that the server adds replaces the one that the game set.
//
// Proves: B6
func TestARelationOfTheGameGivesWay(t *testing.T) {
	f, e := steady(t, nil)
	b := f.spawns("b", 1001, fcPlace{}, fcPace{})
	f.world.Relations().Exchange(e, []ecs.ID{f.leash}, nil, f.leash, b)
	f.check()
	f.says(e, 1004, fcPlace{13, 0}, fcPace{1, 0})
	f.docks(e, b)
	f.confirmTick(1004)
	assert.NotEmpty(t, f.check())
	assert.Equal(t, b, f.world.Relations().Get(e, f.dock))
	assert.False(t, f.world.Has(e, f.leash))
	assert.Empty(t, f.check())
}

// A relation of mode Simple replaces a predicted one as soon as it arrives, and stays when the world is
// restored to a tick with the predicted one.
//
// Proves: B8
func TestARelationThatIsShownTakesThePlaceOfAPredictedOne(t *testing.T) {
	f, e := steady(t, nil)
	b := f.spawns("b", 1001, fcPlace{}, fcPace{})
	f.says(e, 1001, fcPlace{10, 0}, fcPace{1, 0})
	f.docks(e, b)
	f.check()
	f.run(3)
	assert.True(t, f.world.Has(e, f.dock))

	f.world.Exchange(e, []ecs.ID{f.child}, []ecs.ID{f.dock})
	f.world.Relations().Set(e, f.child, b)
	f.says(e, 1007, fcPlace{16, 0}, fcPace{1, 0})
	f.p.Store().Confirmed(f.p.entities.slotOf(e)).Mask.Set(f.col(f.child))
	f.p.Request(1004)
	assert.NotEmpty(t, f.check())
	assert.True(t, f.world.Has(e, f.child))
	assert.False(t, f.world.Has(e, f.dock))
	f.confirmTick(1007)
	assert.Empty(t, f.check())
}

// A relation to an entity that the game has removed has no target, and does not cause a rollback in
// every frame.
//
// Proves: B13
func TestARelationToWhatTheGameRemoved(t *testing.T) {
	f := newForecast(t, nil)
	f.run(1)
	f.confirmTick(1001)
	e, b := f.spawns("a", 1001, fcPlace{10, 0}, fcPace{}), f.spawns("b", 1001, fcPlace{}, fcPace{})
	f.docks(e, b)
	f.check()
	assert.Equal(t, b, f.world.Relations().Get(e, f.dock))
	f.run(1)
	f.world.Remove(e, f.dock)
	f.world.RemoveEntity(b)
	f.run(1)
	f.confirmTick(1003)
	assert.NotEmpty(t, f.check())
	assert.True(t, f.world.Has(e, f.dock))
	f.run(1)
	f.confirmTick(1004)
	assert.Empty(t, f.check())
}

// An entity that is despawned ahead of the server, and then no longer predicted, returns in its
// confirmed state, with the components that the game added.
//
// Proves: B25
func TestPredictionIsTurnedOffOfWhatIsDespawned(t *testing.T) {
	f, e := steady(t, nil)
	f.world.Add(e, f.fuel)
	f.holds(e).Left = 6
	f.run(1)
	f.p.Despawn(e)
	f.run(1)
	assert.Empty(t, f.has(e))
	f.world.Add(e, f.place, f.pace)
	f.turnOff(e)
	f.run(1)
	assert.Equal(t, "place pace fuel ", f.has(e))
	assert.EqualValues(t, 6, f.holds(e).Left)
}

// A child that the game has taken off its parent stays when the connection ends.
//
// Proves: B17
func TestWhatHangsNoMoreStays(t *testing.T) {
	f, e := steady(t, nil)
	kid := f.world.NewEntity(f.place)
	f.hang(kid, e)
	f.run(1)
	f.world.Remove(kid, f.child)
	f.run(1)
	f.world.RemoveEntity(e)
	f.p.Clear()
	assert.True(t, f.world.Alive(kid))
	assert.False(t, f.p.Predicts(kid))
}

// The target of a relation that the game set rolls back with the relation.
//
// Proves: B16
func TestTargetsOfTheGamesOwnRelationsGoBack(t *testing.T) {
	f, e := steady(t, nil)
	b, c := f.world.NewEntity(), f.world.NewEntity()
	f.world.Relations().Exchange(e, []ecs.ID{f.tow}, nil, f.tow, b)
	wrong := true
	f.in(1007, func() {
		if wrong {
			f.world.Relations().Set(e, f.tow, c)
		}
	})
	f.run(3)
	assert.Equal(t, c, f.world.Relations().Get(e, f.tow))
	wrong = false
	f.p.Request(1006)
	assert.NotEmpty(t, f.check())
	assert.Equal(t, b, f.world.Relations().Get(e, f.tow))
}

// No request is lost, however many there are.
//
// Proves: T1
func TestManyRequests(t *testing.T) {
	f, _ := steady(t, nil)
	for range 50 {
		f.p.Request(1004)
		f.p.Request(2000)
	}
	for tick := range entangle.Tick(50) {
		f.p.Request(3000 + tick)
	}
	f.p.Request(1002)
	assert.Equal(t, "restore 1002", f.check()[0])
}

// An entity that is despawned between two ticks returns with all components in a rollback to an
// earlier tick.
//
// Proves: B12
func TestADespawnBetweenTicksIsUndone(t *testing.T) {
	f := newForecast(t, nil)
	f.run(1)
	f.confirmTick(1001)
	e := f.spawns("a", 1001, fcPlace{10, 0}, fcPace{})
	f.world.Add(e, f.kit, f.fuel)
	f.holds(e).Left, f.carries(e).Size = 7, 5
	f.run(4)
	f.p.Despawn(e)
	f.run(1)
	assert.Empty(t, f.has(e))
	f.p.Request(1003)
	assert.NotEmpty(t, f.check(), "in no tick of these it is despawned")
	assert.Equal(t, "place pace kit fuel ", f.has(e))
	assert.EqualValues(t, 7, f.holds(e).Left)
	assert.EqualValues(t, 5, f.carries(e).Size)
}

// When no entity is predicted any more, no tick is confirmed, and resources still roll back.
//
// Proves: B15
func TestResourcesAfterTheLastEntity(t *testing.T) {
	w := startedTidal(t)
	e := w.spawns("a", w.time.Tick-1, fcPlace{}, fcPace{})
	w.confirmedAt(w.time.Tick - 1)
	w.run(1)
	w.despawns(e, w.time.Tick)
	w.confirmedAt(w.time.Tick)
	w.run(40)
	assert.Zero(t, w.p.entities.table.Len())
	now := w.time.Tick
	w.says(now-3, fcTide{Level: 50, Rate: 2})
	assert.Equal(t, w.replayed(now-3), w.check())
	assert.Equal(t, fcTide{Level: 56, Rate: 2}, *w.tide())
	assert.Zero(t, w.p.stats.Resyncs)
}
