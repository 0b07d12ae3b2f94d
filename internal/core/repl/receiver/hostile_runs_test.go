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

// runSamples are messages and frames with blocks of several groups, usual records and generations, in an
// order in which all of them can be applied.
func runSamples() []sample {
	spawn := one(repl.Full, 2, 10, 0)
	reborn := one(repl.Full, 2, 40, 0)
	reborn.generation = 1
	last := one(repl.Full, 3, 40, 0)
	last.generation = repl.MaxGeneration
	private := one(repl.Full, repl.Private, 40, 0)
	private.generation = repl.MaxGeneration - 1
	return []sample{
		{10, false, withUsual(spawn)},
		{10, false, message(one(repl.Full, 4, 10, 0), one(repl.Full, 9, 10, 0))},
		{20, true, plainRun(10, number(7), 2, 3, 4)},
		{21, true, join(plainRun(1, number(8), 2, 4, 9), markOf(21, 0, true))},
		{30, false, withUsualEnds(30, 20, 2, 2)},
		{40, false, message(reborn, last, private)},
		{41, true, join(plainRun(1, number(9), 2, 3), plainRun(2, number(9), repl.Private), run(one(repl.Update, 4, 41, 20)))},
	}
}

// withUsualEnds returns a message of the ends of so many groups with consecutive handles.
func withUsualEnds(tick, base entangle.Tick, first repl.Handle, n int) []byte {
	all := []record{ends(first, tick, base)}
	for range n - 1 {
		all = append(all, record{usual: true})
	}
	return message(all...)
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
		}
	})
}
