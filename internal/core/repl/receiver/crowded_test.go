package receiver_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
)

// narrow is a world with a limited number of entities.
type narrow struct {
	*copySink
	most int
}

func (n narrow) Most() int     { return n.most }
func (n narrow) AtLimit() bool { return len(n.entities) >= n.most }

func newNarrow(t testing.TB, most int) *scripted {
	s := &scripted{t: t, sink: newCopySink(t)}
	s.copy = receiver.New(narrow{s.sink, most}, comps)
	return s
}

// A record with more entities than the limit allows is refused, and changes nothing. Despawned
// entities no longer count, and moving entities do not count twice.
//
// Proves: Z7, Z17
func TestNoMoreEntitiesThanThereIsRoomFor(t *testing.T) {
	s := newNarrow(t, 3)
	for h := groupA; h <= groupC; h++ {
		s.get(one(repl.Full, h, 10, 0))
	}
	grows := record{kind: repl.Change, group: groupB, tick: 20, base: 10, joins: []joining{{number: 5}}}
	require.ErrorIs(t, s.try(grows), receiver.ErrCrowded)
	s.check()
	assert.Len(t, s.sink.entities, 3)
	s.holds(groupB, 10)

	s.getUnit(gives(groupA, 20, 0), takes(groupB, 20, groupA))
	assert.Equal(t, []repl.ID{id(groupB, 0), id(groupA, 0)}, s.members(groupB), "it only changes its group")
	s.get(ends(groupC, 20, 10))
	s.get(record{kind: repl.Change, group: groupB, tick: 30, base: 20, joins: []joining{{number: 5}}})
	assert.Len(t, s.sink.entities, 3)
}

// Groups without members do not count as entities, and have a limit of their own.
//
// Proves: Z7, Z17
func TestNoMoreGroupsThanThereIsRoomFor(t *testing.T) {
	s := newNarrow(t, 3)
	for h := range repl.Handle(3) {
		s.get(record{kind: repl.Full, group: h, tick: 10})
	}
	assert.Empty(t, s.sink.entities)
	require.ErrorIs(t, s.try(record{kind: repl.Full, group: 3, tick: 10}), receiver.ErrCrowded)
	s.get(one(repl.Full, 1, 20, 0), ends(2, 20, 10))
	s.get(record{kind: repl.Full, group: 3, tick: 20})
	assert.Equal(t, 3, s.copy.Len())
}

// If entities are spawned and despawned without end, only the entities that exist at one time
// count.
func TestEndedEntitiesTakeNoRoom(t *testing.T) {
	s := newNarrow(t, 2)
	for tick := entangle.Tick(10); tick < 400; tick += 2 {
		for h := groupA; h <= groupB; h++ {
			s.get(one(repl.Full, h, tick, 0), ends(h, tick+1, tick))
		}
	}
	assert.Empty(t, s.sink.entities)
}
