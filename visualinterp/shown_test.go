package visualinterp_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/visualinterp"
)

// camera is not in the protocol.
type camera struct{ Zoom, Height float32 }

// Proves: N12
// A component outside the protocol is shown by a custom function.
func TestAComponentOutsideTheProtocol(t *testing.T) {
	mix := func(a, b camera, t float64) camera {
		return camera{Zoom: a.Zoom + (b.Zoom-a.Zoom)*float32(t), Height: -1}
	}
	s := newStage(t, visualinterp.Add[camera](visualinterp.New(), visualinterp.With(mix),
		visualinterp.Snap(func(a, b camera) bool { return b.Zoom-a.Zoom > 100 })), nil)
	cameras := generic.NewMap1[camera](s.world)
	e := cameras.NewWith(&camera{Zoom: 1, Height: 1})
	at := func(ms int, zoom float32) camera {
		s.atSend = func() { cameras.Get(e).Zoom = zoom }
		s.at(time.Duration(ms) * time.Millisecond)
		return *cameras.Get(e)
	}
	at(10, 1)
	at(20, 2)
	assert.Equal(t, camera{Zoom: 2.5, Height: -1}, at(35, 3))
	assert.Equal(t, camera{Zoom: 200, Height: 1}, at(45, 200))
	s.atReceive = func() { assert.Equal(t, camera{Zoom: 200, Height: 1}, *cameras.Get(e)) }
	assert.Equal(t, camera{Zoom: 200.5, Height: -1}, at(55, 201))
}

// Proves: N12, N13
// The tag, or a function, selects the entities that are shown between ticks.
func TestTheShownEntitiesAreSelected(t *testing.T) {
	three := func(t *testing.T, options ...visualinterp.Option) (s *stage, shown func() [3]bool) {
		s = newStage(t, visualinterp.Add[spot](visualinterp.New(), options...), nil)
		smooth := generic.NewMap1[visualinterp.Smooth](s.world)
		entities := [3]ecs.Entity{s.spawn(0, 1), s.spawn(0, 2), s.spawn(0, 3)}
		smooth.Add(entities[1])
		s.ticks(5)
		ms := 40
		return s, func() (shown [3]bool) {
			var truth [3]float64
			s.atSend = func() {
				for i, e := range entities {
					truth[i] = s.x(e)
				}
			}
			ms += 25
			s.at(time.Duration(ms) * time.Millisecond)
			for i, e := range entities {
				shown[i] = s.x(e) != truth[i]
			}
			s.atReceive = func() {
				for i, e := range entities {
					assert.Equal(t, truth[i], s.x(e))
				}
			}
			return shown
		}
	}
	_, shown := three(t)
	assert.Equal(t, [3]bool{true, true, true}, shown(), "all with the component")

	s, shown := three(t, visualinterp.Tagged())
	assert.Equal(t, [3]bool{false, true, false}, shown())
	smooth := generic.NewMap1[visualinterp.Smooth](s.world)
	query := generic.NewFilter1[spot]().Query(s.world)
	var all []ecs.Entity
	for query.Next() {
		all = append(all, query.Entity())
	}
	for _, e := range all {
		if s.world.Has(e, ecs.ComponentID[visualinterp.Smooth](s.world)) {
			smooth.Remove(e)
		} else {
			smooth.Add(e)
		}
	}
	assert.Equal(t, [3]bool{true, false, true}, shown(), "as long as it has the tag")

	speeds := generic.Map1[speed]{}
	_, shown = three(t, visualinterp.Where(func(w *ecs.World, e ecs.Entity) bool {
		speeds = generic.NewMap1[speed](w)
		return speeds.Get(e).X > 1.5
	}))
	assert.Equal(t, [3]bool{false, true, true}, shown())
	assert.Equal(t, [3]bool{false, true, true}, shown())
}

// Entities that are no longer shown keep their true values, even if the entities around them change their
// places before the next frame.
//
// Proves: N13
func TestEntitiesNoLongerShownKeepTheirTrueValues(t *testing.T) {
	s := newStage(t, visualinterp.Add[spot](visualinterp.New(), visualinterp.Tagged()), nil)
	smooth := generic.NewMap1[visualinterp.Smooth](s.world)
	var all []ecs.Entity
	var truth []float64
	for i := range 20 {
		all, truth = append(all, s.spawn(0, float64(i+1))), append(truth, 0)
		smooth.Add(all[i])
	}
	s.ticks(5)
	s.atSend = func() {
		for i, e := range all {
			truth[i] = s.x(e)
		}
	}
	holds := func() {
		for i, e := range all {
			assert.Equal(t, truth[i], s.x(e), "entity %d", i)
		}
	}
	ms := 40
	frame := func() {
		ms += 5
		s.at(time.Duration(ms) * time.Millisecond)
	}
	frame()
	for _, e := range all[1:] {
		smooth.Remove(e)
	}
	s.atReceive = holds
	for range 5 {
		frame()
		late := s.spawn(0, 1) // is in another table
		smooth.Add(late)
		all, truth = append(all, late), append(truth, 0)
		frame()
	}
}

// Proves: N12
// With HideUntilTwo, an entity is hidden until two ticks have ended.
func TestHiddenUntilTwoTicks(t *testing.T) {
	s := newStage(t, visualinterp.Add[camera](visualinterp.Add[spot](visualinterp.New(), visualinterp.HideUntilTwo()),
		visualinterp.HideUntilTwo(), visualinterp.With(protocol.Linear[camera])), nil)
	id := ecs.ComponentID[visualinterp.Hidden](s.world)
	e := s.spawn(0, 1)
	hidden := func(ms int) bool {
		s.at(time.Duration(ms) * time.Millisecond)
		return s.world.Has(e, id)
	}
	assert.True(t, hidden(0), "there was no tick")
	assert.True(t, hidden(5))
	assert.True(t, hidden(10), "there was one")
	assert.True(t, hidden(15))
	assert.False(t, hidden(20), "there were two")
	assert.Equal(t, 1., s.x(e))
	assert.False(t, hidden(35))
	assert.Equal(t, 2.5, s.x(e))

	cameras := generic.NewMap1[camera](s.world)
	cameras.Add(e)
	assert.True(t, hidden(45), "another of its components has no sample")
	assert.False(t, hidden(55))
	cameras.Remove(e)
	assert.False(t, hidden(65))
	cameras.Add(e)
	assert.True(t, hidden(75))
	cameras.Remove(e)
	assert.False(t, hidden(80), "with two samples it is shown")
	late := s.spawn(0, 1)
	s.at(80 * time.Millisecond)
	s.world.RemoveEntity(late)
	s.at(100 * time.Millisecond)
	assert.False(t, s.world.Has(e, id))
}

// Proves: N12
// An entity that the function excludes shows its true value, and is never hidden.
func TestExcludedEntitiesAreNotHidden(t *testing.T) {
	nobody := visualinterp.Where(func(*ecs.World, ecs.Entity) bool { return false })
	s := newStage(t, visualinterp.Add[spot](visualinterp.New(), visualinterp.HideUntilTwo(), nobody), nil)
	e := s.spawn(0, 1)
	var hidden []bool
	for ms := 5; ms <= 55; ms += 5 {
		s.at(time.Duration(ms) * time.Millisecond)
		hidden = append(hidden, s.world.Has(e, ecs.ComponentID[visualinterp.Hidden](s.world)))
	}
	assert.NotContains(t, hidden, true)
}
