package receiver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
)

// scripted is a receiver to which a test passes records one by one. By default the records are
// about group 0, a group of one, and its value is the tick.
type scripted struct {
	t    testing.TB
	sink *copySink
	copy *receiver.Receiver
}

func newScripted(t testing.TB) *scripted {
	s := &scripted{t: t, sink: newCopySink(t)}
	s.copy = receiver.New(s.sink, comps)
	return s
}

func (s *scripted) try(r record) error {
	if r.kind == repl.Update {
		return s.copy.HandleUpdates(r.tick, run(r))
	}
	return s.copy.HandleActions(message(r))
}

func (s *scripted) get(records ...record) {
	s.t.Helper()
	for _, r := range records {
		require.NoError(s.t, s.try(r))
		s.check()
	}
}

// check requires the invariants: every entity is found by its id.
func (s *scripted) check() {
	s.t.Helper()
	require.False(s.t, s.sink.open)
	require.LessOrEqual(s.t, s.copy.WaitingBytes(), receiver.DefaultWaitingBytes)
	if len(s.sink.entities) > 100 {
		return // in tests of limits there are too many entities to check after each record
	}
	for slot, e := range s.sink.entities {
		found, ok := s.copy.Slot(e.id)
		require.True(s.t, ok, "%v is lost", e.id)
		require.Equal(s.t, slot, found)
	}
	for slot, on := range s.sink.predicted {
		if on {
			require.Contains(s.t, s.sink.entities, slot)
		}
	}
}

func (s *scripted) full(seq repl.Seq, tick entangle.Tick) {
	s.t.Helper()
	s.get(one(repl.Full, 0, seq, tick, 0))
}

func (s *scripted) change(seq repl.Seq, tick, base entangle.Tick) {
	s.t.Helper()
	s.get(one(repl.Change, 0, seq, tick, base))
}

func (s *scripted) update(tick, base entangle.Tick) {
	s.t.Helper()
	s.get(one(repl.Update, 0, 0, tick, base))
}

func (s *scripted) gone(seq repl.Seq, tick entangle.Tick) {
	s.t.Helper()
	s.get(record{kind: repl.Gone, seq: seq, tick: tick})
}

// one returns a record of a group of one, with the tick as its value.
func one(kind repl.Kind, group repl.Handle, seq repl.Seq, tick, base entangle.Tick) record {
	return record{kind: kind, group: group, seq: seq, tick: tick, base: base, alone: true, only: number(uint32(tick))}
}

// shows requires the value that the replica of group 0 has; 0 stands for no replica.
func (s *scripted) shows(want entangle.Tick) {
	s.t.Helper()
	if want == 0 {
		require.Empty(s.t, s.sink.entities)
		return
	}
	require.Len(s.t, s.sink.entities, 1)
	for _, e := range s.sink.entities {
		require.EqualValues(s.t, want, e.value)
		require.Equal(s.t, want, e.tick)
	}
	s.holds(0, want)
}

// holds requires the tick that a group is at.
func (s *scripted) holds(h repl.Handle, want entangle.Tick) {
	s.t.Helper()
	held, ok := s.copy.Held(h)
	require.True(s.t, ok)
	require.Equal(s.t, want, held)
}

// asks returns the requested groups, each of them once.
func (s *scripted) asks() (asked []repl.Handle) {
	for h, ok := s.copy.PollResync(); ok; h, ok = s.copy.PollResync() {
		asked = append(asked, h)
	}
	return asked
}

// entity returns the replica of an id.
func (s *scripted) entity(id repl.ID) shown {
	s.t.Helper()
	slot, ok := s.copy.Slot(id)
	require.True(s.t, ok, "%v is not there", id)
	return s.sink.entities[slot]
}

func (s *scripted) lacks(id repl.ID) {
	s.t.Helper()
	_, ok := s.copy.Slot(id)
	require.False(s.t, ok, "%v is there", id)
}

func id(group repl.Handle, member repl.Member) repl.ID { return repl.ID{Group: group, Member: member} }

func refTo(ids ...repl.ID) (refs []repl.Ref) {
	for _, id := range ids {
		refs = append(refs, repl.Ref{ID: id})
	}
	return refs
}
