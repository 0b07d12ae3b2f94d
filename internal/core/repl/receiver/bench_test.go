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

func (c *columns) UpdateAll(slot repl.Slot, _ entangle.Tick, _ *set.Mask, r *bits.Reader, _ receiver.Refs) error {
	c.a[slot], c.b[slot] = uint32(r.Bits(32)), uint32(r.Bits(32))
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
	w.Bits(0b00, 2) // a run of groups that may differ
	handle(&w, first)
	w.Uvarint(uint64(age))
	w.Align()
	for g := range n {
		if g > 0 {
			w.Bits(0b11, 2)
		}
		w.Bits(0b10, 2)      // no references; a group of one
		w.Bits(0b011, comps) // both components
		w.Bits(uint64(g), 32)
		w.Bits(uint64(tick), 32)
	}
	w.Bool(false)
	w.Uvarint(0)
	return w.Finish()
}

func newColumnsSink(t testing.TB, n int) *columns {
	return &columns{copySink: newCopySink(t), a: make([]uint32, n+1), b: make([]uint32, n+1)}
}

func newColumns(t testing.TB, n int) (*columns, *receiver.Receiver) {
	c := newColumnsSink(t, n)
	r := receiver.New(c, nil, comps)
	for h := range repl.Handle(n) {
		require.NoError(t, r.HandleActions(message(one(repl.Full, h, 0, 10, 0))))
	}
	return c, r
}

// runs is a columns that applies equal records in one call.
type runs struct{ *columns }

func (c *runs) RunLength(like *receiver.Alike, r *bits.Reader) (n int) {
	ahead := *r
	for ahead.Peek()&(1<<like.HeadBits-1) == like.Head && ahead.RemainingBits() > 0 {
		ahead.Skip(like.HeadBits + 64)
		n++
	}
	return n
}

func (c *runs) UpdateRun(slots []repl.Slot, like *receiver.Alike, r *bits.Reader) (n int, err error) {
	for _, slot := range slots {
		r.Skip(like.HeadBits)
		if err := c.UpdateAll(slot, like.Tick, &like.Set, r, nil); err != nil {
			return n, err
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
			r := receiver.New(c, nil, comps)
			if alike {
				r = receiver.New(&runs{c}, nil, comps)
			}
			for h := range repl.Handle(groups) {
				require.NoError(t, r.HandleActions(message(one(repl.Full, h, 0, 10, 0))))
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
	c := &columns{a: make([]uint32, groups+1), b: make([]uint32, groups+1)}
	frame := columnsFrame(11, groups)
	for b.Loop() {
		var r bits.Reader
		r.Reset(frame)
		r.Bits(24)
		for g := range repl.Slot(groups) {
			r.Skip(7)
			if err := c.UpdateAll(g, 0, nil, &r, nil); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/groups, "ns/record")
}
