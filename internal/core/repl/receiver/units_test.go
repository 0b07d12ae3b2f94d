package receiver_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

func need(h repl.Handle, tick entangle.Tick) repl.Need { return repl.Need{Group: h, Tick: tick} }

// needing returns a unit of one change of a group of one that needs other groups.
func needing(h repl.Handle, tick, base entangle.Tick, needs ...repl.Need) part {
	u := whole(0, one(repl.Change, h, tick, base))
	u.needs = needs
	return u
}

// circle returns the parts of a unit in which three groups exchange their native members, in a part each.
func circle(tick entangle.Tick) []part {
	return []part{
		{number: 0, records: []record{swaps(groupA, tick, groupB)}},
		{number: 1, records: []record{swaps(groupB, tick, groupC)}},
		{number: 2, records: []record{swaps(groupC, tick, groupA)}, last: true},
	}
}

func (s *scripted) wentInACircle() {
	s.t.Helper()
	require.Equal(s.t, []repl.ID{id(groupB, 0)}, s.members(groupA))
	require.Equal(s.t, []repl.ID{id(groupC, 0)}, s.members(groupB))
	require.Equal(s.t, []repl.ID{id(groupA, 0)}, s.members(groupC))
	require.Zero(s.t, s.copy.WaitingBytes())
}

// The parts of a unit arrive in any order, in a message each or several in one. No group advances before the last one.
//
// Proves: R41
func TestPartsArriveInAnyOrder(t *testing.T) {
	orders(3, func(order []int) {
		for together := range 3 { // so many parts share the first message
			s := newGroups(t)
			parts := circle(20)
			var first []part
			for n, i := range order {
				if first = append(first, parts[i]); n < together {
					continue
				}
				for h := groupA; h <= groupC; h++ {
					s.holds(h, 10)
				}
				s.getUnits(20, first...)
				first = nil
			}
			s.wentInACircle()
			require.EqualValues(t, 6, s.copy.Stats().Actions)
		}
	})
}

// Parts of two units of one tick may alternate, and a unit applies though one with a lower number waits.
func TestPartsOfSeveralUnitsInOneMessage(t *testing.T) {
	s := newGroups(t, 7)
	parts := circle(20)
	other := whole(1, one(repl.Change, 7, 20, 10))
	s.getUnits(20, parts[2], other, parts[0])
	s.holds(7, 20)
	s.holds(groupA, 10)
	s.getUnits(20, parts[1])
	s.wentInACircle()
}

// Units of the same number in other ticks are others.
func TestTheNumberOfAUnitIsOfItsTick(t *testing.T) {
	s := newGroups(t, 7)
	parts := circle(20)
	s.getUnits(20, parts[0])
	s.getUnits(21, part{number: 1, records: []record{one(repl.Change, 7, 21, 10)}, last: true})
	s.getUnits(20, parts[1], parts[2])
	s.holds(groupC, 20)
	s.holds(7, 10)
	s.sink.wantsNothing = false
	s.getUnits(21, part{number: 0, records: []record{one(repl.Full, 8, 21, 0)}})
	s.holds(7, 21)
	s.holds(8, 21)
}

// A need is met if the group arrives, ends, or gets an update.
func TestWhatMeetsANeed(t *testing.T) {
	for name, meets := range map[string]record{
		"change": one(repl.Change, groupB, 20, 10),
		"full":   one(repl.Full, groupB, 25, 0),
		"update": one(repl.Update, groupB, 22, 10),
		"end":    ends(groupB, 20, 10),
	} {
		s := newGroups(t)
		s.sink.wantsNothing = false
		s.getUnits(20, needing(groupA, 20, 10, need(groupB, 20), need(groupC, 10)))
		s.holds(groupA, 10)
		s.get(one(repl.Update, groupA, 21, 20), one(repl.Update, groupB, 19, 10))
		s.holds(groupA, 10)
		s.get(meets)
		held, _ := s.copy.Held(groupA)
		assert.EqualValues(t, 21, held, name)
	}
}

// A full in a unit waits as well, also the first one of its group, and so does what follows.
func TestAFirstFullWaits(t *testing.T) {
	s := newScripted(t)
	first := whole(0, one(repl.Full, groupA, 20, 0))
	first.needs = []repl.Need{need(groupB, 20)}
	s.getUnits(20, first)
	s.get(one(repl.Update, groupA, 21, 20), one(repl.Change, groupA, 25, 21))
	require.Zero(t, s.copy.Len())
	s.get(one(repl.Full, groupB, 20, 0))
	s.holds(groupA, 25)
}

// The baselines of a unit's records are needs of it: no group advances before all have reached theirs.
//
// Proves: R23, R41
func TestAUnitWaitsForTheBaselinesOfItsRecords(t *testing.T) {
	for _, bringer := range []record{one(repl.Change, groupB, 20, 10), one(repl.Update, groupB, 20, 10), one(repl.Full, groupB, 20, 0)} {
		s := newGroups(t)
		take := takes(groupB, 30, groupA)
		take.base = 20
		s.getUnit(gives(groupA, 30, 0), take)
		s.holds(groupA, 10)
		s.holds(groupB, 10)
		s.get(bringer)
		require.Equal(t, []repl.ID{id(groupB, 0), id(groupA, 0)}, s.members(groupB))
		require.Empty(t, s.members(groupA))
	}
}

// Units that need each other's results apply one after the other, in whatever order they arrive. Actions and updates of
// single groups between them apply as soon as they can.
//
// Proves: R41
func TestAChainOfUnits(t *testing.T) {
	orders(4, func(order []int) {
		s := newGroups(t)
		on := gives(groupB, 40, 1)
		on.base = 31
		last := takes(groupC, 50, groupB)
		last.base, last.refs, last.joins = 40, nil, nil
		for _, i := range order {
			switch i {
			case 0:
				s.getUnits(20, moves(gives(groupA, 20, 0), takes(groupB, 20, groupA)))
			case 1:
				s.get(one(repl.Update, groupB, 31, 30), one(repl.Change, groupB, 30, 20))
			case 2:
				s.getUnits(40, moves(on, takes(groupC, 40, groupA)))
			case 3:
				u := whole(0, last)
				u.needs = []repl.Need{need(groupA, 20), need(groupB, 40)}
				s.getUnits(50, u)
			}
		}
		require.Empty(t, s.members(groupA), "%v", order)
		require.Equal(t, []repl.ID{id(groupC, 0), id(groupA, 0)}, s.members(groupC), "%v", order)
		s.holds(groupB, 40)
		s.holds(groupC, 50)
		require.Zero(t, s.copy.WaitingBytes())
	})
}

// A unit of an ended group's next one waits for its full.
func TestAUnitOfTheNextGroup(t *testing.T) {
	s := newGroups(t)
	s.sink.wantsNothing = false
	later := one(repl.Change, groupA, 40, 30)
	s.getUnit(later, one(repl.Change, groupB, 40, 10))
	s.get(ends(groupA, 20, 10))
	s.holds(groupB, 10)
	next := one(repl.Full, groupA, 30, 0)
	next.generation = 1
	s.get(next)
	s.holds(groupA, 40)
	s.holds(groupB, 40)
}

// A record of a unit is dropped if its group has gone past it by a full, or has ended. The others apply.
func TestAUnitWithAStaleRecord(t *testing.T) {
	for name, past := range map[string]record{
		"full": {kind: repl.Full, group: groupA, tick: 25, leavers: []leaver{{0, repl.Despawned}}, joins: []joining{{number: 1, content: number(1)}}},
		"end":  ends(groupA, 25, 10),
	} {
		s := newGroups(t)
		s.sink.wantsNothing = false
		s.getUnits(20, circle(20)[:2]...)
		s.get(past)
		ofA, actions := s.members(groupA), s.copy.Stats().Actions
		s.getUnits(20, circle(20)[2])
		require.Equal(t, ofA, s.members(groupA), name)
		require.Equal(t, []repl.ID{id(groupC, 0)}, s.members(groupB), name)
		require.Equal(t, []repl.ID{id(groupA, 0)}, s.members(groupC), "%s: it is spawned again", name)
		require.EqualValues(t, 1, s.copy.Stats().Stale, name)
		require.Equal(t, actions+2, s.copy.Stats().Actions, name)
		require.EqualValues(t, 1, s.copy.Stats().Abandoned, "%s: what left B for A", name)
		require.Zero(t, s.copy.WaitingBytes())
	}
}

// A unit that arrives again has no effect, as its groups are past it.
func TestAUnitThatArrivesAgain(t *testing.T) {
	s := newGroups(t)
	for range 3 {
		s.getUnits(20, circle(20)...)
		s.wentInACircle()
	}
	require.EqualValues(t, 6, s.copy.Stats().Stale)
}

// A unit is applied in one step: between its records, no waiting action of another unit is. What waits for one of its
// groups alone is applied with the record of that group.
//
// Proves: R24
func TestWhatWaitsForAGroupOfAUnit(t *testing.T) {
	s := newGroups(t)
	parts := circle(20)
	s.getUnits(20, parts[0], parts[2])
	up := record{kind: repl.Update, group: groupA, tick: 30, base: 20, changed: []change{{1, number(30)}}}
	s.get(up)
	s.holds(groupA, 10)
	s.getUnits(20, parts[1])
	s.wentInACircle()
	s.holds(groupA, 30)
	require.EqualValues(t, 30, s.entity(id(groupB, 0)).value)
	require.EqualValues(t, 20, s.entity(id(groupA, 0)).value)
}

// The need of a unit that is never met holds up nothing else.
func TestANeedThatIsNeverMet(t *testing.T) {
	s := newGroups(t)
	s.getUnits(20, needing(groupA, 20, 10, need(99, 20)))
	require.NoError(t, s.copy.HandleUpdates(2000, nil))
	s.holds(groupA, 10)
	s.get(one(repl.Change, groupB, 20, 10))
	s.getUnits(30, needing(groupB, 30, 20))
	s.holds(groupB, 30)
	s.get(one(repl.Full, groupA, 2000, 0))
	s.holds(groupA, 2000)
	require.Positive(t, s.copy.WaitingBytes(), "the unit waits on")
}

// Parts that contradict each other and heads beyond the limits are malformed, and so are records that a message may not have
// either. The world stays as it is.
//
// Proves: Z17
func TestUnitsThatAreMalformed(t *testing.T) {
	joins := func(joins ...joining) part {
		return whole(0, record{kind: repl.Change, group: groupA, tick: 20, base: 10, refs: refTo(id(groupB, 0)), joins: joins})
	}
	for name, messages := range map[string][][]part{
		"a part twice":                {{{number: 1}}, {{number: 1}}},
		"a part twice in a message":   {{{number: 1}, {number: 1}}},
		"a part behind the last":      {{{number: 1, last: true}}, {{number: 2}}},
		"a last one before another":   {{{number: 2}}, {{number: 1, last: true}}},
		"two last ones, falling":      {{{number: 2, last: true}}, {{number: 1, last: true}}},
		"two last ones, rising":       {{{number: 1, last: true}}, {{number: 2, last: true}}},
		"a unit beyond the limit":     {{{unit: repl.MaxUnits, last: true}}},
		"a unit far beyond":           {{{unit: 1 << 32, last: true}}},
		"a part beyond the limit":     {{{number: repl.MaxUnitParts}}},
		"a part far beyond":           {{{number: 1 << 32, last: true}}},
		"a need to come":              {{{needs: []repl.Need{need(groupA, 21)}, last: true}}},
		"a baseline of the same tick": {{whole(0, one(repl.Change, groupA, 20, 20))}},
		"a baseline to come":          {{whole(0, one(repl.Change, groupA, 20, 21))}},
		"a usual record":              {{whole(0, one(repl.Full, 5, 20, 0), record{usual: true, only: number(6)})}},
		"an entity that joins twice":  {{joins(joining{number: 1, from: 1}, joining{number: 2, from: 1})}},
	} {
		s := newGroups(t)
		s.getUnits(20, part{unit: 9}, part{unit: 9, number: 1}, part{unit: 9, number: 2, last: true}) // its memory is used again
		for i, m := range messages {
			if err := s.copy.HandleActions(units(20, m...)); i < len(messages)-1 {
				require.NoError(t, err, name)
			} else {
				require.ErrorIs(t, err, receiver.ErrMalformed, name)
			}
		}
		s.check()
		require.Len(t, s.sink.entities, 3, name)
	}
	var w bits.Writer // a usual end, behind which stands what others have there
	w.Bits(20, 32)
	w.Bits(0b11, 2)
	w.Uvarint(0)
	w.Uvarint(0)
	writeNeeds(&w, 20, []repl.Need{need(99, 10)})
	w.Bits(uint64(repl.Gone), 2)
	w.Bool(false)
	w.Uvarint(uint64(groupA))
	w.Bool(false)
	w.Uvarint(10)
	w.Bits(0b0_1_11_0_0_1_0, 8)
	require.ErrorIs(t, newGroups(t).copy.HandleActions(w.Finish()), receiver.ErrMalformed)
	newGroups(t).getUnits(20, part{unit: repl.MaxUnits - 1, number: repl.MaxUnitParts - 1, last: true}, joins(joining{number: 1, from: 1}))
	s := newScripted(t)
	m := units(20, circle(20)...)
	for cut := range m {
		require.Error(t, s.copy.HandleActions(m[:cut]))
		s = newScripted(t)
	}
	require.Error(t, s.copy.HandleActions(append(m, 0)), "a byte too many")
}

// stuck makes n units wait for what never comes, each of its own tick up to the given one.
func (s *scripted) stuck(n int, upTo entangle.Tick) {
	for i := range entangle.Tick(n) {
		u := whole(0)
		u.needs = []repl.Need{need(99, 10)}
		s.getUnits(upTo-entangle.Tick(n)+1+i, u)
	}
}

// Units that wait in great numbers do not keep those behind them from being applied one after the other.
func TestAChainBehindManyUnits(t *testing.T) {
	s := newGroups(t)
	s.stuck(600, 1000)
	for i := entangle.Tick(200); i > 0; i-- {
		s.getUnits(1000+i, needing(groupA, 1000+i, 999+i))
	}
	s.get(one(repl.Full, groupA, 1000, 0))
	for range 3 { // a call goes on where the last one ended
		require.NoError(t, s.copy.HandleUpdates(1300, nil))
	}
	s.holds(groupA, 1200)
}

// One call examines a bounded number of units in vain. The next calls go on with the search.
//
// Proves: Z17
func TestTheSearchForUnitsIsBounded(t *testing.T) {
	s := newGroups(t)
	s.stuck(2000, 3000)
	most := 0
	for i := range entangle.Tick(20) {
		s.getUnits(3001+i, whole(0, one(repl.Change, groupA, 3001+i, s.tickOf(groupA))))
		calls := 0
		for ; s.tickOf(groupA) < 3001+i && calls < 100; calls++ {
			require.NoError(t, s.copy.HandleUpdates(3001+i, nil))
		}
		most = max(most, calls)
	}
	require.Positive(t, most)
	require.LessOrEqual(t, most, 2000/512+1)
}

// A hostile server sends few bits for parts with high numbers, or for many units that wait. The connection ends when they
// take more memory than what may wait, in the middle of a message.
//
// Proves: Z17
func TestTheMemoryOfUnitsIsBounded(t *testing.T) {
	needs := make([]repl.Need, repl.MaxNeeds)
	for i := range needs {
		needs[i] = need(0, 20)
	}
	for name, next := range map[string]func(i uint64) part{
		"far parts":  func(i uint64) part { return part{unit: i, number: repl.MaxUnitParts - 1} },
		"many units": func(i uint64) part { return part{unit: i, number: 1} },
		"many parts": func(i uint64) part { return part{unit: i / 4000, number: 1 + i%4000} },
		"many needs": func(i uint64) part { return part{unit: i, needs: needs[:1+i*400%repl.MaxNeeds], last: true} },
	} {
		r := receiver.New(&nothing{}, comps)
		var before, after runtime.MemStats
		err, taken, sent := error(nil), uint64(0), 0
		for tick := entangle.Tick(20); err == nil && tick < 100; tick++ {
			var parts []part
			var m []byte
			for i := uint64(0); len(m) < 32<<10; i++ {
				parts = append(parts, next(i))
				if i%64 == 0 {
					m = units(tick, parts...)
				}
			}
			sent += len(m)
			runtime.ReadMemStats(&before)
			err = r.HandleActions(m)
			runtime.ReadMemStats(&after)
			taken += after.TotalAlloc - before.TotalAlloc
		}
		require.ErrorIs(t, err, receiver.ErrNoRoom, name)
		t.Logf("%s: %d bytes, and %d of memory", name, sent, taken)
		require.Less(t, taken, uint64(4*receiver.DefaultWaitingBytes), name)
		require.Less(t, r.WaitingBytes(), 2*receiver.DefaultWaitingBytes, name)
	}
}

// A unit that applies takes no room of what waits, however little there is.
func TestAUnitThatAppliesNeedsNoRoom(t *testing.T) {
	s := newGroups(t)
	s.copy.LimitWaiting(1)
	s.sink.wantsNothing = false
	s.getUnits(20, moves(gives(groupA, 20, 0), takes(groupB, 20, groupA)), whole(1, record{
		kind: repl.Change, group: groupC, tick: 20, base: 10, leavers: []leaver{{0, repl.Despawned}},
	}))
	require.Equal(t, []repl.ID{id(groupB, 0), id(groupA, 0)}, s.members(groupB))
	require.Empty(t, s.members(groupC))
	waits := whole(0, record{kind: repl.Change, group: groupA, tick: 40, base: 30})
	require.ErrorIs(t, s.copy.HandleActions(units(40, waits)), receiver.ErrNoRoom)
}

// A lister lists the records of units, and keeps none.
func TestAListerOfUnits(t *testing.T) {
	listed := 0
	list := receiver.NewLister(newScripted(t).sink, comps, func(receiver.Entry) { listed++ })
	for range 2 {
		require.NoError(t, list.Actions(units(20, needing(groupA, 20, 10, need(99, 10)))))
	}
	require.Equal(t, 2, listed)
}
