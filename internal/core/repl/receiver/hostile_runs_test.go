package receiver_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// plainBlock writes a plain block of groups with equal values, behind its baseline.
func plainBlock(w *bits.Writer, c content, handles ...repl.Handle) {
	gaps := false
	for i, h := range handles {
		gaps = gaps || h != handles[0]+repl.Handle(i)
	}
	w.Bool(true)
	w.Uvarint(uint64(len(handles)) - 1)
	w.Bool(gaps)
	w.Bits(flagged(c.set), comps)
	for i := 1; gaps && i < len(handles); i++ {
		gap := uint64(handles[i] - handles[i-1])
		if w.Bool(gap == 1); gap != 1 {
			w.Uvarint(gap - 2)
		}
	}
	for range handles {
		c.writeValues(w)
	}
}

// plainRun writes a run of one plain block.
func plainRun(age entangle.Tick, c content, handles ...repl.Handle) []byte {
	var w bits.Writer
	w.Bool(false)
	handle(&w, handles[0])
	w.Uvarint(uint64(age))
	w.Bool(true) // no previous baseline
	w.Align()
	plainBlock(&w, c, handles...)
	w.Bool(false)
	return w.Finish()
}

// The values of a plain block can take no bits, so that few bytes name thousands of groups. A frame has a
// bound on the groups of all its blocks; a few such groups are accepted.
//
// Proves: Z17
func TestTheGroupsOfAFrameAreBounded(t *testing.T) {
	tag := content{set: []int{2}}
	s := newScripted(t)
	for h := range repl.Handle(3) {
		s.get(record{kind: repl.Full, group: h, tick: 10, alone: true, only: tag})
	}
	assert.NoError(t, s.copy.HandleUpdates(20, plainRun(10, tag, 0, 1, 2)))
	many := make([]repl.Handle, repl.MaxBlock)
	for i := range many {
		many[i] = repl.Handle(i)
	}
	full := plainRun(10, tag, many...)
	assert.NoError(t, s.copy.HandleUpdates(20, join(full, full, full, full)))
	assert.ErrorIs(t, s.copy.HandleUpdates(20, join(full, full, full, full, full)), receiver.ErrMalformed)
}

// However many groups wait, one message causes a bounded search for those that have waited for too long: the
// ticks of a hostile peer may jump with each message. The next messages go on with the search.
//
// Proves: Z17
func TestTheSearchForOverdueGroupsIsBounded(t *testing.T) {
	const groups, most = 3000, 1 << 9
	s := newScripted(t)
	s.copy = receiver.New(&nothing{}, comps)
	for h := range repl.Handle(groups) {
		require.NoError(t, s.try(one(repl.Full, h, 0, 10, 0)))
		require.NoError(t, s.try(one(repl.Update, h, 0, 30, 20)))
	}
	require.Empty(t, s.asks())
	none := message(record{kind: repl.Gone, group: groups, seq: 1, tick: 1000})
	asked := map[repl.Handle]bool{}
	for range groups/most + 1 {
		require.NoError(t, s.copy.HandleActions(none))
		now := s.asks()
		assert.LessOrEqual(t, len(now), most)
		for _, h := range now {
			asked[h] = true
		}
	}
	assert.Len(t, asked, groups)
}

// runSamples are messages and frames with blocks of several groups, usual records and generations, in an
// order in which all of them can be applied.
func runSamples() []sample {
	spawn := one(repl.Full, 2, 0, 10, 0)
	reborn := one(repl.Full, 2, 0, 40, 0)
	reborn.generation = 1
	last := one(repl.Full, 3, 0, 40, 0)
	last.generation = repl.MaxGeneration
	private := one(repl.Full, repl.Private, 0, 40, 0)
	private.generation = repl.MaxGeneration - 1
	return []sample{
		{10, false, withUsual(spawn)},
		{10, false, message(one(repl.Full, 4, 0, 10, 0), one(repl.Full, 9, 0, 10, 0))},
		{20, true, plainRun(10, number(7), 2, 3, 4)},
		{21, true, join(plainRun(1, number(8), 2, 4, 9), markOf(21, 0, true))},
		{30, false, withUsualEnds(30, 1, 2, 2)},
		{40, false, message(reborn, last, private)},
		{41, true, join(plainRun(1, number(9), 2, 3), plainRun(2, number(9), repl.Private), run(one(repl.Update, 4, 0, 41, 20)))},
	}
}

// withUsualEnds returns a message of the ends of so many groups with consecutive handles.
func withUsualEnds(tick entangle.Tick, seq repl.Seq, first repl.Handle, n int) []byte {
	b := message(record{kind: repl.Gone, group: first, seq: seq, tick: tick})
	var w bits.Writer
	w.Copy(b, endOf(b))
	for range n - 1 {
		w.Bool(true)
	}
	w.Bool(false)
	w.Bits(3, 2)
	return w.Finish()
}

// The samples are valid: all of them apply.
func TestRunSamplesApply(t *testing.T) {
	for _, alike := range []bool{false, true} {
		s := newScripted(t)
		if alike {
			s.copy = receiver.New(&atOnce{copySink: s.sink}, comps)
		}
		for _, each := range runSamples() {
			require.NoError(t, each.to(s.copy))
			s.check()
		}
		require.EqualValues(t, receiver.Stats{Updates: 9, Actions: 9, Waited: 1}, s.copy.Stats())
		require.Len(t, s.sink.entities, 5)
	}
}

// FuzzRuns passes frames and messages of any bytes to two receivers, one of which applies many updates in
// one call. Neither panics nor exceeds its limits, and both do the same.
//
// Proves: Z6, Z17
func FuzzRuns(f *testing.F) {
	var all []byte
	for _, s := range append(runSamples(), samples()...) {
		head := byte(len(s.bytes))
		if s.updates {
			head |= 0x80
		}
		all = append(append(all, head, byte(s.tick)), s.bytes...)
		f.Add(all)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		single, many := newScripted(t), newScripted(t)
		many.copy = receiver.New(&atOnce{copySink: many.sink}, comps)
		for len(data) > 1 {
			n := min(int(data[0]&0x7f), len(data)-2)
			frame := sample{entangle.Tick(data[1]), data[0]&0x80 != 0, data[2 : 2+n]}
			data = data[2+n:]
			err, other := frame.to(single.copy), frame.to(many.copy)
			require.Equal(t, err == nil, other == nil, "%v, %v", err, other)
			if err != nil {
				return
			}
			single.check()
			many.check()
			require.Equal(t, single.copy.Stats(), many.copy.Stats())
			require.Equal(t, single.sink.byID, many.sink.byID)
			require.Equal(t, single.sink.entities, many.sink.entities)
			require.Equal(t, single.asks(), many.asks())
		}
	})
}

// However many actions wait for more groups than may advance together, few of them are searched in vain in
// each call.
//
// Proves: Z17
func TestSearchesThatAreTooLargeAreBounded(t *testing.T) {
	const chain, roots = 1024, 300
	s := newScripted(t)
	s.copy = receiver.New(&nothing{}, comps)
	waiting := func(h, needed repl.Handle) record {
		return record{kind: repl.Change, group: h, seq: 1, tick: 20, base: 10, needs: []repl.Need{need(needed, 20)}, alone: true}
	}
	for h := repl.Handle(1); h <= chain+roots; h++ {
		require.NoError(t, s.try(one(repl.Full, h, 0, 10, 0)))
	}
	for h := repl.Handle(chain); h > 0; h-- { // each needs the next one, and the last one what never comes
		needed := h + 1
		if h == chain {
			needed = 5000
		}
		require.NoError(t, s.try(waiting(h, needed)))
	}
	all := make([]record, roots)
	for i := range all {
		all[i] = waiting(chain+1+repl.Handle(i), 1)
	}
	require.NoError(t, s.copy.HandleActions(message(all...)))
	before, last := s.copy.Stats().Overflow, 0
	for call := range 20 * (chain + roots) {
		require.NoError(t, s.copy.HandleUpdates(20, nil))
		now := s.copy.Stats().Overflow
		if now == before {
			continue
		}
		require.EqualValues(t, 1, now-before)
		require.True(t, before == 0 || call-last >= 16, "each is paid for by later calls")
		before, last = now, call
	}
	assert.EqualValues(t, roots, before, "all are passed over in the end")
}
