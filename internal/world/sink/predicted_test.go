package sink

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/listener"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// confirmedOf returns the confirmed value of a component.
func confirmedOf[T any](p *pair, e ecs.Entity) *T {
	for number, info := range p.infos {
		if info.Type == reflect.TypeFor[T]() {
			b, _, ok := p.applier.Confirmed(e, number)
			if !ok {
				return nil
			}
			v := columns.ValueOf[T](b)
			return &v
		}
	}
	panic("not registered")
}

// spawnAll makes an entity that has a component of each mode.
func (p *pair) spawnAll() ecs.Entity {
	w := p.world
	e := p.spawn(idIn[aheadPlace](w), idIn[aheadPath](w), idIn[aheadFlag](w), idIn[aheadScore](w), idIn[aheadSkin](w), idIn[aheadLook](w), idIn[aheadDrive](w))
	p.set(e, 1)
	return e
}

// set writes a value to each component that has one.
func (p *pair) set(e ecs.Entity, n uint8) {
	w := p.world
	*value[aheadPlace](w, e) = aheadPlace{X: float32(n)}
	value[aheadPath](w, e).N = uint32(n)
	value[aheadScore](w, e).N = n
	value[aheadSkin](w, e).N = uint16(n)
	value[aheadLook](w, e).Of[0] = e
}

// A predicted entity spawns with all components of the server's entity, and is marked in the same
// step. Components that belong to the game are left out.
func TestAPredictedEntityAppears(t *testing.T) {
	p := newPair(t)
	var steps []ecs.EntityEvent
	received := listener.NewCallback(func(w *ecs.World, e ecs.EntityEvent) {
		assert.True(t, w.Has(e.Entity, idIn[components.Predicted](w)))
		assert.Equal(t, aheadPlace{X: 1}, *value[aheadPlace](w, e.Entity), "values are there before anyone hears of it")
		steps = append(steps, e)
	}, event.ComponentAdded)
	p.far.SetListener(&received)
	e := p.spawnAll()
	p.send()
	there := p.there(e)
	require.False(t, there.IsZero())
	assert.Len(t, steps, 1)
	assert.True(t, has[components.Predicted](p, there))
	assert.True(t, has[rollbackMark](p, there))
	assert.False(t, has[components.Remote](p, there))
	assert.True(t, has[aheadFlag](p, there))
	assert.True(t, has[aheadDrive](p, there))
	assert.False(t, has[aheadLook](p, there))
	assert.Equal(t, aheadPath{1}, *value[aheadPath](p.far, there))
	assert.Equal(t, aheadScore{1}, *value[aheadScore](p.far, there))
	assert.Equal(t, aheadSkin{1}, *value[aheadSkin](p.far, there))
	assert.Equal(t, aheadLook{[2]ecs.Entity{there}}, *confirmedOf[aheadLook](p, there))
	assert.Equal(t, 1, p.by.news[p.by.slots[there]])
	events := p.took()
	assert.Equal(t, "spawned", events[0])
	assert.Len(t, events, 8)
}

// Later values go to the confirmed state, and into the world according to their modes.
//
// Proves: B20
func TestModesOfWhatIsPredicted(t *testing.T) {
	p := newPair(t)
	e := p.spawnAll()
	p.send()
	there := p.there(e)
	value[aheadSkin](p.far, there).N = 77
	value[aheadPath](p.far, there).N = 78
	p.took()
	for n := range uint8(20) {
		p.set(e, 2+n)
		p.send()
		assert.Equal(t, aheadPlace{X: 1}, *value[aheadPlace](p.far, there), "Full is the prediction's to restore")
		assert.Equal(t, aheadPath{78}, *value[aheadPath](p.far, there), "likewise")
		assert.Equal(t, aheadScore{2 + n}, *value[aheadScore](p.far, there), "Simple is taken over each time")
		assert.Equal(t, aheadSkin{77}, *value[aheadSkin](p.far, there), "Once is the game's after the first")
		assert.False(t, has[aheadLook](p, there), "None is the game's")
		assert.Equal(t, aheadPlace{X: float32(2 + n)}, *confirmedOf[aheadPlace](p, there))
		assert.Equal(t, aheadPath{uint32(2 + n)}, *confirmedOf[aheadPath](p, there))
		assert.Equal(t, aheadScore{2 + n}, *confirmedOf[aheadScore](p, there))
		assert.Equal(t, aheadSkin{uint16(2 + n)}, *confirmedOf[aheadSkin](p, there))
		assert.Equal(t, []string{"aheadPath updated", "aheadPlace updated", "aheadScore updated", "aheadSkin updated"}, p.took())
		_, tick, _ := p.applier.Confirmed(there, 0)
		assert.Equal(t, p.tick, tick)
		assert.Equal(t, p.tick, p.by.memory.Confirmed(p.by.slots[there]).Tick)
	}
	assert.Equal(t, 21, p.by.news[p.by.slots[there]])
}

// Components are added and removed in the confirmed state, and in the world according to their
// modes.
func TestStructureOfWhatIsPredicted(t *testing.T) {
	p := newPair(t)
	w := p.world
	e := p.spawnAll()
	p.send()
	there := p.there(e)
	p.took()
	w.Remove(e, idIn[aheadPlace](w), idIn[aheadFlag](w), idIn[aheadScore](w), idIn[aheadSkin](w), idIn[aheadLook](w), idIn[aheadDrive](w))
	p.send()
	assert.True(t, has[aheadPlace](p, there))
	assert.True(t, has[aheadFlag](p, there))
	assert.False(t, has[aheadScore](p, there))
	assert.False(t, has[aheadSkin](p, there))
	assert.False(t, has[aheadDrive](p, there))
	assert.Nil(t, confirmedOf[aheadPlace](p, there))
	assert.Nil(t, confirmedOf[aheadFlag](p, there))
	assert.Nil(t, confirmedOf[aheadLook](p, there))
	assert.Equal(t, []string{"aheadDrive removed", "aheadFlag removed", "aheadLook removed", "aheadPlace removed", "aheadScore removed", "aheadSkin removed"}, p.took())

	w.Add(e, idIn[aheadPlace](w), idIn[aheadScore](w), idIn[aheadSkin](w), idIn[aheadLook](w), idIn[aheadDrive](w))
	p.set(e, 9)
	p.send()
	assert.Equal(t, aheadPlace{X: 1}, *value[aheadPlace](p.far, there))
	assert.Equal(t, aheadScore{9}, *value[aheadScore](p.far, there))
	assert.Equal(t, aheadSkin{9}, *value[aheadSkin](p.far, there))
	assert.True(t, has[aheadDrive](p, there))
	assert.False(t, has[aheadLook](p, there))
	assert.Equal(t, aheadPlace{X: 9}, *confirmedOf[aheadPlace](p, there))
	assert.Nil(t, confirmedOf[aheadFlag](p, there))
	assert.NotNil(t, confirmedOf[aheadLook](p, there))
}

// Nothing is written to an entity that the game despawned ahead of the server. A component that the
// game removed from another entity comes back with its next value.
func TestWhatTheGameTookOfWhatIsPredicted(t *testing.T) {
	p := newPair(t)
	e := p.spawnAll()
	p.send()
	there := p.there(e)
	p.far.Remove(there, idIn[aheadScore](p.far), idIn[aheadPlace](p.far))
	p.by.disabled[p.by.slots[there]] = true
	p.set(e, 2)
	p.send()
	assert.False(t, has[aheadScore](p, there))
	assert.Equal(t, aheadScore{2}, *confirmedOf[aheadScore](p, there))
	p.by.disabled[p.by.slots[there]] = false
	p.set(e, 3)
	p.send()
	assert.Equal(t, aheadScore{3}, *value[aheadScore](p.far, there))
	assert.False(t, has[aheadPlace](p, there))
}

// Nothing is removed from an entity that the game despawned ahead of the server. When it comes
// back, the prediction removes the components that the server has removed meanwhile.
func TestNothingIsRemovedOfWhatTheGameDespawned(t *testing.T) {
	p := newPair(t)
	e := p.spawnAll()
	p.send()
	there := p.there(e)
	p.by.disabled[p.by.slots[there]] = true
	p.world.Remove(e, idIn[aheadScore](p.world), idIn[aheadSkin](p.world))
	p.send()
	assert.True(t, has[aheadScore](p, there))
	assert.True(t, has[aheadSkin](p, there))
	assert.Nil(t, confirmedOf[aheadScore](p, there))
	assert.Nil(t, confirmedOf[aheadSkin](p, there))
}

// Nothing is inserted into an entity that the game despawned ahead of the server either.
func TestNothingIsInsertedIntoWhatTheGameDespawned(t *testing.T) {
	p := newPair(t)
	e := p.spawnAll()
	p.world.Remove(e, idIn[aheadScore](p.world), idIn[aheadSkin](p.world))
	p.send()
	there := p.there(e)
	p.by.disabled[p.by.slots[there]] = true
	p.world.Add(e, idIn[aheadScore](p.world), idIn[aheadSkin](p.world))
	p.send()
	assert.False(t, has[aheadScore](p, there))
	assert.False(t, has[aheadSkin](p, there))
	assert.NotNil(t, confirmedOf[aheadScore](p, there))
	assert.NotNil(t, confirmedOf[aheadSkin](p, there))
}

// An input is added and removed as on the server, and has no history that the prediction corrects.
func TestAnInputThatComesAndGoesHasNoHistory(t *testing.T) {
	p := newPair(t)
	e := p.spawnAll()
	p.send()
	drive := idIn[aheadDrive](p.world)
	p.world.Remove(e, drive)
	p.send()
	assert.False(t, has[aheadDrive](p, p.there(e)))
	p.world.Add(e, drive)
	p.send()
	assert.True(t, has[aheadDrive](p, p.there(e)))
	assert.Empty(t, p.by.inserted)
}

// If the game despawned an entity ahead of the server, added and removed components of mode Once
// are passed to the prediction, which applies them if the entity comes back. Further values are not
// passed.
//
// Proves: B20
func TestOnceOfWhatTheGameDespawned(t *testing.T) {
	p := newPair(t)
	e := p.spawnAll()
	p.send()
	slot, skin := p.by.slots[p.there(e)], idIn[aheadSkin](p.world)
	p.by.disabled[slot] = true
	p.set(e, 2)
	p.send()
	assert.Empty(t, p.by.inserted)
	p.world.Remove(e, skin)
	p.send()
	p.world.Add(e, skin)
	value[aheadSkin](p.world, e).N = 3
	p.send()
	comp := 0
	for p.infos[comp].Type != reflect.TypeFor[aheadSkin]() {
		comp++
	}
	assert.Equal(t, []string{fmt.Sprint(slot, " ", comp, " gone"), fmt.Sprint(slot, " ", comp, " [3 0]")}, p.by.inserted)
}

// A reference in a component of mode Once may arrive later than its value. The prediction gets the
// value with the reference for the ticks of the history, so that a rollback does not undo the
// reference. A value that the game has changed is left alone.
//
// Proves: B20
func TestALateReferenceInAnOnceIsForTheHistoriesToo(t *testing.T) {
	for name, changed := range map[string]bool{"as the server said": false, "changed by the game": true} {
		t.Run(name, func(t *testing.T) {
			p := newPair(t)
			to := p.spawn()
			value[components.Replicate](p.world, to).Target = components.Nobody
			holder := p.spawn(idIn[aheadGrip](p.world))
			value[aheadGrip](p.world, holder).Of = to
			p.send()
			there := p.there(holder)
			require.True(t, value[aheadGrip](p.far, there).Of.IsZero())
			require.Empty(t, p.by.inserted)
			if changed {
				value[aheadGrip](p.far, there).Of = there
			}
			value[components.Replicate](p.world, to).Target = components.Everyone
			p.send()
			came := p.there(to)
			require.False(t, came.IsZero())
			assert.Equal(t, aheadGrip{came}, *confirmedOf[aheadGrip](p, there))
			if changed {
				assert.Equal(t, aheadGrip{there}, *value[aheadGrip](p.far, there))
				assert.Empty(t, p.by.inserted)
				return
			}
			assert.Equal(t, aheadGrip{came}, *value[aheadGrip](p.far, there))
			comp := slices.IndexFunc(p.infos, func(i *registry.Component) bool { return i.Type == reflect.TypeFor[aheadGrip]() })
			bytes := unsafe.Slice((*byte)(unsafe.Pointer(&came)), unsafe.Sizeof(came))
			assert.Equal(t, []string{fmt.Sprint(p.by.slots[there], " ", comp, " ", bytes)}, p.by.inserted)
		})
	}
}

// An entity that the game removed for good is left alone, whatever the server sends.
func TestWhatIsPredictedAndTheGameRemoved(t *testing.T) {
	p := newPair(t)
	e := p.spawnAll()
	p.send()
	there := p.there(e)
	p.far.RemoveEntity(there)
	news := p.by.news[p.by.slots[there]]
	p.set(e, 2)
	p.send()
	p.world.Remove(e, idIn[aheadScore](p.world))
	p.send()
	p.say(e, false, true)
	assert.Nil(t, confirmedOf[aheadPlace](p, there))
	assert.Equal(t, news, p.by.news[p.by.slots[there]])
	p.took()
	p.world.RemoveEntity(e)
	p.send()
	assert.Equal(t, []string{"despawned"}, p.took())
	assert.Empty(t, p.by.departed)
	assert.Zero(t, p.applier.Replicas.Len())
	assert.Zero(t, p.applier.prediction.count)
}

// Prediction of an existing entity is turned on and off.
func TestPredictionIsTurnedOnAndOff(t *testing.T) {
	p := newPair(t)
	p.sink.wants = nil
	e := p.spawnAll()
	p.send()
	there := p.there(e)
	assert.True(t, has[components.Remote](p, there))
	assert.True(t, has[aheadLook](p, there))
	p.say(e, true)
	assert.True(t, has[components.Predicted](p, there))
	assert.False(t, has[components.Remote](p, there))
	assert.Equal(t, aheadPlace{X: 1}, *confirmedOf[aheadPlace](p, there))
	assert.Equal(t, aheadLook{[2]ecs.Entity{there}}, *confirmedOf[aheadLook](p, there))
	assert.Equal(t, 1, p.by.news[p.by.slots[there]])

	p.say(e, true)
	assert.Equal(t, 1, p.by.news[p.by.slots[there]], "it is known")
	p.set(e, 2)
	p.send()
	value[aheadPlace](p.far, there).Y = 50
	p.far.Remove(there, idIn[aheadFlag](p.far))
	p.far.Add(there, idIn[aheadAim](p.far))
	p.took()

	p.say(e, false)
	assert.True(t, has[components.Remote](p, there))
	assert.False(t, has[components.Predicted](p, there))
	assert.False(t, has[rollbackMark](p, there))
	assert.False(t, has[aheadAim](p, there))
	assert.True(t, has[aheadFlag](p, there))
	assert.Equal(t, aheadPlace{X: 2}, *value[aheadPlace](p.far, there))
	assert.Equal(t, aheadLook{[2]ecs.Entity{there}}, *value[aheadLook](p.far, there))
	assert.Equal(t, []ecs.Entity{there}, p.by.ended)
	assert.Empty(t, p.took())
	p.set(e, 3)
	p.send()
	assert.Equal(t, aheadPlace{X: 3}, *value[aheadPlace](p.far, there))
	assert.Equal(t, aheadPlace{X: 3}, *confirmedOf[aheadPlace](p, there))

	p.say(e, true, false)
	assert.True(t, has[components.Remote](p, there), "the last word counts")
	p.say(e, false, true)
	assert.True(t, has[components.Predicted](p, there))
}

// A despawned entity stays until the prediction has reached that tick, and is then removed.
//
// Proves: B23
func TestWhatIsPredictedAndTheServerDespawned(t *testing.T) {
	p := newPair(t)
	p.applier.KeepLastConfirmed()
	e := p.spawnAll()
	p.send()
	there := p.there(e)
	p.took()
	p.world.RemoveEntity(e)
	p.send()
	require.True(t, p.far.Alive(there))
	assert.Equal(t, []ecs.Entity{there}, p.by.departed)
	assert.Equal(t, []entangle.Tick{p.tick}, p.by.at)
	word := p.by.memory.Confirmed(p.by.slots[there])
	assert.True(t, word.Gone)
	assert.Equal(t, p.tick, word.Tick)
	assert.Equal(t, 2, p.by.news[p.by.slots[there]])
	assert.Empty(t, p.took())
	assert.Zero(t, p.applier.Replicas.Len())
	assert.Equal(t, aheadPlace{X: 1}, *confirmedOf[aheadPlace](p, there))

	p.applier.RemoveDespawned(there)
	assert.False(t, p.far.Alive(there))
	assert.Equal(t, []string{"despawned"}, p.took())
	*word = rollback.Confirmed{} // as if its slot belonged to another entity
	assert.Equal(t, aheadPlace{X: 1}, *confirmedOf[aheadPlace](p, there), "whoever is told may ask")
	assert.Equal(t, aheadSkin{1}, *confirmedOf[aheadSkin](p, there))
	assert.Nil(t, confirmedOf[aheadAim](p, there))
	p.applier.ForgetLastConfirmed()
	assert.Nil(t, confirmedOf[aheadPlace](p, there))
}

// An entity that is despawned and then removed by the game has no confirmed state: its slot may
// belong to another entity.
func TestWhatTheServerDespawnedAndTheGameRemoved(t *testing.T) {
	p := newPair(t)
	p.applier.KeepLastConfirmed()
	e := p.spawnAll()
	p.send()
	there := p.there(e)
	p.world.RemoveEntity(e)
	p.send()
	p.far.RemoveEntity(there)
	assert.Nil(t, confirmedOf[aheadPlace](p, there))
	p.applier.RemoveDespawned(there)
	assert.Nil(t, confirmedOf[aheadPlace](p, there))
}

// Changes of the game to a predicted entity leave the confirmed state alone, and the confirmed
// state shares no memory with values that a game reads.
//
// Proves: B23
func TestTheConfirmedStateIsTheServers(t *testing.T) {
	p := newPair(t)
	e := p.spawnAll()
	p.send()
	there := p.there(e)
	*value[aheadPlace](p.far, there) = aheadPlace{X: 50}
	value[aheadScore](p.far, there).N = 50
	p.far.Remove(there, idIn[aheadPath](p.far), idIn[aheadDrive](p.far))
	p.far.Add(there, idIn[aheadAim](p.far))
	assert.Equal(t, aheadPlace{X: 1}, *confirmedOf[aheadPlace](p, there))
	assert.Equal(t, aheadScore{1}, *confirmedOf[aheadScore](p, there))
	assert.Equal(t, aheadPath{1}, *confirmedOf[aheadPath](p, there))
	assert.Nil(t, confirmedOf[aheadAim](p, there))
	m := p.applier.Mirror(p.infos)
	require.Len(t, m.Entities, 1)
	assert.Len(t, m.Entities[0].Values, 7)
}

// An orphaned entity gets the confirmed state once more, and then belongs to the game.
func TestWhatIsPredictedAndLetGo(t *testing.T) {
	p := newPair(t)
	e := p.spawnAll()
	p.send()
	there := p.there(e)
	value[aheadPlace](p.far, there).X = 50
	p.applier.Begin(9, 9)
	p.applier.Orphan(slotOf(p.applier, there))
	p.applier.Commit()
	assert.Equal(t, aheadPlace{X: 1}, *value[aheadPlace](p.far, there))
	assert.True(t, has[components.Remote](p, there))
	assert.False(t, has[components.Predicted](p, there))
	assert.Equal(t, []ecs.Entity{there}, p.by.ended)
	assert.Zero(t, p.applier.Replicas.Len())
	p.applier.Clear()
	assert.False(t, p.far.Alive(there))
}

// When the connection ends, predicted entities are removed. Persistent ones stay as they were
// predicted.
//
// Proves: R19
func TestWhatIsPredictedWhenTheConnectionEnds(t *testing.T) {
	p := newPair(t)
	p.applier.KeepTwins()
	a, b, c := p.spawnAll(), p.spawnAll(), p.spawnAll()
	p.send()
	one, two, three := p.there(a), p.there(b), p.there(c)
	p.far.Add(two, idIn[components.Persistent](p.far))
	value[aheadPlace](p.far, two).X = 50
	p.world.RemoveEntity(c)
	p.send()
	require.True(t, p.far.Alive(three))
	p.applier.Clear()
	assert.Equal(t, 1, p.by.cleared)
	assert.False(t, p.far.Alive(one))
	require.True(t, p.far.Alive(two))
	for _, id := range []ecs.ID{idIn[components.Remote](p.far), idIn[components.Predicted](p.far), idIn[rollbackMark](p.far)} {
		assert.False(t, p.far.Has(two, id))
	}
	assert.Equal(t, aheadPlace{X: 50}, *value[aheadPlace](p.far, two))
	assert.Zero(t, p.applier.prediction.count)
	p.applier.RemoveDespawned(three)
	assert.Equal(t, 1, p.far.Stats().Entities.Used, "no twin is left")
}

// An entity that the game has despawned ahead of the server does not stay, because nothing is left
// of it.
//
// Proves: R19
func TestWhatTheGameDespawnedWhenTheConnectionEnds(t *testing.T) {
	p := newPair(t)
	e := p.spawnAll()
	p.send()
	there := p.there(e)
	p.far.Add(there, idIn[components.Persistent](p.far))
	p.by.disabled[p.by.slots[there]] = true
	p.applier.Clear()
	assert.False(t, p.far.Alive(there))
}

// The slot of an entity that the game removed may belong to another entity: that entity then waits
// for the target of its own relation.
func TestTheTargetOfOneWhoHasTheSlotOfAnother(t *testing.T) {
	p := newPair(t)
	to, first := p.spawnAll(), p.spawnAll()
	p.send()
	p.by.last = p.by.slots[p.there(first)] - 1
	p.far.RemoveEntity(p.there(first))
	holder := p.spawn(idIn[aheadKnows](p.world))
	p.world.Relations().Set(holder, idIn[aheadKnows](p.world), to)
	p.send()
	slot := slotOf(p.applier, p.there(holder))
	assert.Zero(t, p.applier.Replicas.entities[slot].waits)
	p.applier.Begin(p.tick, p.tick)
	p.applier.Despawn(slotOf(p.applier, p.there(to)))
	p.applier.Commit()
	assert.EqualValues(t, 1, p.applier.Replicas.entities[slot].waits)
}

// All statements of one record about an entity apply together: a despawned entity is not predicted,
// whatever else the record says, and the last of two statements wins.
func TestContradictionsInOneRecord(t *testing.T) {
	p := newPair(t)
	p.sink.wants = nil
	a, b := p.spawnAll(), p.spawnAll()
	p.send()
	one, two := p.there(a), p.there(b)
	p.applier.Begin(p.tick, p.tick)
	p.applier.Predict(slotOf(p.applier, one), true)
	p.applier.Predict(slotOf(p.applier, two), true)
	p.applier.Predict(slotOf(p.applier, two), false)
	p.applier.Despawn(slotOf(p.applier, one))
	p.applier.Commit()
	assert.False(t, p.far.Alive(one))
	assert.True(t, has[components.Remote](p, two))
	assert.Zero(t, p.applier.prediction.count)

	p.say(b, true)
	id, _ := p.applier.Replicas.ID(two)
	p.applier.Begin(p.tick, p.tick)
	p.applier.Predict(slotOf(p.applier, two), false)
	p.applier.Despawn(slotOf(p.applier, two))
	again := p.applier.Spawn(id)
	p.applier.Predict(again, true)
	p.applier.Predict(again, false)
	p.applier.Member(again, true)
	p.applier.Commit()
	assert.Equal(t, []ecs.Entity{two}, p.by.departed, "it was predicted")
	assert.True(t, has[components.Remote](p, p.applier.Replicas.Entity(again)))
	assert.Zero(t, p.applier.prediction.count)

	p.applier.Begin(p.tick, p.tick)
	third := p.applier.Spawn(id)
	p.applier.Predict(third, true)
	p.applier.Discard()
	assert.Equal(t, 1, p.applier.Replicas.Len())
	p.applier.Begin(p.tick, p.tick)
	p.applier.Commit()
	assert.Zero(t, p.applier.prediction.count)
}

// A game may remove the marks, which is of no use, but breaks nothing.
func TestMarksThatTheGameTookOff(t *testing.T) {
	p := newPair(t)
	e := p.spawnAll()
	p.send()
	there := p.there(e)
	p.far.Remove(there, idIn[components.Predicted](p.far))
	p.set(e, 4)
	p.send()
	p.say(e, false)
	assert.True(t, has[components.Remote](p, there))
	assert.Equal(t, aheadPlace{X: 4}, *value[aheadPlace](p.far, there))
	p.far.Add(there, idIn[components.Predicted](p.far))
	p.say(e, true)
	assert.Equal(t, aheadPlace{X: 4}, *confirmedOf[aheadPlace](p, there))
}
