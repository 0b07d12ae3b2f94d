package blend_test

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/wire/blend"
)

func columnOf[T any](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(values[0])))
}

// A curve over columns has the values of the function for each pair, and the bytes of an end at a share of 0
// or 1.
func TestCurvesOverColumns(t *testing.T) {
	own := func(a, b place, va, vb speed, seconds, t float64) place {
		a.X += float32((float64(b.X-a.X) + float64(vb.X-va.X)*seconds) * t)
		a.Name++
		return a
	}
	for name, f := range map[string]func(a, b place, va, vb speed, seconds, t float64) place{
		"of the game": own, "Hermite": blend.HermiteValue[place, speed],
	} {
		t.Run(name, func(t *testing.T) {
			each, err := blend.NewCurve(f)
			require.NoError(t, err)
			places, speeds := make([]place, 5), make([]speed, 5)
			for i := range places {
				places[i] = place{X: float32(i * i), Name: uint16(i), Turn: float64(i) / 4}
				speeds[i] = speed{float32(i), 2, -float64(i)}
			}
			from, to := []uint32{3, 0, 1, 2}, []uint32{4, 4, 2, 1}
			share, seconds := []float32{0.5, 0, 1, 0.25}, []float32{1, 2, 3, 0.5}
			got := make([]place, len(share))
			call := func() { each(columnOf(got), columnOf(places), columnOf(speeds), from, to, share, seconds) }
			call()
			for i := range got {
				want := places[from[i]]
				switch share[i] {
				case 0:
				case 1:
					want = places[to[i]]
				default:
					want = f(want, places[to[i]], speeds[from[i]], speeds[to[i]], float64(seconds[i]), float64(share[i]))
				}
				assert.Equal(t, want, got[i], "pair %d", i)
			}
			assert.Zero(t, alloctest.Count(100, call))
			to[0] = 5
			assert.Panics(t, call, "beyond the plane")
		})
	}
	_, err := blend.NewCurve(func(place, place, speed, speed, float64, float64) place { panic(errors.New("its own")) })
	assert.NoError(t, err, "its panic is no sign of Hermite")
}
