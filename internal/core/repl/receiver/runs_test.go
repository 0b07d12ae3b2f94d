package receiver_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// atOnce is a sink that applies the records of many entities in one call.
type atOnce struct {
	*copySink
	tick     entangle.Tick
	comps    set.Mask
	refs     receiver.Refs
	spawning []bits.Reader // at the values of the entities of the current run
	runs     []int         // lengths of the runs of new entities, and of ended ones below 0
	reserved int           // number of the last call of Reserve
}

func (a *atOnce) UpdateBlock(slots []repl.Slot, before []entangle.Tick, tick entangle.Tick, comps *set.Mask, r *bits.Reader, refs receiver.Refs) (n int, err error) {
	for i, slot := range slots {
		a.Begin(tick, before[i])
		a.Member(slot, false)
		for c := range comps.All() {
			if err := a.Update(r, c, refs); err != nil {
				a.Discard()
				return n, err
			}
		}
		a.Commit()
		n++
	}
	return n, nil
}

func (a *atOnce) Reserve(n int) { a.reserved = n }

func (a *atOnce) BeginSpawns(tick entangle.Tick, comps *set.Mask) (room int) {
	a.tick, a.comps, a.spawning = tick, *comps, a.spawning[:0]
	return 1000
}

func (a *atOnce) ReadSpawn(r *bits.Reader, refs receiver.Refs) error {
	begun := *r
	for c := range a.comps.All() {
		switch c {
		case 0:
			if r.Bits(32) == 0xffffffff {
				return errValue
			}
		case 1:
			if _, ok := refs.At(uint32(r.Uvarint())); !ok {
				return errValue
			}
		}
	}
	a.refs, a.spawning = refs, append(a.spawning, begun)
	return r.Err()
}

func (a *atOnce) CommitSpawns(ids []repl.ID) (slots []repl.Slot) {
	a.runs = append(a.runs, len(ids))
	for i, id := range ids {
		a.Begin(a.tick, a.tick)
		slots = append(slots, a.Spawn(id))
		a.Member(slots[i], true)
		for c := range a.comps.All() {
			require.NoError(a.t, a.Insert(&a.spawning[i], c, a.refs))
		}
		a.Commit()
	}
	return slots
}

func (a *atOnce) DespawnRun(slots []repl.Slot, tick entangle.Tick) {
	a.runs = append(a.runs, -len(slots))
	for _, slot := range slots {
		a.Begin(tick, tick)
		a.Despawn(slot)
		a.Commit()
	}
}

func newAtOnce(t *testing.T) (*scripted, *atOnce) {
	s := newScripted(t)
	sink := &atOnce{copySink: s.sink}
	s.copy = receiver.New(sink, comps)
	return s, sink
}

// usualFulls returns a message of fulls of one component, of consecutive handles.
func usualFulls(first repl.Handle, values ...uint32) []byte {
	all := []record{{kind: repl.Full, group: first, tick: 10, alone: true, only: number(values[0])}}
	for _, v := range values[1:] {
		all = append(all, record{usual: true, only: number(v)})
	}
	return message(all...)
}

// New entities with the same components come in one call. Those before a malformed value are applied, and
// the rest of the message is not.
func TestARunOfSpawnsThatIsMalformedInItsMiddle(t *testing.T) {
	for bad := 2; bad < 5; bad++ {
		s, sink := newAtOnce(t)
		values := []uint32{1, 2, 3, 4, 5, 6}
		require.NoError(t, s.copy.HandleActions(usualFulls(100, values...)))
		require.Equal(t, []int{5}, sink.runs, "the first record is no usual one")
		values[bad] = 0xffffffff
		require.ErrorIs(t, s.copy.HandleActions(usualFulls(200, values...)), errValue)
		s.check()
		require.Equal(t, []int{5, bad - 1}, sink.runs)
		assert.Len(t, s.sink.entities, 6+bad)
		assert.Equal(t, 6+bad, s.copy.Len())
	}
}

// A record states the tick of the replica before it, of each group of a run its own. Before the first record of a group there
// is no other tick than that of the record.
func TestARecordStatesTheTickBeforeIt(t *testing.T) {
	handles := []repl.Handle{0, 1, 2, 1000, 1001} // of two pages of the table
	for name, start := range map[string]func() *scripted{
		"one by one":  func() *scripted { return newScripted(t) },
		"in one call": func() *scripted { s, _ := newAtOnce(t); return s },
	} {
		s := start()
		states := func(h repl.Handle, n repl.Member, want entangle.Tick) {
			require.Equal(t, want, s.entity(id(h, n)).since, "%s: group %d", name, h)
		}
		for i, h := range handles {
			s.get(one(repl.Full, h, 10+entangle.Tick(i), 0))
			states(h, 0, 10+entangle.Tick(i))
		}
		require.NoError(t, s.copy.HandleUpdates(20, plainRun(10, number(5), handles...)))
		for i, h := range handles {
			states(h, 0, 10+entangle.Tick(i))
		}
		s.change(25, 20)
		states(0, 0, 20)

		s.get(record{kind: repl.Full, group: 7, tick: 10, joins: []joining{{number: 0, content: number(1)}, {number: 1, content: number(2)}}})
		for i, n := range []repl.Member{0, 1} {
			tick := 12 + 8*entangle.Tick(i)
			s.get(record{kind: repl.Update, group: 7, tick: tick, base: 10, changed: []change{{number: n, content: number(3)}}})
		}
		states(7, 0, 10)
		states(7, 1, 12)
	}
}

// bounded is a sink with a limited number of entities that takes runs.
type bounded struct {
	*atOnce
	most int
}

func (b bounded) Most() int     { return b.most }
func (b bounded) AtLimit() bool { return len(b.entities) >= b.most }

// A run stops at the limit of groups, and the next entity is one too many.
//
// Proves: Z7, Z17
func TestARunOfSpawnsThatIsCrowdedInItsMiddle(t *testing.T) {
	s, sink := newAtOnce(t)
	s.copy = receiver.New(bounded{sink, 4}, comps)
	require.NoError(t, s.copy.HandleActions(usualFulls(100, 1, 2)))
	require.ErrorIs(t, s.copy.HandleActions(usualFulls(200, 1, 2, 3)), receiver.ErrCrowded)
	require.Equal(t, []int{1, 1}, sink.runs)
	s.check()
	assert.Len(t, s.sink.entities, 4)
	assert.Equal(t, 4, s.copy.Len())
}

// A run of spawns stops before a handle that is not free: of a group that is known, that has records
// waiting, or that ended later, or of an entity that is in another group.
func TestARunOfSpawnsStopsAtAGroupThatIsKnown(t *testing.T) {
	for name, c := range map[string]struct {
		before   []record
		runs     []int
		entities int
	}{
		"known":   {[]record{one(repl.Full, 103, 5, 0)}, []int{2, 2}, 6},
		"waiting": {[]record{one(repl.Update, 103, 12, 10)}, []int{2, 2}, 6},
		"ended":   {[]record{one(repl.Full, 103, 5, 0), ends(103, 10, 5)}, []int{2, 2}, 5},
		"elsewhere": {[]record{
			one(repl.Full, 103, 5, 0),
			{kind: repl.Full, group: 200, tick: 5, refs: refTo(id(103, 0)), joins: []joining{{number: 0, from: 1, content: number(1)}}},
			ends(103, 6, 5),
		}, []int{2, 2}, 6},
	} {
		s, sink := newAtOnce(t)
		s.get(c.before...)
		sink.runs = nil
		require.NoError(t, s.copy.HandleActions(usualFulls(100, 1, 2, 3, 4, 5, 6)))
		s.check()
		assert.Equal(t, c.runs, sink.runs, name)
		assert.Len(t, s.sink.entities, c.entities, name)
	}
}

// Ends of groups of one entity come in one call. A run stops before a group that is not known, has other
// members or waiting records, or has not reached the baseline of its end; that is handled alone.
func TestARunOfEndsStopsAtAGroupThatIsDifferent(t *testing.T) {
	two := record{kind: repl.Full, group: 103, tick: 10, joins: []joining{{number: 0, content: number(1)}, {number: 1, content: number(2)}}}
	for name, c := range map[string]struct {
		at   []record
		runs []int
		left int
	}{
		"all alike":      {[]record{one(repl.Full, 103, 10, 0)}, []int{-5}, 0},
		"unknown":        {nil, []int{-2, -2}, 0},
		"two members":    {[]record{two}, []int{-2, -2}, 0},
		"no members":     {[]record{{kind: repl.Full, group: 103, tick: 10}}, []int{-2, -2}, 0},
		"one that waits": {[]record{one(repl.Full, 103, 10, 0), one(repl.Update, 103, 30, 25)}, []int{-2, -2}, 0},
		"an older state": {[]record{one(repl.Full, 103, 5, 0)}, []int{-2, -2}, 1},
		"already later":  {[]record{one(repl.Full, 103, 10, 0), one(repl.Full, 103, 40, 0)}, []int{-2, -2}, 1},
	} {
		s, sink := newAtOnce(t)
		for h := repl.Handle(100); h < 106; h++ {
			if h == 103 {
				s.get(c.at...)
			} else {
				s.get(one(repl.Full, h, 10, 0))
			}
		}
		sink.runs = nil
		require.NoError(t, s.copy.HandleActions(withUsualEnds(20, 10, 100, 6)))
		s.check()
		assert.Equal(t, c.runs, sink.runs, name)
		assert.Len(t, s.sink.entities, c.left, name)
		assert.EqualValues(t, c.left, s.copy.Len(), name)
		before := s.copy.Stats().Stale
		s.get(one(repl.Update, 101, 20, 10), one(repl.Update, 101, 21, 20))
		assert.Equal(t, before+1, s.copy.Stats().Stale, "the handle's group ended at 20")
	}
}

// No usual record follows the last handle of a space.
func TestARunEndsWithTheSpaceOfItsHandles(t *testing.T) {
	s, sink := newAtOnce(t)
	require.ErrorIs(t, s.copy.HandleActions(usualFulls(repl.Private-3, 1, 2, 3, 4)), receiver.ErrMalformed)
	require.Equal(t, []int{2}, sink.runs)
	s, sink = newAtOnce(t)
	for h := repl.Private - 3; h < repl.Private+1; h++ {
		s.get(one(repl.Full, h, 10, 0))
	}
	require.ErrorIs(t, s.copy.HandleActions(withUsualEnds(20, 10, repl.Private-3, 4)), receiver.ErrMalformed)
	require.Equal(t, []int{-2}, sink.runs)
	assert.Len(t, s.sink.entities, 1)
}

// An entity that has moved ends with the group that it is in.
func TestARunEndsAnEntityThatHasMoved(t *testing.T) {
	s, sink := newAtOnce(t)
	s.get(one(repl.Full, 99, 10, 0), one(repl.Full, 100, 10, 0))
	s.get(record{kind: repl.Full, group: 101, tick: 10})
	s.getUnit(gives(100, 20, 0), takes(101, 20, 100))
	require.Equal(t, []repl.ID{id(100, 0)}, s.members(101))
	s.get(ends(100, 30, 20), record{kind: repl.Update, group: 101, tick: 40, base: 20, changed: []change{{1, number(40)}}})
	sink.runs = nil
	next := one(repl.Full, 100, 40, 0)
	next.generation = 1
	s.get(next)
	require.NoError(t, s.copy.HandleActions(withUsualEnds(50, 40, 100, 2)))
	s.check()
	require.Equal(t, []int{-1}, sink.runs)
	_, ok := s.copy.Slot(id(100, 0))
	assert.False(t, ok)
	assert.Len(t, s.sink.entities, 1)
	require.NoError(t, s.copy.HandleActions(message(record{kind: repl.Full, group: 98, tick: 60, refs: refTo(id(100, 0)), joins: []joining{{number: 3, from: 1}}})))
	s.check()
	assert.Equal(t, []repl.ID{id(100, 0)}, s.members(98), "its old place is forgotten")
}

// A receiver reserves what a sender announces, but not more than its sink holds, nor than a few MB.
//
// Proves: Z7
func TestWhatIsReservedForAnAnnouncementIsBounded(t *testing.T) {
	s, sink := newAtOnce(t)
	for _, most := range []int{1 << 20, 4} {
		s.copy = receiver.New(bounded{sink, most}, comps)
		s.copy.Reserve(2)
		assert.Equal(t, 2, sink.reserved)
		s.copy.Reserve(2 * repl.MaxGroups)
		assert.Equal(t, min(most, 1<<14), sink.reserved)
	}
	require.NoError(t, s.copy.HandleActions(usualFulls(100, 1, 2)))
	s.check()
}

// Groups of a run have their members in one piece of memory, where one that another entity joins takes no place of the
// next one.
func TestAnEntityJoinsAGroupOfARun(t *testing.T) {
	s, _ := newAtOnce(t)
	require.NoError(t, s.copy.HandleActions(usualFulls(100, 1, 2, 3, 4)))
	s.get(record{kind: repl.Change, group: 102, tick: 20, base: 10, joins: []joining{{number: 1, content: number(9)}}})
	assert.EqualValues(t, 9, s.entity(id(102, 1)).value)
	for i := range repl.Handle(4) {
		assert.EqualValues(t, i+1, s.entity(id(100+i, 0)).value)
	}
}

// A run updates no entity that a hostile server has moved from its group to another one without a need.
//
// Proves: Z17
func TestARunAfterAMoveWithoutANeed(t *testing.T) {
	s, _ := newAtOnce(t)
	taking := func(group repl.Handle, tick entangle.Tick) record {
		return record{kind: repl.Full, group: group, tick: tick, refs: refTo(id(1, 0)), joins: []joining{{number: 0, from: 1, content: number(1)}}}
	}
	s.get(one(repl.Full, 1, 10, 0), taking(2, 10))
	require.NoError(t, s.copy.HandleUpdates(20, plainRun(10, number(5), 2, 3)))
	require.EqualValues(t, 5, s.entity(id(1, 0)).value)
	s.get(taking(4, 20), ends(4, 21, 20))
	require.Empty(t, s.sink.entities)
	require.ErrorIs(t, s.copy.HandleUpdates(30, plainRun(20, number(6), 2, 3)), receiver.ErrMalformed)
}
