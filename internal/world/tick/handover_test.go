package tick

import (
	"encoding/binary"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type place struct{ X float64 }

func placeOf(b []byte) float64 { return math.Float64frombits(binary.NativeEndian.Uint64(b)) }

func placeBytes(x float64) []byte {
	return binary.NativeEndian.AppendUint64(nil, math.Float64bits(x))
}

// handing is a display of one entity, which is blended in a line.
type handing struct {
	*Display
	world ecs.World
	e     ecs.Entity
	at    *place
	info  registry.Component
	start time.Time
}

func newHanding(x float64) *handing {
	h := &handing{world: ecs.NewWorld(), start: time.Unix(100, 0)}
	h.Display = InstallDisplay(&h.world, nil, &components.Time{Step: time.Second / 50})
	spawn := generic.NewMap1[place](&h.world)
	h.e = spawn.NewWith(&place{x})
	h.at = spawn.Get(h.e)
	h.info.Type = reflect.TypeFor[place]()
	h.info.Blend = func(dst, a, b []byte, t float64) { copy(dst, placeBytes(placeOf(a)+(placeOf(b)-placeOf(a))*t)) }
	h.Restore(h.start)
	return h
}

func (h *handing) begin(ticks int32) *Handover { return h.HandOver(&h.world, h.e, &h.info, ticks) }

// after restores the values a time after the start, and returns what the game reads then, and what the screen shows.
func (h *handing) after(passed time.Duration) (truth, shown float64) {
	h.Restore(h.start.Add(passed))
	truth = h.at.X
	h.Show()
	return truth, h.at.X
}

// The offset goes to zero in twice the distance of the two times, whether the entity goes to the present or back. What
// the game writes meanwhile stays.
//
// Proves: N10
func TestAHandoverTakesTheOffsetBack(t *testing.T) {
	const over = 2 * 24 * time.Second / 50
	for _, ticks := range []int32{24, -24} {
		h := newHanding(10)
		require.NotNil(t, h.begin(ticks))
		h.at.X = 20
		h.Show()
		assert.InDelta(t, 10, h.at.X, 0, "no step")
		truth, shown := h.after(over / 2)
		assert.InDelta(t, 20, truth, 0, "the game has the true value")
		assert.InDelta(t, 15, shown, 1e-9)

		h.at.X = 30 // by the game
		truth, shown = h.after(over / 2)
		assert.InDelta(t, 30, truth, 0, "what the game has written stays")
		assert.InDelta(t, 20, shown, 1e-9)
		truth, shown = h.after(over)
		assert.InDelta(t, 30, truth, 0)
		assert.InDelta(t, 30, shown, 0, "it is over")

		h.at.X = 40
		require.NotNil(t, h.begin(ticks)) // it uses the memory of the former one
		truth, _ = h.after(over)
		assert.InDelta(t, 40, truth, 0, "there is nothing to restore before it is shown")
	}
}

// A handover that takes the place of another one keeps what was left of its offset, also if it is known where the
// entity would have been without the change.
//
// Proves: N10
func TestAHandoverTakesTheOffsetOfTheLastOne(t *testing.T) {
	const over = 2 * 24 * time.Second / 50
	for _, carries := range []bool{true, false} {
		h := newHanding(10)
		if carries {
			h.info.Carry = func(dst, from, to []byte, left float64) {
				copy(dst, placeBytes(placeOf(dst)+(placeOf(to)-placeOf(from))*left))
			}
		}
		h.begin(-24)
		h.at.X = 20
		h.Show()
		_, shown := h.after(over / 2)
		require.InDelta(t, 15, shown, 1e-9)
		h.Restore(h.start.Add(over / 2))
		again := h.begin(24)
		again.SetFormer(placeBytes(21))
		h.at.X = 40
		h.Show()
		want := 15. // that of the last frame
		if carries {
			want = 16
		}
		assert.InDelta(t, want, h.at.X, 1e-9)
		_, shown = h.after(2 * over)
		assert.InDelta(t, 40, shown, 0)
	}
}

// An entity that is too far away from its new place is there at once.
//
// Proves: N10
func TestAHandoverDoesNotGlideTooFar(t *testing.T) {
	h := newHanding(10)
	h.info.TooFar = func(a, b []byte) bool { return math.Abs(placeOf(a)-placeOf(b)) > 5 }
	h.begin(24)
	h.at.X = 20
	h.Show()
	assert.InDelta(t, 20, h.at.X, 0)
	h.begin(24)
	h.at.X = 24
	h.Show()
	assert.InDelta(t, 20, h.at.X, 0)
}

// A handover that is ended is not shown in that frame nor later, and the next one begins from the true value. One that
// begins again in the frame in which it was ended is shown.
//
// Proves: N16
func TestAHandoverEnds(t *testing.T) {
	for _, frames := range []int{0, 1} {
		h := newHanding(10)
		h.begin(24)
		for range frames {
			h.Show()
			h.Restore(h.start)
		}
		h.EndHandover(h.e, &h.info)
		h.at.X = 20
		h.Show()
		assert.InDelta(t, 20, h.at.X, 0)
		h.Restore(h.start)
		h.EndHandover(h.e, &h.info) // there is none

		h.begin(24)
		h.EndHandover(h.e, &h.info)
		h.begin(24)
		h.at.X = 30
		h.Show()
		assert.InDelta(t, 20, h.at.X, 0)
	}
}

// A handover that begins after another one has ended is as the first: what was shown then does not count.
//
// Proves: N10
func TestAHandoverForgetsAnEndedOne(t *testing.T) {
	h := newHanding(10)
	h.begin(24)
	h.at.X = 20
	h.Show()
	h.Restore(h.start)
	h.EndHandover(h.e, &h.info)
	h.Show()
	h.Restore(h.start)
	h.begin(24).SetFormer(placeBytes(21))
	h.at.X = 40
	h.Show()
	assert.InDelta(t, 21, h.at.X, 0)
}

// displayed is a painter that has shown a value in the last frame.
type displayed struct {
	Painter
	x  float64
	ok bool
}

func (d *displayed) Show() {}

func (d *displayed) Displayed(ecs.Entity, ecs.ID) ([]byte, bool) { return placeBytes(d.x), d.ok }

// A handover begins from what a painter has shown, because that was on the screen.
//
// Proves: N10
func TestAHandoverBeginsFromTheScreen(t *testing.T) {
	for _, ok := range []bool{false, true} {
		h := newHanding(10)
		h.Add(&displayed{x: 9.5, ok: ok})
		h.begin(24)
		h.at.X = 20
		h.Show()
		want := 10.0
		if ok {
			want = 9.5
		}
		assert.InDelta(t, want, h.at.X, 0)
	}
}

// Tests and tools read the simulated value, also what the game has written over the one on the screen. Then the screen shows
// what it showed before. Within a frame the world has the simulated value already.
func TestReadSimulatedPutsTheTrueValuesBackMeanwhile(t *testing.T) {
	h := newHanding(10)
	simulated := func() (x float64) {
		h.ReadSimulated(func() { x = h.at.X })
		return x
	}
	require.NotNil(t, h.begin(24))
	h.at.X = 20
	assert.InDelta(t, 20, simulated(), 0)
	h.Show()
	for range 2 {
		assert.InDelta(t, 10, h.at.X, 0)
		assert.InDelta(t, 20, simulated(), 0)
	}
	h.at.X = 30 // by the game
	assert.InDelta(t, 30, simulated(), 0)
	assert.InDelta(t, 10, h.at.X, 0)
	truth, _ := h.after(time.Second / 50)
	assert.InDelta(t, 30, truth, 0)
}
