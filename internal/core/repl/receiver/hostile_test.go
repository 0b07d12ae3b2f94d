package receiver_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// newMoved returns three groups. The native member of A has moved to B as its member 1.
func newMoved(t testing.TB) *scripted {
	s := newGroups(t)
	s.getUnit(gives(groupA, 20, 0), takes(groupB, 20, groupA))
	s.sink.wantsNothing = false
	return s
}

// follows returns a change of B in that state.
func follows(joins ...joining) record {
	return record{kind: repl.Change, group: groupB, tick: 30, base: 20, joins: joins}
}

// A record that no sender writes is an error, and leaves the world as it was.
func TestWhatNoSenderWrites(t *testing.T) {
	ofA, ofB, ofC := repl.Ref{ID: id(groupA, 0)}, repl.Ref{ID: id(groupB, 0)}, repl.Ref{ID: id(groupC, 0)}
	with := func(r record, f func(*record)) record {
		f(&r)
		return r
	}
	for name, r := range map[string]record{
		"a number that another has": follows(joining{number: 0}, joining{number: 1}),
		"a joiner without a table":  follows(joining{number: 5, from: 1}),
		"a joiner beyond the table": with(follows(joining{number: 5, from: 2}), func(r *record) { r.refs = []repl.Ref{ofC} }),
		"a joiner of ours":          with(follows(joining{number: 5, from: 1}), func(r *record) { r.refs = []repl.Ref{{Yours: true}} }),
		"a native by the table":     with(follows(joining{number: 0, from: 1}), func(r *record) { r.refs = []repl.Ref{ofB} }),
		"one joins twice": with(follows(joining{number: 5, from: 1}, joining{number: 6, from: 1}),
			func(r *record) { r.refs = []repl.Ref{ofC} }),
		"one joins again, that was there": with(follows(joining{number: 1, from: 1}, joining{number: 6, from: 1}),
			func(r *record) { r.refs = []repl.Ref{ofA} }),
		"one joins and changes": with(follows(joining{number: 0}), func(r *record) { r.changed = []change{{number: 0}} }),
		"one leaves and changes": with(follows(), func(r *record) {
			r.leavers, r.changed = []leaver{{0, repl.Moved}}, []change{{number: 0}}
		}),
		"no such fate":        with(follows(), func(r *record) { r.leavers = []leaver{{0, 3}} }),
		"no such number":      follows(joining{number: repl.MaxMembers, from: 0}),
		"no such value":       follows(joining{number: 5, content: number(0xffffffff)}),
		"no such reference":   follows(joining{number: 5, content: content{set: []int{1}, ref: 1}}),
		"an update of nobody": {kind: repl.Update, group: groupB, tick: 30, base: 20},
		"the number of a leaver": with(follows(joining{number: 0, from: 1}), func(r *record) {
			r.leavers, r.refs = []leaver{{0, repl.Despawned}}, []repl.Ref{ofC}
		}),
		"a full that gives a number to another": with(record{kind: repl.Full, group: groupB, tick: 30, refs: []repl.Ref{ofC}},
			func(r *record) { r.joins = []joining{{number: 0, from: 1}} }),
		"a full of one twice": with(record{kind: repl.Full, group: groupB, tick: 30, refs: []repl.Ref{ofA}},
			func(r *record) { r.joins = []joining{{number: 3, from: 1}, {number: 4, from: 1}} }),
		"a full of one that it keeps": with(record{kind: repl.Full, group: groupB, tick: 30, refs: []repl.Ref{ofA}},
			func(r *record) { r.joins = []joining{{number: 1, kept: true}, {number: 4, from: 1}} }),
		"one leaves and is predicted": with(follows(), func(r *record) {
			r.leavers, r.predicted = []leaver{{0, repl.Moved}}, predicted{0, 1}
		}),
		"one that a full does not name is predicted": with(record{kind: repl.Full, group: groupB, tick: 30, predicted: predicted{1}},
			func(r *record) { r.joins = []joining{{number: 0}} }),
		"a change of no prediction":   with(follows(), func(r *record) { r.predicted = predicted{} }),
		"a full with one that ends":   with(record{kind: repl.Full, group: groupB, tick: 30, alone: true}, func(r *record) { r.ended = predicted{0} }),
		"no such number is predicted": with(follows(), func(r *record) { r.predicted = predicted{repl.MaxMembers - 1, repl.MaxMembers} }),
		"nobody of a full":            with(record{kind: repl.Full, group: groupB, tick: 30, alone: true}, func(r *record) { r.predicted = predicted{} }),
		"some are predicted, and the last value is none": with(follows(joining{number: 5, content: number(0xffffffff)}),
			func(r *record) { r.predicted = predicted{0, 5} }),
		"a full whose last value is none": with(record{kind: repl.Full, group: groupB, tick: 30, refs: []repl.Ref{ofA, ofB, ofC}},
			func(r *record) {
				r.joins = []joining{{number: 0, from: 1}, {number: 2, from: 3}, {number: 3, from: 2}, {number: 9, content: number(0xffffffff)}}
			}),
	} {
		s := newMoved(t)
		require.Error(t, s.try(r), name)
		s.check()
		assert.Len(t, s.sink.entities, 3, name)
	}
}

// A predicted member that does not exist is malformed. The end of the prediction of a missing one is nothing.
func TestAMissingPredictedEntity(t *testing.T) {
	s := newMoved(t)
	r := follows()
	r.predicted, r.ended = predicted{1}, predicted{9}
	s.get(r)
	r.base, r.tick, r.predicted, r.ended = 30, 31, predicted{0, 9}, nil
	require.ErrorIs(t, s.try(r), receiver.ErrMalformed)
	native, _ := s.copy.Slot(id(groupB, 0))
	moved, _ := s.copy.Slot(id(groupA, 0))
	assert.True(t, s.sink.predicted[moved])
	assert.False(t, s.sink.predicted[native])
}

// A leaver of a change may take another number in it. Each leaver is removed once.
func TestLeaversThatJoinAgain(t *testing.T) {
	s := newMoved(t)
	s.get(follows(joining{number: 2, content: number(2)}, joining{number: 4, content: number(4)}))
	spawned := s.sink.entities
	require.Len(t, spawned, 5)
	s.get(record{
		kind: repl.Change, group: groupB, tick: 40, base: 30, refs: refTo(id(groupA, 0), id(groupC, 0)),
		leavers: []leaver{{0, repl.Despawned}, {1, repl.Moved}, {2, repl.Despawned}, {3, repl.Despawned}},
		joins:   []joining{{number: 5, from: 2}, {number: 7, from: 1}},
	})
	require.Equal(t, []repl.ID{id(groupB, 4), id(groupC, 0), id(groupA, 0)}, s.members(groupB))
	require.Len(t, s.sink.entities, 3)
	s.get(record{kind: repl.Change, group: groupB, tick: 50, base: 40, leavers: []leaver{{5, repl.Despawned}, {7, repl.Despawned}}})
	require.Equal(t, []repl.ID{id(groupB, 4)}, s.members(groupB))
}

// predictions counts the calls of Predict.
type predictions struct {
	nothing
	n int
}

func (p *predictions) Predict(repl.Slot, bool) { p.n++ }

// A change pays with its bits for each entity of which it begins or ends the prediction, also if it does so for
// all members of a large group.
//
// Proves: Z7
func TestAChangePaysForPredictions(t *testing.T) {
	sink := &predictions{}
	r := receiver.New(sink, comps)
	full := record{kind: repl.Full, group: groupA, tick: 10}
	all := predicted{}
	for n := range repl.Member(repl.MaxMembers) {
		full.joins, all = append(full.joins, joining{number: n}), append(all, n)
	}
	require.NoError(t, r.HandleActions(message(full)))
	require.Zero(t, sink.n, "new entities are not predicted")
	for i := range entangle.Tick(4) {
		change := record{kind: repl.Change, group: groupA, tick: 11 + i, base: 10 + i}
		if change.predicted = all; i%2 > 0 {
			change.predicted, change.ended = nil, all
		}
		sink.n = 0
		bytes := message(change)
		require.NoError(t, r.HandleActions(bytes))
		require.Equal(t, repl.MaxMembers, sink.n)
		require.LessOrEqual(t, sink.n, 4*len(bytes))
	}
	sink.n = 0
	nothing := record{kind: repl.Change, group: groupA, tick: 15, base: 14}
	require.NoError(t, r.HandleActions(message(nothing)))
	require.Zero(t, sink.n)
}

// A full replaces a group: it despawns the members that it does not name.
func TestAFullDespawnsMembers(t *testing.T) {
	s := newMoved(t)
	s.sink.onDespawn = func(got repl.ID) { require.Equal(t, id(groupB, 0), got) }
	s.get(record{
		kind: repl.Full, group: groupB, tick: 30, refs: refTo(id(groupC, 0)),
		joins: []joining{{number: 1, kept: true}, {number: 2, from: 1}, {number: 3, kept: true}},
	})
	require.Equal(t, []repl.ID{id(groupA, 0), id(groupC, 0)}, s.members(groupB))
	require.Empty(t, s.members(groupC))
	s.getUnit(
		record{kind: repl.Full, group: groupB, tick: 50, joins: []joining{{number: 2, kept: true}}, leavers: []leaver{{1, repl.Moved}, {7, repl.Moved}}},
		record{kind: repl.Change, group: groupC, tick: 50, base: 10, refs: refTo(id(groupA, 0)), joins: []joining{{number: 1, from: 1}}},
	)
	require.Equal(t, []repl.ID{id(groupC, 0)}, s.members(groupB))
	require.Equal(t, []repl.ID{id(groupA, 0)}, s.members(groupC))
	require.Len(t, s.sink.entities, 2)
}

// Values of a member that the replica does not have are malformed, and change nothing. The removal of its components is
// nothing.
func TestAChangeOfAMissingMember(t *testing.T) {
	for _, r := range []record{
		{kind: repl.Update, group: groupB, tick: 30, base: 20, changed: []change{{0, number(30)}, {5, number(7)}}},
		{kind: repl.Change, group: groupB, tick: 30, base: 20, changed: []change{{0, number(30)}, {5, number(7)}}},
		{kind: repl.Update, group: groupA, tick: 30, base: 20, alone: true, only: number(30)},
	} {
		s := newMoved(t)
		require.ErrorIs(t, s.try(r), receiver.ErrMalformed)
		s.check()
		s.holds(r.group, 20)
		require.EqualValues(t, 10, s.entity(id(groupB, 0)).value)
	}
	s := newMoved(t)
	s.get(record{kind: repl.Change, group: groupB, tick: 30, base: 20, changed: []change{{5, content{removed: []int{0}}}}})
	s.holds(groupB, 30)
}

// samples are messages and frames of every form, in an order in which all of them can be applied.
func samples() []sample {
	full := record{
		kind: repl.Full, group: 5, tick: 10, refs: refTo(id(repl.Private+3, 7), id(5, 1)),
		joins: []joining{{number: 0, content: content{set: []int{0, 1, 2}, value: 7, ref: 1}}, {number: 1, content: content{set: []int{1}, ref: 2}}, {number: 4, kept: true}},
	}
	restructured := record{
		kind: repl.Change, group: 5, tick: 20, base: 10, refs: refTo(id(repl.Private+3, 0)),
		leavers: []leaver{{0, repl.Orphaned}, {9, repl.Moved}}, joins: []joining{{number: 6, from: 1, content: number(6)}},
		changed: []change{{1, content{removed: []int{1}, set: []int{2}}}},
	}
	out := record{kind: repl.Change, group: repl.Private + 3, tick: 20, base: 10, leavers: []leaver{{0, repl.Moved}}}
	changed := record{kind: repl.Update, group: 5, tick: 30, base: 20, refs: refTo(id(5, 1)), changed: []change{{6, number(30)}}}
	return []sample{
		{10, false, message(full, one(repl.Full, 9, 10, 0), one(repl.Full, repl.Private+3, 10, 0))},
		{20, false, units(20, part{number: 1, records: []record{out}, last: true}, whole(1, one(repl.Change, 9, 20, 10)))},
		{20, false, units(20, part{needs: []repl.Need{need(9, 10)}, records: []record{restructured}})},
		{30, true, join(run(changed, one(repl.Update, 9, 30, 10)), markOf(30, 0, true, need(5, 20)), markOf(30, 0, true))},
		{40, false, message(ends(5, 40, 20, leaver{6, repl.Orphaned}))},
	}
}

type sample struct {
	tick    entangle.Tick
	updates bool
	bytes   []byte
}

func (s sample) to(r *receiver.Receiver) error {
	if s.updates {
		return r.HandleUpdates(s.tick, s.bytes)
	}
	return r.HandleActions(s.bytes)
}

// A prefix of a message, or a message with a flipped bit, does no harm: either it is refused and
// changes nothing, or it is another valid message, and later ones are applied or dropped as usual.
//
// Proves: Z6
func TestEveryPrefixAndBitFlip(t *testing.T) {
	all := samples()
	for n, victim := range all {
		broken := func(b []byte) {
			s := newScripted(t)
			for i, each := range all {
				if i == n {
					each.bytes = b
				}
				err := each.to(s.copy)
				s.check()
				if i < n {
					require.NoError(t, err)
				}
				if err != nil {
					return
				}
				s.checkMembers()
			}
		}
		broken(victim.bytes)
		for cut := range victim.bytes {
			broken(victim.bytes[:cut])
		}
		for bit := range len(victim.bytes) * 8 {
			b := append([]byte{}, victim.bytes...)
			b[bit/8] ^= 1 << (bit % 8)
			broken(b)
		}
	}
}

// The samples are valid: all of them apply.
func TestSamplesApply(t *testing.T) {
	s := newScripted(t)
	for _, each := range samples() {
		require.NoError(t, each.to(s.copy))
		s.check()
	}
	require.EqualValues(t, receiver.Stats{Updates: 2, Actions: 7}, s.copy.Stats())
	s.confirmed(30)
	require.Equal(t, []repl.ID{id(5, 0), id(repl.Private+3, 0)}, s.sink.orphaned)
	require.Len(t, s.sink.entities, 1)
	for cut := range samples()[0].bytes {
		require.Error(t, newScripted(t).copy.HandleActions(samples()[0].bytes[:cut]))
	}
	require.Error(t, newScripted(t).copy.HandleActions(append(samples()[0].bytes, 0)), "a byte too many")
}

// Counts of needs and references that are larger than the remaining bytes allow are malformed, and so is an empty list that
// must not be empty.
func TestCountsOfWhatIsNotThere(t *testing.T) {
	for _, n := range []uint64{0, 100, repl.MaxNeeds, repl.MaxNeeds + 1, 1 << 60} {
		for _, refs := range []bool{false, true} {
			var w bits.Writer
			w.Bits(10, 32)
			if refs {
				w.Bool(false) // no units
				w.Bits(uint64(repl.Full), 2)
				w.Bool(false)
				w.Uvarint(0)
				w.Bits(0, 2) // generation 0, nobody is predicted
			} else {
				w.Bits(0b11, 2)
				w.Uvarint(0)
				w.Uvarint(0)
			}
			w.Bool(true)
			w.Uvarint(n)
			w.Bits(0, 64)
			s := newScripted(t)
			assert.ErrorIs(t, s.copy.HandleActions(w.Finish()), receiver.ErrMalformed)
		}
	}
}

// A frame of marks and runs allocates nothing in the steady state.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	_, r := newColumns(t, 200)
	frames := make([][]byte, 200)
	for i := range frames {
		tick := entangle.Tick(11 + i)
		frames[i] = join(columnsFrame(tick, 200), markOf(tick, 0, true, need(3, tick)), markOf(tick, 0, true))
	}
	i := 0
	assert.Zero(t, alloctest.Count(150, func() {
		if err := r.HandleUpdates(entangle.Tick(11+i), frames[i]); err != nil {
			panic(err)
		}
		i++
	}))
	tick, ok := r.ConfirmedTick()
	assert.True(t, ok)
	assert.EqualValues(t, 11+150, tick)
}

// nothing is a sink that stores nothing, and therefore allocates nothing.
type nothing struct{ next repl.Slot }

func (n *nothing) Begin(_, _ entangle.Tick) {}
func (n *nothing) Spawn(repl.ID) repl.Slot {
	n.next++
	return n.next
}
func (n *nothing) Member(repl.Slot, bool)                              {}
func (n *nothing) Remove(int)                                          {}
func (n *nothing) Insert(r *bits.Reader, _ int, _ receiver.Refs) error { return n.Skip(r, 0) }
func (n *nothing) Update(r *bits.Reader, c int, f receiver.Refs) error { return n.Insert(r, c, f) }
func (n *nothing) Despawn(repl.Slot)                                   {}
func (n *nothing) Orphan(repl.Slot)                                    {}
func (n *nothing) Predict(repl.Slot, bool)                             {}
func (n *nothing) Outdate(repl.Handle, repl.Generation)                {}
func (n *nothing) Most() int                                           { return 2 * repl.MaxGroups }
func (n *nothing) AtLimit() bool                                       { return false }
func (n *nothing) Commit()                                             {}
func (n *nothing) Discard()                                            {}
func (n *nothing) Skip(r *bits.Reader, _ int) error {
	r.Bits(32)
	return r.Err()
}

// Groups swap their members in every tick, in units of two parts, of which each waits for the other one.
func TestSwapsAllocateNothing(t *testing.T) {
	r := receiver.New(&nothing{}, comps)
	var messages [][]byte
	for h := groupA; h <= groupB; h++ {
		require.NoError(t, r.HandleActions(message(one(repl.Full, h, 10, 0))))
	}
	for i := range entangle.Tick(400) {
		for h := groupA; h <= groupB; h++ {
			other, tick := groupA+groupB-h, 11+i
			d := record{kind: repl.Change, group: h, tick: tick, base: tick - 1}
			if i%2 == 0 {
				d.leavers, d.refs = []leaver{{0, repl.Moved}}, refTo(id(other, 0))
				d.joins = []joining{{number: 1, from: 1, content: number(1)}}
			} else {
				d.leavers, d.joins = []leaver{{1, repl.Moved}}, []joining{{number: 0, content: number(1)}}
			}
			n := uint64(h - groupA)
			messages = append(messages, units(tick, part{number: n, records: []record{d}, last: n == 1}))
		}
	}
	i := 0
	swap := func() {
		for range 2 {
			if err := r.HandleActions(messages[i]); err != nil {
				panic(err)
			}
			i++
		}
	}
	for range 10 {
		swap()
	}
	assert.Zero(t, alloctest.Count(300, swap))
	held, _ := r.Held(groupA)
	assert.EqualValues(t, 10+10+301, held)
	assert.Zero(t, r.WaitingBytes())
}

// FuzzReceiver passes frames and messages of any bytes to a receiver. The receiver does not panic,
// keeps the rules of its sink, and stays below its limits. Every entity of the sink is found by its
// id, and is in one group.
//
// Proves: Z6, Z17
func FuzzReceiver(f *testing.F) {
	var all []byte
	for _, s := range samples() {
		head := byte(len(s.bytes))
		if s.updates {
			head |= 0x80
		}
		all = append(append(all, head, byte(s.tick)), s.bytes...)
		f.Add(all)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newScripted(t)
		for len(data) > 1 {
			n := min(int(data[0]&0x7f), len(data)-2)
			frame := sample{entangle.Tick(data[1]), data[0]&0x80 != 0, data[2 : 2+n]}
			data = data[2+n:]
			err := frame.to(s.copy)
			s.check()
			before, had := s.copy.ConfirmedTick()
			require.True(t, had || before == 0)
			if err != nil {
				return
			}
			s.checkMembers()
		}
	})
}

// A record that only states that it is like the previous one needs a previous one.
func TestAUsualRecordNeedsWhatItIsLike(t *testing.T) {
	first := one(repl.Full, 3, 10, 0)
	for name, before := range map[string]record{
		"a change":          {kind: repl.Change, group: 3, tick: 10, base: 9, alone: true, only: number(1)},
		"an end":            ends(3, 10, 9, leaver{0, repl.Orphaned}),
		"one that refers":   {kind: repl.Full, group: 3, tick: 10, refs: []repl.Ref{{}}, alone: true, only: content{set: []int{1}, ref: 1}},
		"one that predicts": {kind: repl.Full, group: 3, tick: 10, predicted: predicted{0}, alone: true, only: number(1)},
		"one of several":    {kind: repl.Full, group: 3, tick: 10, joins: []joining{{content: number(1)}}},
	} {
		s := newScripted(t)
		assert.ErrorIs(t, s.copy.HandleActions(withUsual(before)), receiver.ErrMalformed, name)
	}
	end := record{usual: true}
	assert.ErrorIs(t, newScripted(t).copy.HandleActions(message(ends(3, 10, 9, leaver{0, repl.Orphaned}), end)), receiver.ErrMalformed)
	require.NoError(t, newScripted(t).copy.HandleActions(message(ends(3, 10, 9), end)))
	s := newScripted(t)
	require.NoError(t, s.copy.HandleActions(withUsual(first)))
	assert.Equal(t, 2, s.copy.Len())
	last := one(repl.Full, repl.MaxGroups-1, 10, 0)
	assert.ErrorIs(t, newScripted(t).copy.HandleActions(withUsual(last)), receiver.ErrMalformed, "there is no handle behind it")
}

// withUsual returns a message of a record and a usual record after it.
func withUsual(r record) []byte { return message(r, record{usual: true, only: number(7)}) }
