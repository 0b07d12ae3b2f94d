package wire_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// runOf is a run of records on the wire, and for each plan two columns to write to: one record by
// record, the other column by column.
type runOf struct {
	subjects  []subject
	run       wire.ShortRun
	wire      []byte
	skip      uint
	one, cols [][]byte
}

func drawRun(t *rapid.T, all []subject) *runOf {
	x := &runOf{skip: rapid.UintRange(0, 7).Draw(t, "skip")}
	for range rapid.IntRange(1, 4).Draw(t, "plans") {
		s := rapid.SampledFrom(all).Draw(t, "type")
		x.subjects, x.run.Plans = append(x.subjects, s), append(x.run.Plans, s.plan.Short())
		x.one, x.cols = append(x.one, make([]byte, s.plan.Size()*rows)), append(x.cols, make([]byte, s.plan.Size()*rows))
	}
	var w bits.Writer
	w.Bits(0, x.skip)
	for range rapid.IntRange(0, 20).Draw(t, "records") {
		for _, s := range x.subjects {
			s.plan.Encode(&w, s.draw(t), nil)
		}
	}
	for _, b := range rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "behind") {
		w.Bits(uint64(b), 8)
	}
	x.wire = w.Finish()
	for range rapid.IntRange(0, 2).Draw(t, "wrong bits") {
		if len(x.wire) > 0 {
			x.wire[rapid.IntRange(0, len(x.wire)-1).Draw(t, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		}
	}
	return x
}

// rows is how long the columns are.
const rows = 64

func (x *runOf) reader() *bits.Reader {
	r := &bits.Reader{}
	r.Reset(x.wire)
	r.Skip(min(x.skip, uint(r.RemainingBits())))
	return r
}

// oneByOne decodes n records into the first column, each on its own.
func (x *runOf) oneByOne(r *bits.Reader, n int, rows []int32) (right int, err error) {
	for i := range n {
		values := make([][]byte, len(x.subjects))
		for p, s := range x.subjects {
			values[p] = append(values[p], x.one[p][(10+int(rows[i]))*s.plan.Size():][:s.plan.Size()]...)
			_ = s.plan.Decode(r, values[p], nil) // r keeps the first error
		}
		if r.Err() != nil {
			return i, r.Err()
		}
		for p, s := range x.subjects {
			copy(x.one[p][(10+int(rows[i]))*s.plan.Size():], values[p])
		}
	}
	return n, nil
}

func (x *runOf) put(way int, right int, rows []int32) {
	for p, s := range x.subjects {
		size := s.plan.Size()
		switch base := &x.cols[p][10*size]; way {
		case 0:
			x.run.PutRow(p, base, right)
		case 1:
			x.run.Put(p, base, rows[:right])
		default:
			for i, row := range rows[:right] {
				x.run.PutOne(p, i, &x.cols[p][(10+int(row))*size])
			}
		}
	}
}

// Reading a run gives the same as reading its records one by one, for any bytes: the same values at
// the same places, nothing from the first invalid record on, and the same error.
func TestARunIsItsRecordsOneByOne(t *testing.T) {
	all := shorts(t)
	rapid.Check(t, func(t *rapid.T) {
		x := drawRun(t, all)
		a, b := x.reader(), x.reader()
		n := x.run.Length(b)
		require.LessOrEqual(t, n, 40*wire.MaxShortRun)
		n = min(n, rapid.IntRange(0, 40).Draw(t, "most"))
		way, rows := rapid.IntRange(0, 2).Draw(t, "way"), make([]int32, n)
		for i := range rows {
			rows[i] = int32(i)
		}
		if way > 0 && n > 1 {
			rows[0], rows[n-1] = rows[n-1], -10
		}
		right, err := x.run.Read(b, n)
		x.put(way, right, rows)
		wantRight, want := x.oneByOne(a, n, rows)
		require.Equal(t, want, err)
		require.Equal(t, wantRight, right)
		require.Equal(t, a.RemainingBits(), b.RemainingBits())
		require.Equal(t, x.one, x.cols)
	})
}

// All records that a sender wrote are counted and read.
func TestALongRunIsCountedWhole(t *testing.T) {
	s := subjectOf[shortPoint](t)
	run := wire.ShortRun{Plans: []*wire.Short{s.plan.Short()}}
	var w bits.Writer
	for range 2 * wire.MaxShortRun {
		s.plan.Encode(&w, make([]byte, 12), nil)
	}
	var r bits.Reader
	r.Reset(w.Finish())
	left := 2 * wire.MaxShortRun
	for n := run.Length(&r); n > 0; n = run.Length(&r) {
		right, err := run.Read(&r, n)
		require.NoError(t, err)
		require.Equal(t, n, right)
		left -= n
	}
	assert.Zero(t, left)
}

// The highest index of each coordinate is read and the next one is refused, whatever the other
// coordinates are.
func TestEachCoordinateOfARunHasItsLimit(t *testing.T) {
	for _, c := range []struct {
		subject
		width, last uint64
	}{{subjectOf[shortPoint](t), 17, 102_400}, {subjectOf[shortWidePoint](t), 19, 400_000}} {
		for place := range uint64(3) {
			for _, beside := range []uint64{0, c.last} {
				for over := range uint64(2) {
					run := wire.ShortRun{Plans: []*wire.Short{c.plan.Short()}}
					var w bits.Writer
					for record := range 40 {
						for i := range uint64(3) {
							number := beside
							if i == place && record == 30 {
								number = c.last + over
							}
							w.Bits(number, uint(c.width))
						}
					}
					var r bits.Reader
					r.Reset(w.Finish())
					right, err := run.Read(&r, run.Length(&r))
					require.Equal(t, 40-10*int(over), right, "%s: coordinate %d", c.name, place)
					require.Equal(t, over == 1, err != nil)
				}
			}
		}
	}
}
