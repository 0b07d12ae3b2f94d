package receiver_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// newSparse returns a receiver with a group without member 0: it has members 1 and 3.
func newSparse(t *testing.T) *scripted {
	s := newScripted(t)
	s.get(record{kind: repl.Full, group: groupB, tick: 10, joins: []joining{{number: 1, content: number(1)}, {number: 3, content: number(3)}}})
	return s
}

// Members behind one that the replica does not have, and that loses components, are changed.
func TestChangesBehindAMissingMember(t *testing.T) {
	s := newSparse(t)
	loses := content{removed: []int{0}}
	s.get(record{kind: repl.Change, group: groupB, tick: 20, base: 10, changed: []change{{0, loses}, {1, number(8)}, {2, loses}, {3, number(10)}}})
	assert.EqualValues(t, 8, s.entity(id(groupB, 1)).value)
	assert.EqualValues(t, 10, s.entity(id(groupB, 3)).value)
}

// A change removes components, the first one of the registry, too, and a set of none is malformed.
func TestAChangeRemovesComponents(t *testing.T) {
	s := newSparse(t)
	s.get(record{kind: repl.Change, group: groupB, tick: 20, base: 10, changed: []change{{1, content{removed: []int{0}, set: []int{2}}}}})
	mask := s.entity(id(groupB, 1)).mask
	assert.False(t, mask.Has(0))
	assert.True(t, mask.Has(2))
}

// An entity that joins the group of its id by a change has the generation of the last full.
func TestAnEntityThatIsBornInAChange(t *testing.T) {
	s := newScripted(t)
	full := one(repl.Full, groupB, 10, 0)
	full.generation = 5
	s.get(full, record{kind: repl.Change, group: groupB, tick: 20, base: 10, joins: []joining{{number: 2, content: number(2)}}})
	require.Equal(t, []repl.ID{{Group: groupB, Generation: 5}, {Group: groupB, Generation: 5, Member: 2}}, s.members(groupB))
}

// A record that does not state the predicted set leaves the entities of other groups predicted.
func TestThePredictedSetOfAnotherGroup(t *testing.T) {
	s := newSparse(t)
	s.get(one(repl.Full, groupA, 10, 0))
	full := record{kind: repl.Full, group: groupB, tick: 20, joins: []joining{{number: 1, content: number(1)}, {number: 3, content: number(3)}}}
	full.predicted = predicted{3}
	s.get(full, one(repl.Change, groupA, 30, 10))
	slot, _ := s.copy.Slot(id(groupB, 3))
	assert.True(t, s.sink.predicted[slot])
	s.get(record{kind: repl.Change, group: groupB, tick: 30, base: 20, joins: []joining{{number: 5, content: number(5)}}})
	assert.True(t, s.sink.predicted[slot], "only joining members change without a statement")
	full.predicted, full.tick = nil, 40
	s.get(full)
	assert.False(t, s.sink.predicted[slot], "a full without a set states the empty one")
}

// A record of values alone has no predicted set and no references, although one that waited and applies before it has them,
// and one that waited for it keeps its own form.
func TestAUsualRecordBetweenOthers(t *testing.T) {
	s := newScripted(t)
	predicts := one(repl.Change, 0, 20, 10)
	predicts.predicted = predicted{0}
	s.get(predicts, one(repl.Change, 2, 20, 10))
	usual := record{usual: true, only: number(7)}
	require.NoError(t, s.copy.HandleActions(message(one(repl.Full, 0, 10, 0), usual, usual)))
	assert.EqualValues(t, 20, s.entity(id(0, 0)).value)
	assert.EqualValues(t, 20, s.entity(id(2, 0)).value)
	slot, _ := s.copy.Slot(id(1, 0))
	assert.False(t, s.sink.predicted[slot])

	s = newScripted(t)
	s.get(record{kind: repl.Change, group: 0, tick: 20, base: 10, refs: refTo(id(0, 0)), alone: true, only: content{set: []int{1}, ref: 1}})
	none := record{kind: repl.Full, group: 0, tick: 10, alone: true, only: content{set: []int{1}}}
	assert.ErrorIs(t, s.copy.HandleActions(message(none, record{usual: true, only: content{set: []int{1}, ref: 1}})), errValue)
}
