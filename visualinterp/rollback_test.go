package visualinterp_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/visualinterp"
)

// goes marks the entities that take part in the rollback of the test.
type goes struct{}

// marks is a system that installs goes as the mark of predicted entities, in place of the
// prediction engine.
func marks() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		tick.DisplayOf(w).SetRollbackMarker(ecs.ComponentID[goes](w))
		return nil
	})
}

// back is a manual rollback: restore sets the world to the end of the first tick, and then the
// movement replays the given number of ticks.
func (s *stage) back(ticks int, restore func()) {
	clock, display := ecs.GetResource[components.Time](s.world), tick.DisplayOf(s.world)
	now := clock.Tick
	restore()
	clock.Replaying, clock.ReplayFrom, clock.ReplayTo = true, now+1-entangle.Tick(ticks), now
	for clock.Tick = now - entangle.Tick(ticks); clock.Tick != now; {
		clock.Tick++
		display.Tick()
		s.moves.Update(s.world)
	}
	clock.Replaying = false
}

func newRollbackStage(t *testing.T, register func(*protocol.Protocol)) *stage {
	return newStage(t, visualinterp.Add[spot](visualinterp.New()), register, marks())
}

func full(p *protocol.Protocol) {
	protocol.Component[spot](p).Predict(protocol.Full).Interpolate(protocol.Linear[spot])
}

// Proves: N8
// After a rollback both samples come from the replayed ticks. Entities that do not take part keep
// their samples.
func TestARollbackRepairsWhatIsShown(t *testing.T) {
	for _, ticks := range []int{1, 2, 5} {
		s := newRollbackStage(t, full)
		predicted, remote, excluded := s.spawn(0, 1), s.spawn(0, 0), s.spawn(0, 1)
		s.goes.Add(predicted)
		s.goes.Add(excluded)
		noRollback := generic.NewMap1[components.NoRollback](s.world)
		noRollback.Add(excluded)
		s.at(0)
		for tick := 1; tick <= 8; tick++ {
			s.atReceive = func() { s.spots.Get(remote).X += 10 }
			s.at(time.Duration(tick) * 10 * time.Millisecond)
		}
		s.atReceive = func() {
			s.back(ticks, func() {
				s.spots.Get(predicted).X = 100
				s.speeds.Get(predicted).X = 4
			})
			s.spots.Get(excluded).X = 8 // an entity that did not take part has its true value restored
			s.spots.Get(remote).X += 10
		}
		s.at(85 * time.Millisecond)
		last := 100 + 4*float64(ticks)
		assert.InDelta(t, last-2, s.x(predicted), 1e-9, "between the last two of %d", ticks)
		assert.InDelta(t, 75, s.x(remote), 1e-9)
		assert.InDelta(t, 7.5, s.x(excluded), 1e-9)
		s.atReceive = func() {
			assert.Equal(t, last, s.x(predicted), "the true value is restored")
			assert.Equal(t, 90., s.x(remote))
		}
		s.at(95 * time.Millisecond)
		assert.InDelta(t, last+2, s.x(predicted), 1e-9, "and a tick on")
	}
}

// Proves: B19
// The display moves gradually from its previous value, in the time set with Correct, and the
// simulation is correct at once. The number of frames in that time makes no difference.
func TestTheDisplayMovesGradually(t *testing.T) {
	for _, frame := range []time.Duration{2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond} {
		s := newRollbackStage(t, func(p *protocol.Protocol) {
			protocol.Component[spot](p).Predict(protocol.Full).Interpolate(protocol.Linear[spot]).
				Snap(func(a, b spot) bool { return a.X-b.X > 500 || b.X-a.X > 500 }).Correct(100 * time.Millisecond)
		})
		e := s.spawn(0, 1)
		s.goes.Add(e)
		for now := time.Duration(0); now < 100*time.Millisecond; now += frame {
			s.at(now)
		}
		s.at(100 * time.Millisecond)
		before := s.x(e)
		s.atReceive = func() { s.back(3, func() { s.spots.Get(e).X = 57 }) }
		s.atSend = func() { assert.Equal(t, 60., s.x(e), "the simulation is right at once") }
		s.at(100 * time.Millisecond)
		assert.InDelta(t, before, s.x(e), 1e-9, "the displayed value does not jump")
		s.atReceive, s.atSend = nil, nil
		for now := 100*time.Millisecond + frame; now <= 150*time.Millisecond; now += frame {
			s.at(now)
		}
		s.at(150 * time.Millisecond)
		assert.InDelta(t, 64-50*0.25, s.x(e), 1e-9, "frames of %v", frame)
		s.at(200 * time.Millisecond)
		assert.InDelta(t, 69, s.x(e), 1e-9)
		s.atReceive = func() { s.back(3, func() { s.spots.Get(e).X = 997 }) }
		s.at(205 * time.Millisecond)
		assert.InDelta(t, 999.5, s.x(e), 1e-9, "too far to ease")
	}
}

// If a present value is corrected without a replay, its display moves gradually, too.
func TestThePresentIsAmended(t *testing.T) {
	s := newRollbackStage(t, func(p *protocol.Protocol) {
		protocol.Component[spot](p).Predict(protocol.Full).Interpolate(protocol.Linear[spot]).Correct(100 * time.Millisecond)
	})
	e := s.spawn(0, 0)
	s.goes.Add(e)
	s.ticks(10)
	s.atReceive = func() {
		s.spots.Get(e).X = 8
		tick.DisplayOf(s.world).Corrected()
	}
	s.at(95 * time.Millisecond)
	assert.InDelta(t, 0, s.x(e), 1e-9)
	s.atReceive = nil
	s.at(100 * time.Millisecond)
	s.at(145 * time.Millisecond)
	assert.InDelta(t, 8-8*0.25, s.x(e), 1e-9)
	s.at(195 * time.Millisecond)
	assert.InDelta(t, 8, s.x(e), 1e-9)
}

// If a game rolls back a local component, its display moves gradually.
func TestALocalComponentIsCorrected(t *testing.T) {
	s := newStage(t, visualinterp.Add[spot](visualinterp.New(), visualinterp.With(protocol.Linear[spot]), visualinterp.Correct(100*time.Millisecond)),
		func(p *protocol.Protocol) { protocol.Local[spot](p) }, marks())
	e := s.spawn(0, 0)
	s.goes.Add(e)
	s.ticks(4)
	s.atReceive = func() { s.back(1, func() { s.spots.Get(e).X = 8 }) }
	s.at(35 * time.Millisecond)
	assert.InDelta(t, 0, s.x(e), 1e-9)
	s.atReceive = nil
	s.at(85 * time.Millisecond)
	assert.InDelta(t, 8-8*0.25, s.x(e), 1e-9)
}
