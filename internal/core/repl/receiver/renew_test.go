package receiver_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
)

// renewed is a sink that records the ids that are announced as reused.
type renewed struct {
	*copySink
	told []string
}

func (r *renewed) Renew(id repl.ID, since entangle.Tick) {
	assert.NotContains(r.t, r.byID, id, "it is told before the entity is there")
	r.told = append(r.told, fmt.Sprint(id, " since ", since))
}

func (r *renewed) RenewAll(h repl.Handle, since entangle.Tick) {
	r.told = append(r.told, fmt.Sprint("all of ", h, " since ", since))
}

func (r *renewed) took() []string {
	told := r.told
	r.told = nil
	return told
}

// The sink is given the Since of an entity's id before the entity joins: this includes a handle
// that another group had, an entity that was born in a group that arrives later or never, and a
// reused number within a group. For entities that already exist there, or stay, nothing is
// announced.
//
// Proves: R27
func TestTheSinceOfAnIDIsGivenBeforeItsEntityJoins(t *testing.T) {
	s := newScripted(t)
	sink := &renewed{copySink: s.sink}
	s.copy = receiver.New(sink, nil, comps)
	anew := one(repl.Full, groupA, 0, 1000, 0)
	s.get(anew)
	assert.Empty(t, sink.took())

	anew.group, anew.since = repl.Private+3, repl.SinceAt(700)
	s.get(anew)
	assert.Equal(t, []string{fmt.Sprint("all of ", repl.Private+3, " since 640")}, sink.took())

	elsewhere := []repl.Ref{{ID: id(groupC, 0), Since: repl.SinceAt(999)}, {ID: id(groupC, 1)}, {ID: id(groupA, 0), Since: repl.SinceAt(999)}}
	s.get(record{
		kind: repl.Full, group: groupB, tick: 1001, refs: elsewhere,
		joins: []joining{
			{number: 0, content: number(1)},
			{number: 1, from: 1, content: number(1)},
			{number: 2, from: 2, content: number(1)},
			{number: 3, since: repl.SinceAt(64), content: number(1)},
		},
	})
	assert.Equal(t, []string{"{3 0} since 960", "{2 3} since 64"}, sink.took(), "an entity that did not arrive is nobody yet")
	s.get(record{
		kind: repl.Change, group: groupB, seq: 1, tick: 1002, base: 1001, refs: elsewhere[:1],
		joins: []joining{{number: 1, from: 1, content: number(2)}, {number: 3, since: repl.SinceAt(64), content: number(2)}},
	})
	assert.Empty(t, sink.took(), "they are there")
	s.update(1003, 1001)
	assert.Empty(t, sink.took())
}
