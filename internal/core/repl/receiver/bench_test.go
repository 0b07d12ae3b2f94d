package receiver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// columns is the sink that a benchmark is made with: two values of 32 bits by slot.
type columns struct {
	*copySink
	a, b []uint32
}

func (c *columns) UpdateAll(slot repl.Slot, _ entangle.Tick, _ *repl.Mask, r *bits.Reader, _ receiver.Refs) error {
	c.a[slot], c.b[slot] = uint32(r.Bits(32)), uint32(r.Bits(32))
	return r.Err()
}

func (c *columns) Insert(r *bits.Reader, _ int, _ receiver.Refs) error {
	r.Bits(32)
	return r.Err()
}

func (c *columns) Skip(r *bits.Reader, _ int) error { return c.Insert(r, 0, nil) }

// columnsFrame is an update of each of n groups, from base 10.
func columnsFrame(tick entangle.Tick, n int) []byte { return columnsOf(tick, tick-10, n) }

func columnsOf(tick, age entangle.Tick, n int) []byte {
	var w bits.Writer
	w.Bits(0b00, 2) // a run, of groups that may differ
	handle(&w, 0)
	w.Uvarint(uint64(age))
	w.Align()
	for g := range n {
		if g > 0 {
			w.Bits(0b11, 2)
		}
		w.Bits(0b10, 2)      // no references, alone
		w.Bits(0b011, comps) // both
		w.Bits(uint64(g), 32)
		w.Bits(uint64(tick), 32)
	}
	w.Bool(false)
	w.Uvarint(0)
	return w.Finish()
}

func newColumns(t testing.TB, n int) (*columns, *receiver.Receiver) {
	c := &columns{copySink: newCopySink(t), a: make([]uint32, n+1), b: make([]uint32, n+1)}
	r := receiver.New(c, nil, comps)
	for h := range repl.Handle(n) {
		require.NoError(t, r.HandleActions(message(one(repl.Full, h, 0, 10, 0))))
	}
	return c, r
}

// What waits for an update is released wherever in a run that stands.
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

// One operation is an update of two values in each of 1,000 groups, in one run.
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

// limit is the same without a receiver: the bits alone.
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
