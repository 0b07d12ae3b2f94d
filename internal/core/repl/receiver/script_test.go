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
	require.GreaterOrEqual(s.t, s.copy.WaitingBytes(), 0)
	require.LessOrEqual(s.t, s.copy.WaitingBytes(), s.copy.WaitingLimit())
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

// getUnits passes a message of parts of units.
func (s *scripted) getUnits(tick entangle.Tick, parts ...part) {
	s.t.Helper()
	require.NoError(s.t, s.copy.HandleActions(units(tick, parts...)))
	s.check()
}

// getUnit passes a unit of one part, the number of which is its tick's first.
func (s *scripted) getUnit(records ...record) {
	s.t.Helper()
	s.getUnits(records[0].tick, whole(0, records...))
}

// checkMembers requires that each entity is in one group.
func (s *scripted) checkMembers() {
	s.t.Helper()
	members := map[repl.Slot]bool{}
	for _, h := range s.copy.Groups(nil) {
		for _, slot := range s.copy.Members(h, nil) {
			require.False(s.t, members[slot], "slot %d is in two groups", slot)
			require.Contains(s.t, s.sink.entities, slot)
			members[slot] = true
		}
	}
	require.Len(s.t, s.sink.entities, len(members))
}

func (s *scripted) full(tick entangle.Tick) {
	s.t.Helper()
	s.get(one(repl.Full, 0, tick, 0))
}

func (s *scripted) change(tick, base entangle.Tick) {
	s.t.Helper()
	s.get(one(repl.Change, 0, tick, base))
}

func (s *scripted) update(tick, base entangle.Tick) {
	s.t.Helper()
	s.get(one(repl.Update, 0, tick, base))
}

func (s *scripted) gone(tick, base entangle.Tick) {
	s.t.Helper()
	s.get(ends(0, tick, base))
}

// one returns a record of a group of one, with the tick as its value.
func one(kind repl.Kind, group repl.Handle, tick, base entangle.Tick) record {
	return record{kind: kind, group: group, tick: tick, base: base, alone: true, only: number(uint32(tick))}
}

// ends returns the end of a group.
func ends(group repl.Handle, tick, base entangle.Tick, leavers ...leaver) record {
	return record{kind: repl.Gone, group: group, tick: tick, base: base, leavers: leavers}
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
	require.Equal(s.t, want, s.tickOf(h), "group %d", h)
}

// tickOf returns the tick of a group that is there.
func (s *scripted) tickOf(h repl.Handle) entangle.Tick {
	s.t.Helper()
	held, ok := s.copy.Held(h)
	require.True(s.t, ok, "group %d", h)
	return held
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
