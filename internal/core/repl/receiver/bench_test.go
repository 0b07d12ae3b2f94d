package receiver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// columns is the sink of the benchmarks: two columns of values of 32 bits, by slot.
type columns struct {
	*copySink
	a, b []uint32
}

func (c *columns) Update(r *bits.Reader, comp int, _ receiver.Refs) error {
	column := c.a
	if comp == 1 {
		column = c.b
	}
	column[c.at] = uint32(r.Bits(32))
	return r.Err()
}

func (c *columns) Insert(r *bits.Reader, _ int, _ receiver.Refs) error {
	r.Bits(32)
	return r.Err()
}

func (c *columns) Skip(r *bits.Reader, _ int) error { return c.Insert(r, 0, nil) }

// columnsFrame returns an update of each of n groups, from the baseline ten ticks earlier.
func columnsFrame(tick entangle.Tick, n int) []byte { return columnsOf(tick, tick-10, n) }

func columnsOf(tick, age entangle.Tick, n int) []byte { return columnsFrom(0, tick, age, n) }

func columnsFrom(first repl.Handle, tick, age entangle.Tick, n int) []byte {
	var w bits.Writer
	w.Bool(false) // a run
	handle(&w, first)
	w.Uvarint(uint64(age))
	w.Bool(true) // no previous baseline
	w.Align()
	w.Bool(true) // a plain block
	w.Uvarint(uint64(n - 1))
	w.Bool(false)        // without gaps
	w.Bits(0b011, comps) // both components
	for g := range n {
		w.Bits(uint64(g), 32)
		w.Bits(uint64(tick), 32)
	}
	w.Bool(false)
	return w.Finish()
}

func newColumnsSink(t testing.TB, n int) *columns {
	return &columns{copySink: newCopySink(t), a: make([]uint32, n+1), b: make([]uint32, n+1)}
}

func newColumns(t testing.TB, n int) (*columns, *receiver.Receiver) {
	c := newColumnsSink(t, n)
	r := receiver.New(&runs{c}, comps)
	for h := range repl.Handle(n) {
		require.NoError(t, r.HandleActions(message(one(repl.Full, h, 10, 0))))
	}
	return c, r
}

// runs is a columns that applies the updates of many entities in one call.
type runs struct{ *columns }

func (c *runs) UpdateBlock(slots []repl.Slot, _ []entangle.Tick, _ entangle.Tick, _ *set.Mask, r *bits.Reader, _ receiver.Refs) (n int, err error) {
	for _, slot := range slots {
		c.a[slot], c.b[slot] = uint32(r.Bits(32)), uint32(r.Bits(32))
		if r.Err() != nil {
			return n, r.Err()
		}
		n++
	}
	return n, nil
}

// If a run arrives out of order, the groups that have a newer update ignore it, wherever they are
// in the run, and however many records are applied in one call.
//
// Proves: R22
func TestARunIsIgnoredByTheGroupsThatAreNewer(t *testing.T) {
	for name, alike := range map[string]bool{"one by one": false, "in one call": true} {
		t.Run(name, func(t *testing.T) {
			const groups = 6
			c := newColumnsSink(t, groups)
			r := receiver.New(c, comps)
			if alike {
				r = receiver.New(&runs{c}, comps)
			}
			for h := range repl.Handle(groups) {
				require.NoError(t, r.HandleActions(message(one(repl.Full, h, 10, 0))))
			}
			holds := func(want ...entangle.Tick) {
				t.Helper()
				for h, tick := range want {
					held, ok := r.Held(repl.Handle(h))
					require.True(t, ok)
					require.Equal(t, tick, held, "group %d", h)
				}
			}
			require.NoError(t, r.HandleUpdates(15, columnsOf(15, 5, groups)))
			holds(15, 15, 15, 15, 15, 15)
			before := append([]uint32(nil), c.b...)
			require.NoError(t, r.HandleUpdates(14, columnsOf(14, 4, groups)))
			holds(15, 15, 15, 15, 15, 15)
			require.Equal(t, before, c.b)

			require.NoError(t, r.HandleUpdates(30, columnsFrom(3, 30, 20, 1)))
			require.NoError(t, r.HandleUpdates(20, columnsOf(20, 10, groups)))
			holds(20, 20, 20, 30, 20, 20)
		})
	}
}

// asking is a runs that looks up a group while the updates of a block are applied, as a reader of events may.
type asking struct {
	runs
	r *receiver.Receiver
}

func (a *asking) UpdateBlock(slots []repl.Slot, ticks []entangle.Tick, tick entangle.Tick, comps *set.Mask, r *bits.Reader, refs receiver.Refs) (n int, err error) {
	a.r.Held(1)
	return a.runs.UpdateBlock(slots, ticks, tick, comps, r, refs)
}

// A group that is looked up while its update is applied has the tick of the update.
func TestAGroupThatIsLookedUpDuringItsUpdate(t *testing.T) {
	a := &asking{runs: runs{newColumnsSink(t, 3)}}
	a.r = receiver.New(a, comps)
	for h := range repl.Handle(3) {
		require.NoError(t, a.r.HandleActions(message(one(repl.Full, h, 10, 0))))
	}
	require.NoError(t, a.r.HandleUpdates(15, columnsOf(15, 5, 3)))
	for h := range repl.Handle(3) {
		held, _ := a.r.Held(h)
		require.EqualValues(t, 15, held, "group %d", h)
	}
}

// A record that waits for an update is released, wherever in a run that update is.
func TestARunReleasesWhatWaits(t *testing.T) {
	c, r := newColumns(t, 3)
	require.NoError(t, r.HandleUpdates(12, columnsOf(12, 1, 3)))
	require.Zero(t, c.b[2])
	require.NoError(t, r.HandleUpdates(11, columnsFrame(11, 3)))
	for slot := 1; slot <= 3; slot++ {
		require.EqualValues(t, 12, c.b[slot])
	}
	require.Zero(t, r.WaitingBytes())
}

// BenchmarkUpdates updates two values in each of 1,000 groups, in one run.
func BenchmarkUpdates(b *testing.B) {
	const groups = 1000
	_, r := newColumns(b, groups)
	frames := make([][]byte, 1<<10)
	for i := range frames {
		frames[i] = columnsFrame(entangle.Tick(11+i), groups)
	}
	b.ReportAllocs()
	tick, i := entangle.Tick(11), 0
	for b.Loop() {
		if err := r.HandleUpdates(tick, frames[i&(len(frames)-1)]); err != nil {
			b.Fatal(err)
		}
		tick++
		i++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/groups, "ns/record")
}

// limit does the same without a receiver: it only reads the bits.
func BenchmarkUpdatesLimit(b *testing.B) {
	const groups = 1000
	one, two := make([]uint32, groups+1), make([]uint32, groups+1)
	frame := columnsFrame(11, groups)
	for b.Loop() {
		var r bits.Reader
		r.Reset(frame)
		r.Bits(24)
		for g := range groups {
			one[g], two[g] = uint32(r.Bits(32)), uint32(r.Bits(32))
		}
		if r.Err() != nil {
			b.Fatal(r.Err())
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/groups, "ns/record")
}
