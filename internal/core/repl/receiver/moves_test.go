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

func newGroups(t testing.TB) *scripted {
	s := newScripted(t)
	for h := groupA; h <= groupC; h++ {
		s.get(one(repl.Full, h, 0, 10, 0))
	}
	s.sink.wantsNothing = true
	return s
}

// gives returns the half of a move by which members leave, from baseline 10.
func gives(h repl.Handle, tick entangle.Tick, numbers ...repl.Member) record {
	r := record{kind: repl.Change, group: h, seq: 1, tick: tick, base: 10}
	for _, n := range numbers {
		r.leavers = append(r.leavers, leaver{n, repl.Moved})
	}
	return r
}

// takes returns the half of a move by which the native member of another group joins, as member 1.
func takes(h repl.Handle, tick entangle.Tick, from repl.Handle) record {
	return record{
		kind: repl.Change, group: h, seq: 1, tick: tick, base: 10, needs: []repl.Need{{Group: from, Tick: tick}},
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

// Whichever half of a move arrives first, the entity continues to exist, keeps its id and its slot,
// and joins only when the record of its old group has arrived.
//
// Proves: R41
func TestAMoveInEitherOrder(t *testing.T) {
	for _, first := range []string{"giver", "taker"} {
		s := newGroups(t)
		slot, _ := s.copy.Slot(id(groupA, 0))
		give, take := gives(groupA, 20, 0), takes(groupB, 20, groupA)
		if first == "giver" {
			s.get(give)
			require.Empty(t, s.members(groupA))
			require.EqualValues(t, 10, s.entity(id(groupA, 0)).value, "in transit, as it was")
			s.get(take)
		} else {
			s.get(take)
			require.Equal(t, []repl.ID{id(groupB, 0)}, s.members(groupB), "it waits")
			require.Equal(t, []repl.ID{id(groupA, 0)}, s.members(groupA))
			s.get(give)
		}
		require.Empty(t, s.members(groupA))
		require.Equal(t, []repl.ID{id(groupB, 0), id(groupA, 0)}, s.members(groupB))
		require.EqualValues(t, 20, s.entity(id(groupA, 0)).value)
		now, _ := s.copy.Slot(id(groupA, 0))
		require.Equal(t, slot, now)
		require.Empty(t, s.asks())
		require.Zero(t, s.copy.WaitingBytes())
		up := record{kind: repl.Update, group: groupB, tick: 30, base: 20, changed: []change{{1, number(30)}}}
		s.get(up)
		require.EqualValues(t, 30, s.entity(id(groupA, 0)).value)
	}
}

// The record of a group that members only leave, and that needs no other group, may be in the same
// message as the record of the group that they join.
func TestBothHalvesInOneMessage(t *testing.T) {
	for _, from := range []repl.Handle{groupA, groupC} {
		s := newGroups(t)
		halves := []record{gives(from, 20, 0), takes(groupB, 20, from)}
		if from > groupB {
			halves[0], halves[1] = halves[1], halves[0]
		}
		require.NoError(t, s.copy.HandleActions(message(halves...)))
		require.Len(t, s.members(groupB), 2)
		require.Empty(t, s.members(from))
	}
}

// Groups that swap members in one tick need each other: both are applied together. The same is true
// for three groups that exchange members in a circle.
//
// Proves: R41
func TestGroupsThatNeedEachOther(t *testing.T) {
	s := newGroups(t)
	s.get(swaps(groupA, 20, groupB))
	s.holds(groupA, 10)
	s.get(swaps(groupB, 20, groupA))
	assert.Equal(t, []repl.ID{id(groupB, 0)}, s.members(groupA))
	assert.Equal(t, []repl.ID{id(groupA, 0)}, s.members(groupB))

	s = newGroups(t)
	s.get(swaps(groupA, 20, groupB), swaps(groupC, 20, groupA))
	s.holds(groupA, 10)
	s.holds(groupC, 10)
	s.get(swaps(groupB, 20, groupC))
	assert.Equal(t, []repl.ID{id(groupB, 0)}, s.members(groupA))
	assert.Equal(t, []repl.ID{id(groupC, 0)}, s.members(groupB))
	assert.Equal(t, []repl.ID{id(groupA, 0)}, s.members(groupC))
	assert.Empty(t, s.asks())
}

// chain returns records that move A's native member to B at tick 20, and on to C at tick 30.
func chain() []record {
	on := gives(groupB, 30, 1)
	on.seq, on.base = 2, 20
	last := takes(groupC, 30, groupA)
	last.needs = []repl.Need{{Group: groupB, Tick: 30}}
	return []record{gives(groupA, 20, 0), takes(groupB, 20, groupA), on, last}
}

// An entity that moves repeatedly ends in the right group, in whatever order the halves arrive.
//
// Proves: R41
func TestAChainOfMovesInAnyOrder(t *testing.T) {
	orders(4, func(order []int) {
		s := newGroups(t)
		for _, i := range order {
			s.get(chain()[i])
		}
		require.Empty(t, s.members(groupA), "%v", order)
		require.Equal(t, []repl.ID{id(groupB, 0)}, s.members(groupB), "%v", order)
		require.Equal(t, []repl.ID{id(groupC, 0), id(groupA, 0)}, s.members(groupC), "%v", order)
		require.EqualValues(t, 30, s.entity(id(groupA, 0)).value)
		require.Empty(t, s.asks())
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

// If a chain is applied together, the record of the newest tick is applied last, even if it arrived
// first.
func TestASetIsAppliedByRisingTick(t *testing.T) {
	s := newGroups(t)
	c := chain()
	c[0].needs = []repl.Need{{Group: groupB, Tick: 20}} // the groups need each other
	c[2].needs = []repl.Need{{Group: groupC, Tick: 30}}
	s.get(c[3], c[2], c[1])
	s.holds(groupB, 10)
	s.get(c[0])
	require.Equal(t, []repl.ID{id(groupC, 0), id(groupA, 0)}, s.members(groupC))
	require.Equal(t, []repl.ID{id(groupB, 0)}, s.members(groupB))
}

// A group may end because its last member moves away. The member's id remains in use.
//
// Proves: R41
func TestAGroupEndsByItsLastMembersMoving(t *testing.T) {
	end := record{kind: repl.Gone, group: groupA, seq: 1, tick: 20, leavers: []leaver{{0, repl.Moved}}}
	orders(2, func(order []int) {
		s := newGroups(t)
		for _, i := range order {
			s.get([]record{end, takes(groupB, 20, groupA)}[i])
		}
		require.Equal(t, []repl.ID{id(groupB, 0), id(groupA, 0)}, s.members(groupB))
		_, ok := s.copy.Held(groupA)
		require.False(t, ok)
		s.sink.wantsNothing = false
		s.get(record{kind: repl.Gone, group: groupB, seq: 2, tick: 30})
		s.lacks(id(groupA, 0))
	})
}

// A member that left and returns has its own number again.
//
// Proves: R41
func TestAMoveBackHome(t *testing.T) {
	s := newGroups(t)
	s.get(gives(groupA, 20, 0), takes(groupB, 20, groupA))
	home := record{
		kind: repl.Change, group: groupA, seq: 2, tick: 30, base: 20, needs: []repl.Need{{Group: groupB, Tick: 30}},
		joins: []joining{{number: 0, content: number(30)}},
	}
	s.get(home)
	require.Empty(t, s.members(groupA))
	back := gives(groupB, 30, 1)
	back.seq, back.base = 2, 20
	s.get(back)
	require.Equal(t, []repl.ID{id(groupA, 0)}, s.members(groupA))
	require.Equal(t, []repl.ID{id(groupB, 0)}, s.members(groupB))
	s.get(record{kind: repl.Update, group: groupA, tick: 31, base: 30, alone: true, only: number(31)})
	require.EqualValues(t, 31, s.entity(id(groupA, 0)).value)
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

// A full may replace the change of the group that is joined, or of the group that is left. A full
// that arrives before the other half takes the entity at once, if it needs no other group.
//
// Proves: R41
func TestMovesThroughFulls(t *testing.T) {
	into := takes(groupB, 20, groupA)
	into.kind, into.seq = repl.Full, 3
	into.joins = append([]joining{{number: 0, content: number(20)}}, into.joins...)
	out := record{kind: repl.Full, group: groupA, seq: 2, tick: 20, leavers: []leaver{{0, repl.Moved}}}
	free := into
	free.needs = nil
	for _, records := range [][]record{
		{into, gives(groupA, 20, 0)},
		{gives(groupA, 20, 0), into},
		{out, into},
		{into, out},
		{out, takes(groupB, 20, groupA)},
		{takes(groupB, 20, groupA), out},
		{free, out},
		{free, gives(groupA, 20, 0)},
	} {
		s := newGroups(t)
		s.get(records...)
		require.Empty(t, s.members(groupA))
		require.Equal(t, []repl.ID{id(groupB, 0), id(groupA, 0)}, s.members(groupB))
		require.Empty(t, s.asks())
	}
}

// An entity that moved and was then despawned is despawned once, by the group to which it moved.
//
// Proves: R41
func TestMovedAndDespawned(t *testing.T) {
	end := record{kind: repl.Change, group: groupB, seq: 2, tick: 30, base: 20, leavers: []leaver{{1, repl.Despawned}}}
	orders(3, func(order []int) {
		s := newGroups(t)
		s.sink.wantsNothing = false
		for _, i := range order {
			s.get([]record{gives(groupA, 20, 0), takes(groupB, 20, groupA), end}[i])
		}
		require.Len(t, s.sink.entities, 2)
		s.lacks(id(groupA, 0))
		require.Equal(t, 3, s.sink.spawns)
	})
}

// An orphaned entity stays in the world, and the receiver forgets it.
func TestLetGo(t *testing.T) {
	s := newGroups(t)
	r := gives(groupA, 20, 0)
	r.leavers[0].fate = repl.Orphaned
	s.get(r)
	require.Equal(t, []repl.ID{id(groupA, 0)}, s.sink.orphaned)
	s.lacks(id(groupA, 0))
	s.get(record{kind: repl.Gone, group: groupB, seq: 1, tick: 20, leavers: []leaver{{0, repl.Orphaned}}})
	require.Len(t, s.sink.orphaned, 2)
	s.get(record{kind: repl.Full, group: groupC, seq: 1, tick: 20, leavers: []leaver{{0, repl.Orphaned}}})
	require.Len(t, s.sink.orphaned, 3)
	require.Empty(t, s.sink.entities)
}

// An entity in transit that no group takes is despawned in the end.
func TestAMoverThatNoGroupTakes(t *testing.T) {
	s := newGroups(t)
	s.get(gives(groupA, 20, 0))
	s.sink.wantsNothing = false
	require.NoError(t, s.copy.HandleUpdates(20+256, nil))
	s.entity(id(groupA, 0))
	require.NoError(t, s.copy.HandleUpdates(20+257, nil))
	s.lacks(id(groupA, 0))
	require.Len(t, s.sink.entities, 2)
	require.EqualValues(t, 1, s.copy.Stats().Abandoned)
}

// An entity that a group took and that left it again has as much time as before.
func TestAMoverThatLeavesAgain(t *testing.T) {
	s := newGroups(t)
	s.get(gives(groupA, 20, 0), takes(groupB, 20, groupA))
	s.get(record{kind: repl.Change, group: groupB, seq: 2, tick: 200, base: 20, leavers: []leaver{{1, repl.Moved}}})
	require.NoError(t, s.copy.HandleUpdates(20+257, nil))
	s.entity(id(groupA, 0))
	s.sink.wantsNothing = false
	require.NoError(t, s.copy.HandleUpdates(200+257, nil))
	s.lacks(id(groupA, 0))
}

// An entity in transit is despawned before its time when 65,536 moves have followed.
func TestSoManyAreInTransit(t *testing.T) {
	s := newScripted(t)
	const each, all = 4000, 17 * 4000
	for h := range repl.Handle(all / each) {
		r := record{kind: repl.Full, group: h, tick: 10}
		out := record{kind: repl.Gone, group: h, seq: 1, tick: 20 + entangle.Tick(h)}
		for n := range repl.Member(each) {
			r.joins = append(r.joins, joining{number: n})
			out.leavers = append(out.leavers, leaver{n, repl.Moved})
		}
		s.get(r, out)
	}
	require.Equal(t, 1<<16, len(s.sink.entities))
	s.lacks(id(0, all-1<<16-1))
	s.entity(id(0, all-1<<16))
	s.entity(id(16, each-1))
}

// If entities leave groups and are taken by others again and again, no state remains of the moves.
func TestMovesLeaveNoTrace(t *testing.T) {
	s := newGroups(t)
	seq, base := [3]repl.Seq{}, [3]entangle.Tick{10, 10, 10}
	next := func(h repl.Handle, tick entangle.Tick) record {
		seq[h] = seq[h].Next()
		r := record{kind: repl.Change, group: h, seq: seq[h], tick: tick, base: base[h]}
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
		take.needs = []repl.Need{{Group: from, Tick: tick}}
		if to == groupA {
			take.joins = []joining{{number: 0}}
		} else {
			take.refs, take.joins = refTo(id(groupA, 0)), []joining{{number: 1, from: 1}}
		}
		s.get(take, give)
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
	assert.Zero(t, s.copy.Stats().Dangling)
}

// A reference to an entity that has not arrived is empty, and is set when the entity arrives, in
// whichever group. A reference to an entity that moved to another group leads there.
//
// Proves: R27
func TestReferencesFollowAnEntity(t *testing.T) {
	s := newScripted(t)
	s.get(record{kind: repl.Full, group: 7, tick: 10, refs: refTo(id(groupA, 0)), alone: true, only: content{set: []int{1}, ref: 1}})
	require.Equal(t, repl.NoSlot, s.entity(id(7, 0)).ref)
	require.EqualValues(t, 1, s.copy.Stats().Dangling)
	for h := groupA; h <= groupC; h++ {
		s.get(one(repl.Full, h, 0, 10, 0))
	}
	a, _ := s.copy.Slot(id(groupA, 0))
	require.Equal(t, a, s.entity(id(7, 0)).ref)
	s.get(gives(groupA, 20, 0), takes(groupB, 20, groupA))
	s.get(record{kind: repl.Update, group: 7, tick: 20, base: 10, refs: refTo(id(groupA, 0)), alone: true, only: content{set: []int{1}, ref: 1}})
	require.Equal(t, a, s.entity(id(7, 0)).ref)
	s.get(record{kind: repl.Update, group: 7, tick: 21, base: 10, alone: true, only: content{set: []int{1}, ref: 0}})
	require.Equal(t, repl.NoSlot, s.entity(id(7, 0)).ref, "index 0 is no entity")
	require.Error(t, s.try(record{kind: repl.Update, group: 7, tick: 22, base: 10, refs: refTo(id(groupA, 0)), alone: true, only: content{set: []int{1}, ref: 2}}))
}
