package repl_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
)

// stream is a sender of differences and one peer that receives its packets, in order.
type stream struct {
	*network
	e *end
}

// newStream makes entities with one component each, which is sent as differences. Each entity is in
// a group of its own.
func newStream(t *testing.T, entities int) *stream {
	return newStreamOf(newNetwork(t, 1, 5, 100), entities)
}

func newStreamOf(n *network, entities int) *stream {
	n.differ()
	s := &stream{network: n, e: n.join()}
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
	s.meet(s.e)
	return s
}

// meet delivers all entities to a peer.
func (s *stream) meet(e *end) {
	b := e.peer.AppendActions(nil, 4000)
	e.peer.ActionsSent(1)
	require.NoError(s.t, e.copy.HandleActions(b))
	e.peer.HandleDelivered(1)
}

// say moves some entities and returns their records, in packet pkt.
func (s *stream) say(pkt uint16, slots ...repl.Slot) (all []saying) {
	s.t.Helper()
	s.move(slots...)
	return s.send(s.e, pkt)
}

// move moves some entities in a tick.
func (s *stream) move(slots ...repl.Slot) {
	s.network.tick++
	s.world.Begin(s.network.tick)
	for _, slot := range slots {
		e := s.model.entities[slot]
		e.values[4] += 10 + uint32(slot)
		s.model.entities[slot] = e
		s.model.changed[slot][4] = s.network.tick
	}
	s.world.Change(4, slots)
	s.world.Commit()
	s.model.remember(s.network.tick, 64)
}

// send delivers the due records to a peer, in packet pkt.
func (s *stream) send(e *end, pkt uint16) (all []saying) {
	s.t.Helper()
	b := e.peer.AppendUpdates(nil, 1000, pkt)
	require.NotEmpty(s.t, b)
	all, _ = newParser(s.t, s.model).updates(s.network.tick, b)
	require.NoError(s.t, e.copy.HandleUpdates(s.network.tick, b))
	return all
}

func (s *stream) shown() (values []uint32) { return s.shownBy(s.e) }

// shownBy returns the values that a peer has of all entities, in their order.
func (s *stream) shownBy(e *end) (values []uint32) {
	for slot := range repl.Slot(len(s.model.entities)) {
		for _, is := range e.sink.entities {
			if is.name() == uint32(slot)+1 {
				values = append(values, is.values[4])
			}
		}
	}
	return values
}

// The first update is a difference from the full value of the action. Later ones are differences
// from the acknowledged value, extrapolated from its own baseline: the difference of an even
// movement is zero.
//
// Proves: R30
func TestADifferenceStartsFromWhatWasAcknowledged(t *testing.T) {
	s := newStream(t, 1)
	base := s.network.tick
	says := s.say(1, 0)
	assert.Equal(t, repl.From{Base: base}, says[0].From)
	says = s.say(2, 0)
	assert.Equal(t, repl.From{Base: base}, says[0].From, "nothing is acknowledged yet")
	s.e.peer.HandleAcked(1)
	says = s.say(3, 0)
	assert.Equal(t, repl.From{Base: base + 1, Prev: 1}, says[0].From)
	assert.Zero(t, says[0].members[0].values[4], "two ticks on, at 10 a tick")
	s.e.peer.HandleAcked(3)
	says = s.say(4, 0)
	assert.Equal(t, repl.From{Base: base + 3, Prev: 2}, says[0].From)
	assert.Zero(t, says[0].members[0].values[4])
	assert.Equal(t, []uint32{40}, s.shown())
}

// The groups of one run may have equal baselines but different previous baselines.
func TestWhatMovedFromElsewhereHasADifferenceOfItsOwn(t *testing.T) {
	s := newStream(t, 3)
	s.say(1, 0, 1, 2)
	s.e.peer.HandleAcked(1)
	s.say(2, 2)
	s.e.peer.HandleAcked(2)
	s.say(3, 0, 1, 2)
	s.e.peer.HandleAcked(3)
	says := s.say(4, 0, 1, 2)
	apart := map[repl.Handle]uint8{}
	for _, says := range says {
		apart[says.Group] = says.Prev
	}
	assert.Equal(t, map[repl.Handle]uint8{0: 2, 1: 2, 2: 1}, apart)
	assert.Equal(t, []uint32{30, 33, 48}, s.shown())
}

// An update may have been dropped for a newer one that arrived earlier. It is never the baseline of differences, in
// whatever order the two are acknowledged, as long as no packet is acknowledged before the newest that had arrived.
//
// Proves: R30
func TestADroppedUpdateIsNoBaseline(t *testing.T) {
	for seed := *fromSeed; seed < *fromSeed+some(*seeds)/5; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			defer func() {
				if t.Failed() {
					t.Logf("repeat with: go test ./internal/core/repl -run '^TestADroppedUpdateIsNoBaseline$' -seeds 5 -seed %d", seed)
				}
			}()
			n := newNetwork(t, seed, 6, 100)
			n.model.still = seed%2 == 1
			n.differ()
			n.withholds, n.delay, n.loss = true, 1+n.rng.IntN(8), []float64{0, 0.1, 0.3}[seed%3]
			n.join()
			for range 300 {
				n.step(func() {
					for len(n.model.entities) < 40 {
						if n.spawnAt(group.Place{}); n.rng.IntN(2) == 0 {
							n.spawn()
						}
					}
					all := n.rng.IntN(2) == 0 // in runs without gaps
					for slot := range repl.Slot(64) {
						if e, ok := n.model.entities[slot]; ok && (all || n.rng.IntN(4) == 0) {
							n.write(slot, e)
						}
					}
				})
			}
			n.end()
		})
	}
}

// That holds for whole runs, too: also if previous baselines are not used.
//
// Proves: R30
func TestADroppedRunIsNoBaseline(t *testing.T) {
	for _, still := range []bool{false, true} {
		n := newNetwork(t, 1, 5, 100)
		n.model.still = still
		s := newStreamOf(n, 4)
		s.move(0, 1, 2)
		late, tick := s.e.peer.AppendUpdates(nil, 1000, 1), s.network.tick
		s.say(2, 0, 1, 2)
		s.say(3, 3)
		require.NoError(t, s.e.copy.HandleUpdates(tick, late))
		s.e.peer.HandleAcked(3)
		s.e.peer.HandleAcked(1)
		s.say(4, 0, 1, 2)
		assert.Equal(t, []uint32{30, 33, 36, 13}, s.shown(), still)
	}
}

// A baseline that is older than both sides remember is not used: the value is sent in full.
//
// Proves: R30
func TestAnOldBaseIsNoneToDifferFrom(t *testing.T) {
	s := newStream(t, 2)
	base := s.network.tick
	for range repl.HistoryTicks - 1 {
		says := s.say(1, 0)
		require.Equal(t, base, says[0].Base)
		require.True(t, says[0].Differs(s.network.tick))
	}
	says := s.say(1, 0)
	require.Equal(t, base, says[0].Base)
	assert.False(t, says[0].Differs(s.network.tick))
	assert.EqualValues(t, 10*repl.HistoryTicks, says[0].members[0].values[4])
	assert.Equal(t, []uint32{10 * repl.HistoryTicks, 0}, s.shown())
}

// Two peers have the same value, from baselines equally far from their previous baselines, but one
// of these previous baselines is older than both sides remember. The bytes for one peer are not
// used for the other.
//
// Proves: R30
func TestOnlyOneOfTwoBasesKnowsHowAValueMoved(t *testing.T) {
	s := newStream(t, 1)
	late, early := s.join(), s.e
	s.say(0, 0)
	early.peer.HandleAcked(0)
	s.meet(late)
	s.move(0)
	s.send(late, 1)
	late.peer.HandleAcked(1)
	s.move(0)
	s.send(early, 1)
	early.peer.HandleAcked(1)
	s.move()
	s.send(late, 2)
	late.peer.HandleAcked(2)
	for range repl.HistoryTicks - 4 {
		s.move()
	}
	s.move(0)
	of := s.send(early, 3)[0].From
	other := s.send(late, 3)[0].From
	require.Equal(t, repl.From{Base: of.Base + 1, Prev: of.Prev}, other)
	_, moves := of.Previous(s.network.tick)
	require.False(t, moves)
	_, moves = other.Previous(s.network.tick)
	require.True(t, moves)
	assert.Equal(t, []uint32{40}, s.shownBy(early))
	assert.Equal(t, []uint32{40}, s.shownBy(late))
}
