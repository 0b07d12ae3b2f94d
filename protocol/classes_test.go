package protocol

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// hints are all that differ.
func hints() (all []hint) {
	for class := range uint8(classes) {
		all = append(all, hint{class: class}, hint{class: class, sign: 1}, hint{class: class, sign: -1}, hint{class: class, turns: true})
	}
	return append(all, hint{class: unknown}, hint{class: unknown, turns: true})
}

func TestStepsComeBackWhateverIsExpected(t *testing.T) {
	for _, h := range hints() {
		for class := range classes {
			for _, magnitude := range []int64{1 << class >> 1, 1<<class - 1} {
				for _, step := range []int64{magnitude, -magnitude} {
					var w bits.Writer
					writeStep(&w, h.book(), h, step)
					var r bits.Reader
					r.Reset(w.Finish())
					got, instead := readStep(&r, h.book(), h)
					require.NoError(t, r.End())
					require.False(t, instead)
					require.Equal(t, step, got, "%+v", h)
				}
			}
		}
		var w bits.Writer
		writeWhole(&w, h.book())
		var r bits.Reader
		r.Reset(w.Finish())
		_, instead := readStep(&r, h.book(), h)
		require.NoError(t, r.End())
		require.True(t, instead)
	}
}

// Every book gives each place a code, and no bits are lost on codes that none has.
func TestBooksAreFull(t *testing.T) {
	for i := range books {
		for bits, s := range books[i].symbols {
			assert.NotZero(t, s.width, "book %d, %08b", i, bits)
		}
		for place := range places {
			assert.NotZero(t, books[i].width[2*place], "book %d, place %d", i, place)
		}
	}
}

// The class that is expected, or the one that is likely where none is, is short.
func TestExpectedClassesAreShort(t *testing.T) {
	size := func(h hint, step int64) int {
		var w bits.Writer
		writeStep(&w, h.book(), h, step)
		return w.LenBits() - max(int(classOf(step))-1, 0)
	}
	assert.Equal(t, 1, size(hint{class: 9, sign: -1}, -300))
	assert.Equal(t, 6, size(hint{class: 9, sign: -1}, 300))
	assert.Equal(t, 3+1, size(hint{class: 9}, 300))
	assert.Equal(t, 2+1, size(hint{class: 9, turns: true}, 300))
	assert.Equal(t, 1, size(hint{}, 0))
	assert.Equal(t, 4+1, size(hint{class: unknown}, 300))
}

func TestRootIsTheNearest(t *testing.T) {
	for n := int64(0); n < 70000; n++ {
		r := root(n)
		require.True(t, (2*r-1)*(2*r-1) <= 4*n || r == 0, "%d", n)
		require.True(t, 4*n <= (2*r+1)*(2*r+1), "%d", n)
	}
	assert.EqualValues(t, 32767, root(32767*32767))
	assert.Zero(t, root(-1))
}
