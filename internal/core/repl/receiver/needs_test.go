package receiver_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
)

// needing returns a change of a group of one that needs other groups.
func needing(h repl.Handle, seq repl.Seq, tick, base entangle.Tick, needs ...repl.Need) record {
	r := one(repl.Change, h, seq, tick, base)
	r.needs = needs
	return r
}

func need(h repl.Handle, tick entangle.Tick) repl.Need { return repl.Need{Group: h, Tick: tick} }

// A need is met if the group arrives, ends, or gets an update.
func TestWhatMeetsANeed(t *testing.T) {
	for name, meets := range map[string]record{
		"change": one(repl.Change, groupB, 1, 20, 10),
		"full":   one(repl.Full, groupB, 3, 25, 0),
		"update": one(repl.Update, groupB, 0, 22, 10),
		"end":    {kind: repl.Gone, group: groupB, seq: 1, tick: 20},
	} {
		s := newGroups(t)
		s.sink.wantsNothing = false
		s.get(needing(groupA, 1, 20, 10, need(groupB, 20)))
		s.holds(groupA, 10)
		s.get(one(repl.Update, groupA, 0, 21, 20))
		s.holds(groupA, 10)
		s.get(meets)
		held, _ := s.copy.Held(groupA)
		assert.EqualValues(t, 21, held, name)
	}
}

// A full waits for its needs, too, even the first one of its group.
func TestAFirstFullWaits(t *testing.T) {
	s := newScripted(t)
	first := one(repl.Full, groupA, 0, 20, 0)
	first.needs = []repl.Need{need(groupB, 20)}
	s.get(first, one(repl.Update, groupA, 0, 21, 20), one(repl.Change, groupA, 1, 25, 21))
	require.Zero(t, s.copy.Len())
	s.get(one(repl.Full, groupB, 0, 20, 0))
	s.holds(groupA, 25)
}

// Several waiting actions of a group, with the updates that wait between them, bring the group to a
// tick.
func TestAGroupIsBroughtThereByAllItHas(t *testing.T) {
	s := newGroups(t)
	s.get(
		needing(groupB, 1, 20, 10, need(groupA, 20)),
		one(repl.Update, groupB, 0, 25, 20),
		one(repl.Change, groupB, 2, 30, 25),
		one(repl.Update, groupB, 0, 31, 30),
		needing(groupA, 2, 30, 20, need(groupB, 30)),
	)
	s.holds(groupB, 10)
	s.get(needing(groupA, 1, 20, 10, need(groupB, 20)))
	s.holds(groupA, 30)
	s.holds(groupB, 31)
	assert.Empty(t, s.asks())
}

// More actions may wait for another group than the sequence can distinguish, because they were
// acknowledged.
func TestManyActionsWaitForAnotherGroup(t *testing.T) {
	s := newGroups(t)
	for i := range entangle.Tick(30) {
		r := one(repl.Change, groupA, repl.Seq(1+i)%repl.SeqCycle, 11+i, 10+i)
		if i == 0 {
			r.needs = []repl.Need{need(groupB, 11)}
		}
		s.get(r)
		s.holds(groupA, 10)
	}
	s.get(one(repl.Change, groupB, 1, 11, 10))
	s.holds(groupA, 40)
	assert.Empty(t, s.asks())
}

// At most 64 actions of a group wait. Further ones are skipped; a full that arrives then is
// applied, and so is the end.
func TestSoManyActionsOfAGroupWait(t *testing.T) {
	fill := func() *scripted {
		s := newGroups(t)
		s.sink.wantsNothing = false
		for i := range entangle.Tick(100) {
			r := one(repl.Change, groupA, repl.Seq(1+i)%repl.SeqCycle, 11+i, 10+i)
			if i == 0 {
				r.needs = []repl.Need{need(groupB, 11)}
			}
			s.get(r)
		}
		require.Equal(t, []repl.Handle{groupA}, s.asks())
		require.EqualValues(t, 36, s.copy.Stats().Overflow)
		return s
	}
	s := fill()
	s.get(one(repl.Full, groupA, 101%repl.SeqCycle, 200, 0), one(repl.Change, groupA, 102%repl.SeqCycle, 210, 200))
	s.holds(groupA, 210)
	require.Zero(t, s.copy.WaitingBytes())

	s = fill()
	s.get(record{kind: repl.Gone, group: groupA, seq: 101 % repl.SeqCycle, tick: 200})
	_, ok := s.copy.Held(groupA)
	require.False(t, ok)
	s.get(one(repl.Full, groupA, 0, 300, 0))
	s.holds(groupA, 300)

	s = fill()
	s.get(one(repl.Change, groupB, 1, 11, 10))
	s.holds(groupA, 74)
	s.get(one(repl.Full, groupA, 101%repl.SeqCycle, 200, 0), one(repl.Change, groupA, 102%repl.SeqCycle, 210, 200))
	s.holds(groupA, 210)
}

// The group of a need that is never met is requested once, whatever else arrives.
func TestANeedThatIsNeverMet(t *testing.T) {
	s := newGroups(t)
	s.get(needing(groupA, 1, 20, 10, need(99, 20)))
	require.NoError(t, s.copy.HandleUpdates(20+256, nil))
	require.Empty(t, s.asks())
	for tick := entangle.Tick(20 + 257); tick < 1000; tick++ {
		require.NoError(t, s.copy.HandleUpdates(tick, nil))
	}
	require.Equal(t, []repl.Handle{groupA}, s.asks())
	again := one(repl.Full, groupA, 2, 1000, 0)
	again.needs = []repl.Need{need(99, 1000)}
	s.get(again)
	for tick := entangle.Tick(1000); tick < 2000; tick++ {
		require.NoError(t, s.copy.HandleUpdates(tick, nil))
	}
	require.Equal(t, []repl.Handle{groupA}, s.asks(), "the full waits, too")
	s.get(one(repl.Full, groupA, 3, 2000, 0))
	s.holds(groupA, 2000)
	require.Zero(t, s.copy.WaitingBytes())
}

// ring makes n groups, each of which needs the next one, and the last one the first. The record of
// the last group is returned and not sent.
func ring(s *scripted, n repl.Handle) (last record) {
	for h := range n {
		s.get(one(repl.Full, h, 0, 10, 0))
	}
	for h := range n - 1 {
		s.get(needing(h, 1, 20, 10, need(h+1, 20)))
	}
	return needing(n-1, 1, 20, 10, need(0, 20))
}

// A thousand groups may need each other. If there are more, one of them is requested.
func TestALargeSetOfGroups(t *testing.T) {
	s := newScripted(t)
	s.get(ring(s, 1024))
	for h := range repl.Handle(1024) {
		s.holds(h, 20)
	}
	assert.Empty(t, s.asks())

	s = newScripted(t)
	s.get(ring(s, 1025))
	assert.NotEmpty(t, s.asks())
	assert.NotZero(t, s.copy.Stats().Overflow)
}

// Two groups with 64 waiting actions each may be applied together with one that needs them. Three would take too long to
// search.
func TestASetOfManyActions(t *testing.T) {
	for _, groups := range []repl.Handle{2, 3} {
		s := newScripted(t)
		s.full(0, 10)
		last := needing(0, 1, 90, 10)
		for h := repl.Handle(1); h <= groups; h++ {
			s.get(one(repl.Full, h, 0, 10, 0), needing(h, 1, 20, 10, need(0, 20)))
			for k := range entangle.Tick(63) {
				s.get(one(repl.Change, h, repl.Seq((2+k)%repl.SeqCycle), 21+k, 20+k))
			}
			last.needs = append(last.needs, need(h, 83))
		}
		s.get(last)
		assert.Equal(t, groups == 3, s.copy.Stats().Overflow > 0)
	}
}

// Thousands of groups may wait for one other group at a time, for example when a large group is
// divided.
func TestThousandsOfGroupsWaitForOthers(t *testing.T) {
	s := newScripted(t)
	for h := range repl.Handle(6000) {
		s.get(one(repl.Full, h, 0, 10, 0), needing(h, 1, 20, 10, need(9999, 20)))
	}
	assert.Empty(t, s.asks())
	s.get(one(repl.Full, 9999, 0, 20, 0))
	for range 10 { // not all of them in one call
		require.NoError(t, s.copy.HandleUpdates(21, nil))
	}
	for h := range repl.Handle(6000) {
		s.holds(h, 20)
	}
}

// If an entity leaves a group by an action that cannot be applied, because an earlier action
// exceeded the limit, the entity still moves: neither the requested full nor an end despawns it.
func TestMoversOutliveAnActionThatWasPassedOver(t *testing.T) {
	for _, end := range []bool{false, true} {
		s := newGroups(t)
		s.sink.wantsNothing = false
		mover := id(groupA, 0)
		slot, _ := s.copy.Slot(mover)
		s.copy.LimitWaiting(100)
		lost := one(repl.Change, groupA, 2, 30, 20)
		lost.refs = make([]repl.Ref, 40)
		s.get(lost)
		require.Equal(t, []repl.Handle{groupA}, s.asks())
		s.get(one(repl.Change, groupA, 1, 20, 10))
		s.holds(groupA, 20)
		s.get(record{kind: repl.Change, group: groupA, seq: 3, tick: 40, base: 30, leavers: []leaver{{0, repl.Moved}}})
		s.holds(groupA, 20)
		if end {
			s.get(record{kind: repl.Gone, group: groupA, seq: 4, tick: 50})
		} else {
			s.get(record{kind: repl.Full, group: groupA, seq: 4, tick: 50, joins: []joining{{number: 1, content: number(5)}}})
		}
		got, ok := s.copy.Slot(mover)
		require.True(t, ok, "it is in transit")
		require.Equal(t, slot, got)
		require.Zero(t, s.copy.WaitingBytes())
	}
}

// If memory is needed for records by which entities join, records that can be requested again are
// dropped. If that is not enough, the receiver gives up.
func TestStructureThatJoinsGroupsFindsRoomOrTheEnd(t *testing.T) {
	s := newGroups(t)
	s.copy.LimitWaiting(320)
	s.get(one(repl.Update, groupB, 0, 31, 30), one(repl.Change, groupB, 3, 30, 25), one(repl.Change, groupB, 4, 40, 30))
	require.Zero(t, s.copy.Stats().Overflow)
	s.get(needing(groupA, 1, 20, 10, need(99, 20)), needing(groupA, 3, 40, 30, need(98, 40)), needing(groupA, 4, 50, 40, need(98, 50)))
	stats := s.copy.Stats()
	require.Positive(t, stats.Passed)
	require.Greater(t, stats.Overflow, stats.Passed)
	require.LessOrEqual(t, s.copy.WaitingBytes(), 320)
	var err error
	for seq := repl.Seq(5); err == nil; seq++ {
		err = s.try(needing(groupA, seq, 60+entangle.Tick(seq), 50, need(98, 50)))
	}
	require.ErrorIs(t, err, receiver.ErrNoRoom)
}

// The sender of an update counts it as arrived if the action that it waits for was acknowledged, and
// such an action may wait here for another group. If there is no room for the update, its group is
// requested in full. The changes of an update that waits for a missing action are sent again anyway.
func TestAnUpdateBehindANeedIsNotLostForWantOfRoom(t *testing.T) {
	t.Run("when it arrives", func(t *testing.T) {
		s := newGroups(t)
		s.copy.LimitWaiting(100)
		s.get(needing(groupA, 1, 20, 10, need(99, 20)), one(repl.Update, groupA, 0, 21, 20))
		require.Equal(t, []repl.Handle{groupA}, s.asks())
	})
	t.Run("but not behind a missing action", func(t *testing.T) {
		s := newGroups(t)
		s.copy.LimitWaiting(100)
		s.get(one(repl.Change, groupA, 2, 30, 20), one(repl.Update, groupA, 0, 31, 30))
		require.EqualValues(t, 1, s.copy.Stats().Overflow)
		require.Empty(t, s.asks())
	})
	t.Run("when a later update arrives", func(t *testing.T) {
		s := newGroups(t)
		s.copy.LimitWaiting(200)
		s.get(needing(groupA, 1, 20, 10, need(99, 20)), one(repl.Update, groupA, 0, 21, 20))
		require.Empty(t, s.asks())
		s.get(one(repl.Update, groupA, 0, 22, 21))
		require.Equal(t, []repl.Handle{groupA}, s.asks())
	})
	t.Run("when structure needs its room", func(t *testing.T) {
		s := newGroups(t)
		s.copy.LimitWaiting(200)
		s.get(needing(groupA, 1, 20, 10, need(99, 20)), one(repl.Update, groupA, 0, 21, 20))
		s.get(needing(groupB, 1, 20, 10, need(99, 20)))
		require.Equal(t, []repl.Handle{groupA}, s.asks())
	})
}

// The first full of the next group under a handle may arrive while the end of the previous group
// waits for another group, and so may the records after it.
func TestTheNextGroupWhileTheEndWaits(t *testing.T) {
	s := newGroups(t)
	s.sink.wantsNothing = false
	s.get(needing(groupA, 1, 20, 10, need(groupB, 20)))
	s.get(record{kind: repl.Gone, group: groupA, seq: 2, tick: 30})
	s.holds(groupA, 10)
	s.get(one(repl.Update, groupA, 0, 41, 40))
	s.get(one(repl.Change, groupA, 1, 45, 41))
	s.get(one(repl.Full, groupA, 0, 40, 0))
	s.holds(groupA, 45)
	require.Equal(t, 4, s.sink.spawns, "another entity under the old name")
	s.get(one(repl.Change, groupB, 1, 50, 10))
	s.holds(groupA, 45)
	require.Empty(t, s.asks())
	require.Zero(t, s.copy.WaitingBytes())
}

// Late records of a group that has ended have no effect on the next group under its handle.
func TestStragglersOfAnEndedGroup(t *testing.T) {
	s := newScripted(t)
	s.full(0, 10)
	s.gone(1, 20)
	stale := s.copy.Stats().Stale
	s.get(one(repl.Full, 0, 0, 10, 0), one(repl.Change, 0, 1, 15, 10), one(repl.Update, 0, 0, 20, 10), record{kind: repl.Gone, tick: 20, seq: 1})
	s.shows(0)
	require.Equal(t, stale+4, s.copy.Stats().Stale)
	require.Zero(t, s.copy.WaitingBytes())
	s.full(0, 30)
	s.get(one(repl.Full, 0, 2, 10, 0), record{kind: repl.Gone, tick: 20, seq: 1})
	s.shows(30)
	s.change(1, 40, 30)
	s.shows(40)
}

// Several actions of a group may have to be applied together with that of another group, with an
// update between them from which the second action starts.
func TestASetWithAnUpdateInIt(t *testing.T) {
	orders(4, func(order []int) {
		s := newGroups(t)
		for _, i := range order {
			s.get([]record{
				needing(groupA, 1, 30, 10, need(groupB, 30)),
				needing(groupB, 1, 20, 10, need(groupA, 20)),
				one(repl.Update, groupB, 0, 25, 20),
				one(repl.Change, groupB, 2, 30, 25),
			}[i])
		}
		s.holds(groupA, 30)
		s.holds(groupB, 30)
		require.Empty(t, s.asks())
		require.Zero(t, s.copy.WaitingBytes())
	})
}

// A full goes before the actions that it overtakes, and the newest full before the others: they may wait
// for what never comes.
func TestASetOfFulls(t *testing.T) {
	for _, withOlder := range []bool{false, true} {
		orders(3, func(order []int) {
			s := newGroups(t)
			for h := groupA; h <= groupB; h++ {
				older, newer := one(repl.Full, h, 2, 25, 0), one(repl.Full, h, 3, 30, 0)
				older.needs, newer.needs = []repl.Need{need(99, 25)}, []repl.Need{need(groupA+groupB-h, 30)}
				for _, i := range order {
					if i != 1 || withOlder {
						s.get([]record{needing(h, 1, 20, 10, need(99, 20)), older, newer}[i])
					}
				}
			}
			s.holds(groupA, 30)
			s.holds(groupB, 30)
			require.Empty(t, s.asks())
			require.Zero(t, s.copy.WaitingBytes())
		})
	}
}

// A group that ends does not bring what waits for its next tick: that belongs to the next group.
func TestASetInWhichAGroupEnds(t *testing.T) {
	orders(4, func(order []int) {
		s := newGroups(t)
		s.sink.wantsNothing = false
		for _, i := range order {
			s.get([]record{
				needing(groupA, 1, 40, 10, need(groupB, 40)),
				needing(groupB, 1, 20, 10, need(groupA, 20)),
				{kind: repl.Gone, group: groupB, seq: 2, tick: 30},
				one(repl.Change, groupB, 3, 40, 30),
			}[i])
		}
		s.holds(groupA, 10)
	})
}
