package repl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
)

// early is many moving entities, each in a group of its own, and a peer that is sent updates of
// them before the actions that bring them arrive.
type early struct {
	*network
	e       *end
	actions [][]byte
	pkt     uint16
	full    bool // the peer's limit for waiting records is used up
}

func newEarly(t *testing.T, entities int, differ func(*network)) *early {
	n := newNetwork(t, 1, 5, 100)
	differ(n)
	s := &early{network: n, e: n.join()}
	n.tick++
	n.world.Begin(n.tick)
	for slot := range repl.Slot(entities) {
		var is entity
		is.mask = set.MaskOf(0).Or(set.MaskOf(4))
		is.values[0] = uint32(slot) + 1
		n.model.entities[slot], n.model.changed[slot] = is, &[20]entangle.Tick{}
		n.world.SpawnAt(slot, is.mask, group.Place{})
	}
	n.world.Commit()
	n.model.remember(n.tick, 64)
	s.actions = messages(s.e.peer, 1)
	return s
}

// move moves all entities in a tick, and makes the peer receive and acknowledge the updates.
func (s *early) move() {
	s.tick++
	s.world.Begin(s.tick)
	all := make([]repl.Slot, 0, len(s.model.entities))
	for slot := range repl.Slot(len(s.model.entities)) {
		is := s.model.entities[slot]
		is.values[4] += 10 + uint32(slot)
		s.model.entities[slot], s.model.changed[slot][4] = is, s.tick
		all = append(all, slot)
	}
	s.world.Change(4, all)
	s.world.Commit()
	s.model.remember(s.tick, 64)
	s.update()
}

// rest lets a tick pass in which nothing changes.
func (s *early) rest() {
	s.tick++
	s.world.Begin(s.tick)
	s.world.Commit()
	s.model.remember(s.tick, 64)
	s.update()
}

func (s *early) update() {
	for {
		s.pkt++
		frame := s.e.peer.AppendUpdates(nil, 1000, s.pkt)
		if len(frame) == 0 {
			return
		}
		if !s.full {
			require.NoError(s.t, s.e.copy.HandleUpdates(s.tick, frame))
		}
		s.e.peer.HandleAcked(s.pkt)
	}
}

// arrive delivers the actions in flight, and their acknowledgements.
func (s *early) arrive() {
	for i, b := range s.actions {
		require.NoError(s.t, s.e.copy.HandleActions(b))
		s.e.peer.HandleDelivered(uint16(i + 1))
	}
	s.actions = nil
}

// requireEqual asserts that the peer shows the present state.
func (s *early) requireEqual() {
	s.t.Helper()
	shown := map[uint32]uint32{}
	for _, is := range s.e.sink.entities {
		shown[is.name()] = is.values[4]
	}
	require.Len(s.t, shown, len(s.model.entities))
	for slot, is := range s.model.entities {
		require.Equal(s.t, is.values[4], shown[uint32(slot)+1], "entity %d", slot)
	}
}

var differences = map[string]func(*network){
	"plain":       func(*network) {},
	"differences": (*network).differ,
}

// Updates arrive before the actions that they build on and exceed the peer's limit, and there are
// no changes after that. The dropped updates are sent once more.
//
// Proves: R44
func TestWhatFoundNoRoomBeforeItsActionIsSentAgain(t *testing.T) {
	for name, differ := range differences {
		t.Run(name, func(t *testing.T) {
			s := newEarly(t, 20, differ)
			s.full = true
			for range 3 {
				s.move()
			}
			s.full = false
			s.arrive()
			s.rest()
			s.requireEqual()
			s.rest()
			assert.True(t, s.e.peer.Idle())
		})
	}
}

// While an action of a group is in flight, the baseline of its updates stays at the action, however
// many of them are acknowledged. It advances with the updates that were sent after the
// acknowledgement of the action.
//
// Proves: R30, R44
func TestAnUpdateThatMayWaitIsNoBase(t *testing.T) {
	for name, differ := range differences {
		t.Run(name, func(t *testing.T) {
			s := newEarly(t, 1, differ)
			begun := s.tick
			for range 40 {
				s.move()
				base, _ := s.e.peer.Base(0)
				require.Equal(t, begun, base)
			}
			require.Zero(t, s.e.copy.Stats().Overflow)
			s.arrive()
			base, _ := s.e.peer.Base(0)
			require.Equal(t, begun, base)
			s.requireEqual()
			s.move()
			base, _ = s.e.peer.Base(0)
			assert.Equal(t, s.tick, base)
			s.requireEqual()
		})
	}
}

// An update that was sent before an action was acknowledged does not become a baseline either if it
// is acknowledged after the action.
//
// Proves: R30, R44
func TestAnUpdateThatIsAcknowledgedLateIsNoBase(t *testing.T) {
	for name, differ := range differences {
		t.Run(name, func(t *testing.T) {
			s := newEarly(t, 1, differ)
			begun := s.tick
			s.tick++
			s.world.Begin(s.tick)
			s.world.Change(4, []repl.Slot{0})
			s.world.Commit()
			s.model.remember(s.tick, 64)
			require.NotEmpty(t, s.e.peer.AppendUpdates(nil, 1000, 7))
			s.arrive()
			s.e.peer.HandleAcked(7)
			base, _ := s.e.peer.Base(0)
			assert.Equal(t, begun, base)
			assert.False(t, s.e.peer.Idle(), "it is sent again")
		})
	}
}
