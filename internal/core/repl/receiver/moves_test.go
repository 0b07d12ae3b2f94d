package receiver_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// The groups of these tests. Each starts at tick 10 with its native member 0.
const (
	groupA repl.Handle = iota + 1
	groupB
	groupC
)

func newGroups(t testing.TB, more ...repl.Handle) *scripted {
	s := newScripted(t)
	for _, h := range append([]repl.Handle{groupA, groupB, groupC}, more...) {
		s.get(one(repl.Full, h, 10, 0))
	}
	s.sink.wantsNothing = true
	return s
}

// gives returns the half of a move by which members leave, from baseline 10.
func gives(h repl.Handle, tick entangle.Tick, numbers ...repl.Member) record {
	r := record{kind: repl.Change, group: h, tick: tick, base: 10}
	for _, n := range numbers {
		r.leavers = append(r.leavers, leaver{n, repl.Moved})
	}
	return r
}

// takes returns the half of a move by which the native member of another group joins, as member 1.
func takes(h repl.Handle, tick entangle.Tick, from repl.Handle) record {
	return record{
		kind: repl.Change, group: h, tick: tick, base: 10,
		refs: refTo(id(from, 0)), joins: []joining{{number: 1, from: 1, content: number(uint32(tick))}},
	}
}

// swaps returns both halves in one record: the native member leaves, and the native member of
// another group joins.
func swaps(h repl.Handle, tick entangle.Tick, from repl.Handle) record {
	r := takes(h, tick, from)
	r.leavers = []leaver{{0, repl.Moved}}
	return r
}

// members returns the ids of a group's members.
func (s *scripted) members(h repl.Handle) (ids []repl.ID) {
	for _, slot := range s.copy.Members(h, nil) {
		ids = append(ids, s.sink.entities[slot].id)
	}
	return ids
}

// Whichever half of a move arrives first, the entity continues to exist, keeps its id and its slot, and leaves the one group
// when it joins the other.
//
// Proves: R41
func TestAMoveInEitherOrder(t *testing.T) {
	for _, from := range []repl.Handle{groupA, groupC} {
		orders(2, func(order []int) {
			s := newGroups(t)
			slot, _ := s.copy.Slot(id(from, 0))
			halves := []part{
				{number: 0, records: []record{gives(from, 20, 0)}},
				{number: 1, records: []record{takes(groupB, 20, from)}, last: true},
			}
			s.getUnits(20, halves[order[0]])
			require.Equal(t, []repl.ID{id(groupB, 0)}, s.members(groupB), "it waits")
			require.Equal(t, []repl.ID{id(from, 0)}, s.members(from))
			s.getUnits(20, halves[order[1]])
			require.Empty(t, s.members(from))
			require.Equal(t, []repl.ID{id(groupB, 0), id(from, 0)}, s.members(groupB))
			require.EqualValues(t, 20, s.entity(id(from, 0)).value)
			now, _ := s.copy.Slot(id(from, 0))
			require.Equal(t, slot, now)
			require.Zero(t, s.copy.WaitingBytes())
			up := record{kind: repl.Update, group: groupB, tick: 30, base: 20, changed: []change{{1, number(30)}}}
			s.get(up)
			require.EqualValues(t, 30, s.entity(id(from, 0)).value)
		})
	}
}

// Groups may swap members in one unit, or exchange them in a circle. No entity is despawned or spawned for it.
//
// Proves: R41
func TestGroupsThatNeedEachOther(t *testing.T) {
	s := newGroups(t)
	s.getUnit(swaps(groupA, 20, groupB), swaps(groupB, 20, groupA))
	assert.Equal(t, []repl.ID{id(groupB, 0)}, s.members(groupA))
	assert.Equal(t, []repl.ID{id(groupA, 0)}, s.members(groupB))

	s = newGroups(t)
	s.getUnit(swaps(groupA, 20, groupB), swaps(groupB, 20, groupC), swaps(groupC, 20, groupA))
	assert.Equal(t, []repl.ID{id(groupB, 0)}, s.members(groupA))
	assert.Equal(t, []repl.ID{id(groupC, 0)}, s.members(groupB))
	assert.Equal(t, []repl.ID{id(groupA, 0)}, s.members(groupC))
}

// moves returns the unit by which an entity moves, in one part.
func moves(give, take record) part {
	if take.group < give.group {
		give, take = take, give
	}
	return whole(0, give, take)
}

// chain returns units that move A's native member to B at tick 20, and on to C at tick 30.
func chain() []part {
	on := gives(groupB, 30, 1)
	on.base = 20
	return []part{moves(gives(groupA, 20, 0), takes(groupB, 20, groupA)), moves(on, takes(groupC, 30, groupA))}
}

// An entity that moves repeatedly ends in the right group, in whatever order the units arrive.
//
// Proves: R41
func TestAChainOfMovesInAnyOrder(t *testing.T) {
	orders(2, func(order []int) {
		s := newGroups(t)
		for _, i := range order {
			s.getUnits(20+10*entangle.Tick(i), chain()[i])
		}
		require.Empty(t, s.members(groupA), "%v", order)
		require.Equal(t, []repl.ID{id(groupB, 0)}, s.members(groupB), "%v", order)
		require.Equal(t, []repl.ID{id(groupC, 0), id(groupA, 0)}, s.members(groupC), "%v", order)
		require.EqualValues(t, 30, s.entity(id(groupA, 0)).value)
	})
}

// orders calls f with every order of n things.
func orders(n int, f func([]int)) {
	var rec func(order []int)
	rec = func(order []int) {
		if len(order) == n {
			f(order)
			return
		}
	next:
		for i := range n {
			for _, have := range order {
				if have == i {
					continue next
				}
			}
			rec(append(order[:len(order):len(order)], i))
		}
	}
	rec(nil)
}

// A group may end because its last member moves away. The member's id remains in use.
//
// Proves: R41
func TestAGroupEndsByItsLastMembersMoving(t *testing.T) {
	s := newGroups(t)
	s.getUnit(ends(groupA, 20, 10, leaver{0, repl.Moved}), takes(groupB, 20, groupA))
	require.Equal(t, []repl.ID{id(groupB, 0), id(groupA, 0)}, s.members(groupB))
	_, ok := s.copy.Held(groupA)
	require.False(t, ok)
	s.sink.wantsNothing = false
	s.get(ends(groupB, 30, 20))
	s.lacks(id(groupA, 0))
}

// A member that left and returns has its own number again.
//
// Proves: R41
func TestAMoveBackHome(t *testing.T) {
	back := gives(groupB, 30, 1)
	back.base = 20
	home := record{kind: repl.Change, group: groupA, tick: 30, base: 20, joins: []joining{{number: 0, content: number(30)}}}
	orders(2, func(order []int) {
		s := newGroups(t)
		for _, i := range order {
			s.getUnits(20+10*entangle.Tick(i), []part{moves(gives(groupA, 20, 0), takes(groupB, 20, groupA)), moves(back, home)}[i])
		}
		require.Equal(t, []repl.ID{id(groupA, 0)}, s.members(groupA))
		require.Equal(t, []repl.ID{id(groupB, 0)}, s.members(groupB))
		s.get(record{kind: repl.Update, group: groupA, tick: 31, base: 30, alone: true, only: number(31)})
		require.EqualValues(t, 31, s.entity(id(groupA, 0)).value)
	})
}

// If a member leaves and returns within one action, it is the same entity, sent again in full.
func TestOutAndHomeInOneAction(t *testing.T) {
	s := newGroups(t)
	r := gives(groupA, 20, 0)
	r.joins = []joining{{number: 0, content: number(20)}}
	s.get(r)
	require.Equal(t, []repl.ID{id(groupA, 0)}, s.members(groupA))
	require.EqualValues(t, 20, s.entity(id(groupA, 0)).value)
}

// A full may replace the change of the group that is joined, or of the group that is left.
//
// Proves: R41
func TestMovesThroughFulls(t *testing.T) {
	into := takes(groupB, 20, groupA)
	into.kind = repl.Full
	into.joins = append([]joining{{number: 0, content: number(20)}}, into.joins...)
	out := record{kind: repl.Full, group: groupA, tick: 20, leavers: []leaver{{0, repl.Moved}}}
	for _, u := range []part{
		moves(gives(groupA, 20, 0), into),
		moves(out, into),
		moves(out, takes(groupB, 20, groupA)),
	} {
		s := newGroups(t)
		s.getUnits(20, u)
		require.Empty(t, s.members(groupA))
		require.Equal(t, []repl.ID{id(groupB, 0), id(groupA, 0)}, s.members(groupB))
	}
}

// An entity that moved and was then despawned is despawned once, by the group to which it moved.
//
// Proves: R41
func TestMovedAndDespawned(t *testing.T) {
	gone := record{kind: repl.Change, group: groupB, tick: 30, base: 20, leavers: []leaver{{1, repl.Despawned}}}
	for _, first := range []bool{true, false} {
		s := newGroups(t)
		s.sink.wantsNothing = false
		if first {
			s.get(gone)
		}
		s.getUnits(20, moves(gives(groupA, 20, 0), takes(groupB, 20, groupA)))
		if !first {
			s.get(gone)
		}
		require.Len(t, s.sink.entities, 2)
		s.lacks(id(groupA, 0))
		require.Equal(t, 3, s.sink.spawns)
		require.Zero(t, s.copy.Stats().Abandoned)
	}
}

// An orphaned entity stays in the world, and the receiver forgets it.
func TestLetGo(t *testing.T) {
	s := newGroups(t)
	r := gives(groupA, 20, 0)
	r.leavers[0].fate = repl.Orphaned
	s.get(r)
	require.Equal(t, []repl.ID{id(groupA, 0)}, s.sink.orphaned)
	s.lacks(id(groupA, 0))
	s.get(ends(groupB, 20, 10, leaver{0, repl.Orphaned}))
	require.Len(t, s.sink.orphaned, 2)
	s.get(record{kind: repl.Full, group: groupC, tick: 20, leavers: []leaver{{0, repl.Orphaned}}})
	require.Len(t, s.sink.orphaned, 3)
	require.Empty(t, s.sink.entities)
}

// An entity that leaves a group and that no other takes is despawned by the end of the unit, or of the message. It is not
// lost to a group that takes it in the same unit, and not despawned twice by a full that it leaves as well.
func TestAMoverThatNoGroupTakes(t *testing.T) {
	for name, get := range map[string]func(*scripted){
		"alone":     func(s *scripted) { s.get(gives(groupA, 20, 0)) },
		"in a unit": func(s *scripted) { s.getUnit(gives(groupA, 20, 0), gives(groupB, 20)) },
		"in an end": func(s *scripted) { s.get(ends(groupA, 20, 10, leaver{0, repl.Moved})) },
		"in a full": func(s *scripted) {
			s.get(record{kind: repl.Full, group: groupA, tick: 20, leavers: []leaver{{0, repl.Moved}}})
		},
		"by a waiting change": func(s *scripted) {
			waits := gives(groupA, 20, 0)
			waits.base = 15
			s.get(waits, one(repl.Update, groupA, 15, 10))
		},
	} {
		s := newGroups(t)
		s.sink.wantsNothing = false
		get(s)
		s.lacks(id(groupA, 0))
		require.Len(t, s.sink.entities, 2, name)
		require.EqualValues(t, 1, s.copy.Stats().Abandoned, name)
	}
	s := newGroups(t)
	s.sink.wantsNothing = false
	s.getUnits(20, whole(0, gives(groupA, 20, 0)), whole(1, takes(groupB, 20, groupA)))
	require.EqualValues(t, 1, s.copy.Stats().Abandoned, "the next unit takes another entity of that id")
	require.Equal(t, 4, s.sink.spawns)
}

// If entities leave groups and are taken by others again and again, no state remains of the moves.
func TestMovesLeaveNoTrace(t *testing.T) {
	s := newGroups(t)
	base := [3]entangle.Tick{10, 10, 10}
	next := func(h repl.Handle, tick entangle.Tick) record {
		r := record{kind: repl.Change, group: h, tick: tick, base: base[h]}
		base[h] = tick
		return r
	}
	step := func(tick entangle.Tick) {
		from, to, at := groupA, groupB, repl.Member(0)
		if tick%2 == 1 {
			from, to, at = groupB, groupA, 1
		}
		give, take := next(from, tick), next(to, tick)
		give.leavers = []leaver{{at, repl.Moved}}
		if to == groupA {
			take.joins = []joining{{number: 0}}
		} else {
			take.refs, take.joins = refTo(id(groupA, 0)), []joining{{number: 1, from: 1}}
		}
		s.getUnits(tick, moves(give, take))
	}
	for tick := entangle.Tick(20); tick < 2000; tick++ {
		step(tick)
	}
	require.Len(t, s.sink.entities, 3)
	require.Zero(t, s.copy.Stats().Abandoned)
	require.Zero(t, s.copy.WaitingBytes())
}

// Members that refer to each other are resolved when the record that brings them has been applied.
// So is a reference of a member that the group already had.
//
// Proves: R27
func TestMembersThatReferToEachOther(t *testing.T) {
	s := newScripted(t)
	ref := func(index uint64) content { return content{set: []int{1}, ref: index} }
	s.get(record{
		kind: repl.Full, tick: 10, refs: refTo(id(0, 0), id(0, 1)),
		joins: []joining{{number: 0, content: ref(2)}, {number: 1, content: ref(1)}},
	})
	a, _ := s.copy.Slot(id(0, 0))
	b, _ := s.copy.Slot(id(0, 1))
	assert.Equal(t, b, s.sink.entities[a].ref)
	assert.Equal(t, a, s.sink.entities[b].ref)
}

// A reference to an entity that has not arrived is empty, and is set when the entity arrives, in
// whichever group. A reference to an entity that moved to another group leads there.
//
// Proves: R27
func TestReferencesFollowAnEntity(t *testing.T) {
	s := newScripted(t)
	s.get(record{kind: repl.Full, group: 7, tick: 10, refs: refTo(id(groupA, 0)), alone: true, only: content{set: []int{1}, ref: 1}})
	require.Equal(t, repl.NoSlot, s.entity(id(7, 0)).ref)
	for h := groupA; h <= groupC; h++ {
		s.get(one(repl.Full, h, 10, 0))
	}
	a, _ := s.copy.Slot(id(groupA, 0))
	require.Equal(t, a, s.entity(id(7, 0)).ref)
	s.getUnits(20, moves(gives(groupA, 20, 0), takes(groupB, 20, groupA)))
	s.get(record{kind: repl.Update, group: 7, tick: 20, base: 10, refs: refTo(id(groupA, 0)), alone: true, only: content{set: []int{1}, ref: 1}})
	require.Equal(t, a, s.entity(id(7, 0)).ref)
	s.get(record{kind: repl.Update, group: 7, tick: 21, base: 10, alone: true, only: content{set: []int{1}, ref: 0}})
	require.Equal(t, repl.NoSlot, s.entity(id(7, 0)).ref, "index 0 is no entity")
	require.Error(t, s.try(record{kind: repl.Update, group: 7, tick: 22, base: 10, refs: refTo(id(groupA, 0)), alone: true, only: content{set: []int{1}, ref: 2}}))
}
