package receiver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
)

// newCrew returns group A at tick 10 with three native members, and group B.
func newCrew(t *testing.T) *scripted {
	s := newScripted(t)
	full := record{kind: repl.Full, group: groupA, tick: 10}
	for n := range repl.Member(3) {
		full.joins = append(full.joins, joining{number: n, content: number(uint32(n))})
	}
	s.get(full, one(repl.Full, groupB, 0, 10, 0))
	return s
}

// leaves returns a change of group A by which one member leaves.
func leaves(seq repl.Seq, tick, base entangle.Tick, n repl.Member, fate repl.Fate) record {
	return record{kind: repl.Change, group: groupA, seq: seq, tick: tick, base: base, leavers: []leaver{{n, fate}}}
}

// states returns a full of group A with some members, which the replica has.
func states(seq repl.Seq, tick entangle.Tick, numbers ...repl.Member) record {
	r := record{kind: repl.Full, group: groupA, seq: seq, tick: tick}
	for _, n := range numbers {
		r.joins = append(r.joins, joining{number: n, content: number(uint32(n))})
	}
	return r
}

// ends returns the end of group A.
func ends(seq repl.Seq, tick entangle.Tick) record {
	return record{kind: repl.Gone, group: groupA, seq: seq, tick: tick}
}

// overtakers returns the records that overtake waiting ones: a full without members, and the end.
func overtakers(seq repl.Seq, tick entangle.Tick) []record {
	return []record{states(seq, tick), ends(seq, tick)}
}

// getLate is like get, for a record that may be an end. An end waits long for earlier records.
func (s *scripted) getLate(r record) {
	s.t.Helper()
	s.get(r)
	if _, known := s.copy.Held(r.group); known && r.kind == repl.Gone {
		require.NoError(s.t, s.copy.HandleUpdates(r.tick+400, nil))
	}
}

func (s *scripted) has(id repl.ID, want bool) {
	s.t.Helper()
	_, ok := s.copy.Slot(id)
	require.Equal(s.t, want, ok, "%v", id)
}

// If the limit of bytes or records is used up by records that can be requested again, an action by
// which members leave displaces them. What happened to its members is not lost, whatever overtakes
// the action.
//
// Proves: R41
func TestLeaversTakeTheRoomOfWhatCanBeHadAgain(t *testing.T) {
	for _, by := range []string{"bytes", "number"} {
		for i := range 2 {
			s := newCrew(t)
			if by == "bytes" {
				s.copy.LimitWaiting(200)
				s.get(one(repl.Change, groupB, 2, 30, 20), one(repl.Change, groupB, 3, 40, 30))
			} else {
				s.get(needing(groupA, 1, 20, 10, need(99, 20)))
				for k := range repl.Seq(63) {
					s.get(one(repl.Change, groupA, (2+k)%repl.SeqCycle, 21+entangle.Tick(k), 20+entangle.Tick(k)))
				}
			}
			require.Zero(t, s.copy.Stats().Overflow)
			leave := leaves(65%repl.SeqCycle, 100, 99, 1, repl.Moved)
			if by == "bytes" {
				leave.seq = 2
			}
			s.get(leave)
			require.NotContains(t, s.asks(), groupA, "by %s", by)
			s.getLate(overtakers(leave.seq+1, 110)[i])
			s.has(id(groupA, 1), true)
			s.has(id(groupA, 0), false)
			require.NotContains(t, s.members(groupA), id(groupA, 1))
		}
	}
}

// A number may belong to another entity when a member leaves under it a second time. If a full or
// an end overtakes both records, the first one counts for the entity of the replica, in whichever
// order they arrived.
//
// Proves: R41
func TestWhatIsOvertakenCountsInItsOrder(t *testing.T) {
	for _, first := range []repl.Fate{repl.Moved, repl.Despawned} {
		second := repl.Moved - first
		orders(3, func(order []int) {
			for i := range 2 {
				s := newCrew(t)
				for _, k := range order {
					s.get([]record{
						leaves(2, 30, 20, 1, first),
						{kind: repl.Change, group: groupA, seq: 3, tick: 40, base: 30, refs: refTo(id(groupB, 0)), joins: []joining{{number: 1, from: 1, content: number(9)}}},
						leaves(4, 50, 40, 1, second),
					}[k])
				}
				s.getLate(overtakers(5, 60)[i])
				s.has(id(groupA, 1), first == repl.Moved)
				s.has(id(groupB, 0), true)
				require.Zero(t, s.copy.WaitingBytes())
			}
		})
	}
}

// A record that follows a full in the sequence has no effect on the members that the full
// overtakes.
//
// Proves: R41
func TestARecordBehindAFullDoesNotChangeItsMembers(t *testing.T) {
	s := newCrew(t)
	s.get(
		leaves(5, 60, 50, 1, repl.Moved), // of another member 1, which joined after the full
		states(3, 40, 0),
	)
	s.lacks(id(groupA, 1))
	s.lacks(id(groupA, 2))
	require.Equal(t, []repl.ID{id(groupA, 0)}, s.members(groupA))
}

// lose makes the replica of group A skip an action by which member 1 moves, at once or after it has
// waited. The next action of the group has sequence 4.
func (s *scripted) lose(waits bool, at entangle.Tick) {
	lost, before := leaves(3, at, 25, 1, repl.Moved), record{kind: repl.Change, group: groupA, seq: 2, tick: 24, base: 22}
	s.get(record{kind: repl.Change, group: groupA, seq: 1, tick: 20, base: 10})
	if waits {
		s.get(lost, before)
	} else {
		s.get(before, lost)
	}
	require.Equal(s.t, []repl.Handle{groupA}, s.asks())
	s.holds(groupA, 20)
}

// An action that cannot be applied still counts for its leaving members, whether it waited or not,
// as long as the replica is at an earlier tick.
//
// Proves: R41
func TestLeaversOfAnActionThatIsPassedOver(t *testing.T) {
	for _, waits := range []bool{false, true} {
		for _, held := range []entangle.Tick{20, 29, 30, 31} {
			for i := range 2 {
				s := newCrew(t)
				s.lose(waits, 30)
				if held > 20 {
					s.get(record{kind: repl.Update, group: groupA, tick: held, base: 20, changed: []change{{0, number(7)}}})
				}
				s.holds(groupA, held)
				require.Equal(t, held < 30, s.copy.WaitingBytes() > 0)
				s.getLate(overtakers(4, 50)[i])
				s.has(id(groupA, 1), held < 30)
				s.lacks(id(groupA, 2))
				require.Zero(t, s.copy.WaitingBytes())
			}
		}
	}
}

// Of records that are applied together, one may have overtaken a waiting record. The members that
// leave by the waiting record are those before the overtaking one, not those that exist when the
// group ends.
//
// Proves: R41
func TestWhatAFullWentPastIsNothingToTheEnd(t *testing.T) {
	s := newCrew(t)
	full := states(3, 50, 0)
	full.refs = refTo(id(groupB, 5))
	full.joins = append(full.joins, joining{number: 1, from: 1, content: number(9)})
	full.needs = []repl.Need{need(groupB, 50)}
	s.get(leaves(2, 40, 30, 1, repl.Moved), full, ends(4, 60))
	s.holds(groupA, 10)
	s.get(needing(groupB, 1, 60, 10, need(groupA, 60)))
	s.holds(groupB, 60)
	_, known := s.copy.Held(groupA)
	require.False(t, known)
	s.has(id(groupA, 1), true)
	s.lacks(id(groupB, 5))
	require.Equal(t, 5, s.sink.spawns)
}

// If a set of groups is too large to be applied together, one of them is skipped. Members that
// leave it by a waiting record still move. A group that was never received remains so.
//
// Proves: R41
func TestLeaversOfAGroupThatIsGivenUp(t *testing.T) {
	const n = 1025
	moving := func(kind repl.Kind, h repl.Handle) record {
		r := record{
			kind: kind, group: h, seq: 1, tick: 20, base: 10, needs: []repl.Need{need((h+1)%n, 20)},
			leavers: []leaver{{0, repl.Moved}},
		}
		if kind == repl.Full {
			r.seq = 0
		}
		return r
	}
	s := newScripted(t)
	for h := range repl.Handle(n) {
		s.get(one(repl.Full, h, 0, 10, 0))
	}
	for h := range repl.Handle(n) {
		s.get(moving(repl.Change, h))
	}
	asked := s.asks()
	require.NotEmpty(t, asked)
	for _, h := range asked {
		s.get(record{kind: repl.Full, group: h, seq: 2, tick: 30})
		s.has(id(h, 0), true)
		require.Empty(t, s.members(h))
	}

	s = newScripted(t)
	for h := range repl.Handle(n) {
		s.get(moving(repl.Full, h))
	}
	require.NotEmpty(t, s.asks())
	require.Zero(t, s.copy.Len(), "what they need never came")
}

// A record that cannot be requested again and exceeds a limit ends the connection at once. For the
// limit of bytes, at most one record beyond it is kept; for the limit of 128 records of a group,
// none.
//
// Proves: Z17
func TestStructureWithoutRoomEndsTheConnection(t *testing.T) {
	s := newCrew(t)
	s.copy.LimitWaiting(1000)
	err, records := error(nil), 0
	for ; err == nil; records++ {
		require.Less(t, records, 64)
		require.LessOrEqual(t, s.copy.WaitingBytes(), 1000)
		err = s.try(leaves(repl.Seq(2+records)%repl.SeqCycle, 30+entangle.Tick(records), 20, 1, repl.Moved))
	}
	require.ErrorIs(t, err, receiver.ErrNoRoom)

	s = newCrew(t)
	for i := range 128 {
		s.get(leaves(repl.Seq(2+i)%repl.SeqCycle, 30+entangle.Tick(i), 29+entangle.Tick(i), 1, repl.Moved))
	}
	require.ErrorIs(t, s.try(leaves(130%repl.SeqCycle, 200, 199, 1, repl.Moved)), receiver.ErrNoRoom)
}

// An end that waits for earlier records is applied after 256 ticks, together with other waiting
// records; not earlier, and not before the first full of its group.
//
// Proves: R41
func TestTheEndOfAGroupIsNotPutOffForEver(t *testing.T) {
	for after, over := range map[entangle.Tick]bool{256: false, 257: true} {
		s := newCrew(t)
		s.get(leaves(2, 30, 20, 1, repl.Moved), ends(4, 50))
		s.holds(groupA, 10)
		require.NoError(t, s.copy.HandleUpdates(50+after, nil))
		_, known := s.copy.Held(groupA)
		require.Equal(t, !over, known, "after %d ticks", after)
		s.has(id(groupA, 0), !over)
		s.has(id(groupA, 1), true)
		require.Equal(t, !over, s.copy.WaitingBytes() > 0)
	}

	s := newScripted(t)
	s.get(ends(1, 50))
	require.NoError(t, s.copy.HandleUpdates(400, nil))
	s.get(states(0, 40, 0))
	require.Equal(t, 1, s.sink.spawns)
	require.Zero(t, s.copy.Len())

	s = newScripted(t)
	first := states(0, 40, 0)
	first.needs = []repl.Need{need(groupB, 40)}
	s.get(first, ends(1, 50))
	require.NoError(t, s.copy.HandleUpdates(400, nil))
	require.Zero(t, s.sink.spawns)
	s.get(one(repl.Full, groupB, 0, 40, 0))
	require.Equal(t, 2, s.sink.spawns)
	require.Equal(t, 1, s.copy.Len())
}

// The end of a group is applied at once if an action before it may have exceeded the limit, because
// 64 others wait.
func TestAnEndBehindManyActions(t *testing.T) {
	for _, waiting := range []repl.Seq{63, 64} {
		s := newGroups(t)
		s.sink.wantsNothing = false
		s.get(needing(groupA, 1, 20, 10, need(99, 20)))
		for k := repl.Seq(2); k <= waiting; k++ {
			s.get(one(repl.Change, groupA, k%repl.SeqCycle, 20+entangle.Tick(k), 19+entangle.Tick(k)))
		}
		s.get(ends((waiting+1)%repl.SeqCycle, 200))
		_, known := s.copy.Held(groupA)
		require.Equal(t, waiting == 63, known, "behind %d", waiting)
	}
}

// Of actions that cannot be applied, those by which members leave are kept, up to the number that
// may wait. One more ends the connection. A full overtakes all of them once, even if the ticks of a
// hostile server wrap around, and none of them remains.
//
// Proves: Z17
func TestActionsThatCannotBeAppliedAreBounded(t *testing.T) {
	s := newCrew(t)
	for k := range 128 {
		s.get(leaves(repl.Seq(1+k)%repl.SeqCycle, 20+entangle.Tick(k), 19, 1, repl.Moved))
	}
	require.ErrorIs(t, s.try(leaves(129%repl.SeqCycle, 200, 199, 1, repl.Moved)), receiver.ErrNoRoom)

	s = newScripted(t)
	seq, tick := hoard(func(r record) { s.get(r) }, 0, 126)
	require.Greater(t, s.copy.WaitingBytes(), 126*64)
	s.full((seq+1)%repl.SeqCycle, tick)
	s.holds(0, tick)
	require.Zero(t, s.copy.WaitingBytes())
}

// An entity in transit, which an action takes in that cannot be applied, ends with the requested full or
// the end that does not name it, unless a later action says that it has moved on.
//
// Proves: R41
func TestAnEntityThatAPassedOverActionTakesIn(t *testing.T) {
	mover := id(groupB, 0)
	for _, movedOn := range []bool{false, true} {
		for i := range 2 {
			s := newCrew(t)
			s.get(record{kind: repl.Gone, group: groupB, seq: 1, tick: 20, leavers: []leaver{{0, repl.Moved}}})
			s.get(
				record{kind: repl.Change, group: groupA, seq: 1, tick: 20, base: 15}, // is passed over
				record{
					kind: repl.Change, group: groupA, seq: 2, tick: 30, base: 20, needs: []repl.Need{{Group: groupB, Tick: 20}},
					refs: refTo(mover), joins: []joining{{number: 5, from: 1, content: number(1)}},
				},
			)
			require.Equal(t, []repl.Handle{groupA}, s.asks())
			if movedOn {
				s.get(leaves(3, 40, 30, 5, repl.Moved))
			} else {
				s.get(leaves(3, 40, 30, 5, repl.Despawned))
			}
			s.has(mover, true)
			s.getLate(overtakers(4, 50)[i])
			s.has(mover, movedOn)
			require.Zero(t, s.copy.WaitingBytes())
		}
	}
}

// An action that takes in an entity whose group has ended is not dropped for lack of room: a full would
// not say what became of the entity.
//
// Proves: R41
func TestAnActionThatTakesAnEntityInKeepsItsRoom(t *testing.T) {
	mover := id(groupB, 0)
	s := newCrew(t)
	s.copy.LimitWaiting(150)
	s.get(record{kind: repl.Gone, group: groupB, seq: 1, tick: 20, leavers: []leaver{{0, repl.Moved}}})
	s.get(record{kind: repl.Change, group: 9, seq: 2, tick: 20, base: 10}) // one that makes way
	s.get(
		record{
			kind: repl.Change, group: groupA, seq: 2, tick: 30, base: 20, needs: []repl.Need{{Group: groupB, Tick: 20}},
			refs: refTo(mover), joins: []joining{{number: 5, from: 1, content: number(1)}},
		},
		leaves(3, 40, 30, 5, repl.Despawned),
		record{kind: repl.Change, group: groupA, seq: 1, tick: 20, base: 10},
	)
	s.has(mover, false)
	s.holds(groupA, 40)
}

// Of two entities that overtaken actions of a hostile server take in under one number, the first one has the number.
//
// Proves: Z17
func TestOvertakenActionsWithOneNumber(t *testing.T) {
	s := newGroups(t)
	s.sink.wantsNothing = false
	s.get(gives(groupA, 20, 0), gives(groupB, 20, 0))
	for i, from := range []repl.Handle{groupA, groupB} {
		seq, tick := repl.Seq(2+i), 21+entangle.Tick(i)
		s.get(record{
			kind: repl.Change, group: groupC, seq: seq, tick: tick, base: tick - 1, refs: refTo(id(from, 0)),
			joins: []joining{{number: 3, from: 1, content: number(1)}},
		})
	}
	s.get(record{kind: repl.Full, group: groupC, seq: 4, tick: 30, joins: []joining{{number: 3, content: number(2)}}})
	require.Equal(t, []repl.ID{id(groupC, 3)}, s.members(groupC))
	s.lacks(id(groupA, 0))
	s.entity(id(groupB, 0))
}
