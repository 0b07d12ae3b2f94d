package stepcode

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// hints returns one hint of each kind.
func hints() (all []Hint) {
	for class := range uint8(Classes) {
		all = append(all, Hint{class: class}, Hint{class: class, sign: 1}, Hint{class: class, sign: -1}, Hint{class: class, turns: true})
	}
	return append(all, Hint{class: unknown}, Hint{class: unknown, turns: true})
}

func TestStepsComeBackWhateverIsExpected(t *testing.T) {
	for _, h := range hints() {
		for class := range Classes {
			for _, magnitude := range []int64{1 << class >> 1, 1<<class - 1} {
				for _, step := range []int64{magnitude, -magnitude} {
					var w bits.Writer
					WriteStep(&w, h, step)
					var r bits.Reader
					r.Reset(w.Finish())
					got, instead := ReadStep(&r, h)
					require.NoError(t, r.End())
					require.False(t, instead)
					require.Equal(t, step, got, "%+v", h)
				}
			}
		}
		var w bits.Writer
		WriteWhole(&w, h)
		var r bits.Reader
		r.Reset(w.Finish())
		_, instead := ReadStep(&r, h)
		require.NoError(t, r.End())
		require.True(t, instead)
	}
}

// Every book has a code for each place, and its codes use up all bit patterns.
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

// The expected class has a short code. If none is expected, the likely classes have.
func TestExpectedClassesAreShort(t *testing.T) {
	size := func(h Hint, step int64) int {
		var w bits.Writer
		WriteStep(&w, h, step)
		return w.LenBits() - max(int(ClassOf(step))-1, 0)
	}
	assert.Equal(t, 1, size(Hint{class: 9, sign: -1}, -300))
	assert.Equal(t, 6, size(Hint{class: 9, sign: -1}, 300))
	assert.Equal(t, 3+1, size(Hint{class: 9}, 300))
	assert.Equal(t, 2+1, size(Hint{class: 9, turns: true}, 300))
	assert.Equal(t, 1, size(Hint{}, 0))
	assert.Equal(t, 4+1, size(Hint{class: unknown}, 300))
}
