package receiver_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
)

// outdated is a sink that records which ids are outdated.
type outdated struct {
	*copySink
	received []string
}

func (o *outdated) Outdate(h repl.Handle, to repl.Generation) {
	o.received = append(o.received, fmt.Sprint(h, " to ", to))
}

func (o *outdated) took() []string {
	received := o.received
	o.received = nil
	return received
}

// The sink learns of the generation of a handle when a group or an entity with it arrives, if it is not
// the first.
//
// Proves: R27
func TestASinkReceivesLaterGenerations(t *testing.T) {
	s := newScripted(t)
	sink := &outdated{copySink: s.sink}
	s.copy = receiver.New(sink, comps)
	first := one(repl.Full, groupA, 1000, 0)
	s.get(first)
	assert.Empty(t, sink.took())

	first.group, first.generation = repl.Private+3, 2
	s.get(first)
	assert.Equal(t, []string{fmt.Sprint(repl.Private+3, " to 2")}, sink.took())

	elsewhere := []repl.Ref{{ID: repl.ID{Group: groupC, Generation: 7}}, {ID: id(groupC, 1)}, {ID: repl.ID{Group: groupA, Generation: 9}}}
	s.get(record{
		kind: repl.Full, group: groupB, tick: 1001, refs: elsewhere,
		joins: []joining{{number: 0, content: number(1)}, {number: 1, from: 1, content: number(1)}, {number: 2, from: 2, content: number(1)}},
	})
	assert.Equal(t, []string{fmt.Sprint(groupC, " to 7")}, sink.took(), "an entity that did not arrive is nobody yet")
	s.get(record{
		kind: repl.Change, group: groupB, tick: 1002, base: 1001, refs: elsewhere[:1],
		joins: []joining{{number: 1, from: 1, content: number(2)}},
	})
	assert.Empty(t, sink.took(), "it is there")
}

// The entities of an ended group, and of the next one under its handle, have different ids: one that lives
// on elsewhere is found by its own, and the next one by its own.
//
// Proves: R27
func TestAnIDOfAnEndedGroupIsNotOfTheNext(t *testing.T) {
	s := newScripted(t)
	s.get(one(repl.Full, groupA, 10, 0))
	s.get(record{kind: repl.Full, group: groupB, tick: 10, alone: true, only: number(2)})
	s.getUnit(
		ends(groupA, 20, 10, leaver{0, repl.Moved}),
		record{
			kind: repl.Change, group: groupB, tick: 20, base: 10,
			refs: refTo(id(groupA, 0)), joins: []joining{{number: 1, from: 1, content: number(3)}},
		},
	)
	moved, ok := s.copy.Slot(id(groupA, 0))
	require.True(t, ok)
	next := one(repl.Full, groupA, 30, 0)
	next.generation = 1
	s.get(next)
	is, ok := s.copy.Slot(repl.ID{Group: groupA, Generation: 1})
	require.True(t, ok)
	assert.NotEqual(t, moved, is)
	was, ok := s.copy.Slot(id(groupA, 0))
	assert.True(t, ok)
	assert.Equal(t, moved, was)
	_, ok = s.copy.Slot(repl.ID{Group: groupA, Generation: 2})
	assert.False(t, ok)
}
