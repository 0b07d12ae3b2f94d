package controls_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/controls"
	"github.com/entangle-ecs/entangle/internal/alloctest"
)

var (
	up      = controls.Button{}
	held    = controls.Button{Down: true}
	press   = controls.Button{Down: true, Pressed: true}
	release = controls.Button{Released: true}
	tap     = controls.Button{Pressed: true, Released: true}
	again   = controls.Button{Down: true, Pressed: true, Released: true}
)

// Each case is a sequence of frames: d and u set the device down or up in a frame, and t is one of
// its ticks.
//
// Proves: I11
func TestALatchGivesEachPressToOneTick(t *testing.T) {
	for frames, want := range map[string][]controls.Button{
		"ut dt dt ut ut":       {up, press, held, release, up},
		"d ut t":               {tap, up},               // a tap between two ticks
		"dtt dt":               {press, held, held},     // two ticks in a frame
		"d d d dt":             {press},                 // frames without a tick
		"d u d ut t":           {tap, up},               // two taps count as one
		"dt u dt dt":           {press, again, held},    // released for a moment
		"dt ut dt":             {press, release, press}, // released for a tick
		"dt u d ut t":          {press, {Pressed: true, Released: true}, up},
		"t dt":                 {up, press}, // before the first Set
		"d t u t":              {press, release},
		"dt d d d d dtt ut dt": {press, held, held, release, press},
	} {
		t.Run(frames, func(t *testing.T) {
			var l controls.Latch
			var got []controls.Button
			for _, step := range frames {
				switch step {
				case 'd', 'u':
					l.Set(step == 'd')
				case 't':
					got = append(got, l.Take())
				}
			}
			assert.Equal(t, want, got)
		})
	}
}

// device is the history of a button, and a simple model of a latch.
type device struct {
	states []bool // the argument of each Set; the device is up before the first
	taken  int    // how many of those the last tick has taken
}

func (d *device) take() (b controls.Button) {
	for i := d.taken; i < len(d.states); i++ {
		before := i > 0 && d.states[i-1]
		b.Pressed = b.Pressed || d.states[i] && !before
		b.Released = b.Released || !d.states[i] && before
	}
	d.taken = len(d.states)
	b.Down = len(d.states) > 0 && d.states[len(d.states)-1]
	return b
}

// For any sequence of frames and ticks, each press is taken exactly once.
//
// Proves: I11
func TestALatchIsItsPlainTwin(t *testing.T) {
	for seed := range uint64(200) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			defer repeat(t, "TestALatchIsItsPlainTwin", seed)
			rng := rand.New(rand.NewPCG(seed, 11))
			var l controls.Latch
			var twin device
			ticks := rng.IntN(4) // the greatest number of ticks in a frame
			down, presses, seen := false, 0, 0
			for range 300 {
				for range rng.IntN(3) {
					if now := rng.IntN(3) == 0; now != down {
						down, presses = now, presses+toInt(now)
					}
					l.Set(down)
					twin.states = append(twin.states, down)
				}
				for range rng.IntN(ticks + 1) {
					got := l.Take()
					require.Equal(t, twin.take(), got)
					seen += toInt(got.Pressed)
				}
			}
			assert.LessOrEqual(t, seen, presses)
		})
	}
}

// If a device changes at most once per tick, nothing is lost: as many presses are taken as there
// were, and Down follows from them.
func TestSlowPressesAreAllCounted(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 12))
	var l controls.Latch
	down, presses, seen := false, 0, 0
	last := controls.Button{}
	for range 1000 {
		if rng.IntN(2) == 0 {
			down = !down
			presses += toInt(down)
		}
		for range rng.IntN(4) {
			l.Set(down)
		}
		l.Set(down)
		got := l.Take()
		require.Equal(t, last.Next(down), got)
		seen += toInt(got.Pressed)
		last = got
	}
	assert.Equal(t, presses, seen)
}

// An axis has its newest value. A push that has ended since the last tick counts for one tick.
func TestAnAxisLatchGivesTheNewestValue(t *testing.T) {
	var l controls.AxisLatch
	take := func() float32 { return l.Take().Value }
	set := func(values ...float32) {
		for _, v := range values {
			l.Set(v)
		}
	}
	assert.Zero(t, take())
	set(0.2, 0.4)
	assert.Equal(t, []float32{0.4, 0.4}, []float32{take(), take()})
	set(0.4, 0)
	assert.Equal(t, []float32{0, 0}, []float32{take(), take()}, "a push that was taken ends at once")
	set(1, 0)
	assert.Equal(t, []float32{1, 0}, []float32{take(), take()}, "a push between two ticks is taken")
	set(-1, 0, 1, 0)
	assert.Equal(t, []float32{1, 0}, []float32{take(), take()}, "the newest of two")
	set(0.2, 1, 0.4, 0)
	assert.Equal(t, []float32{1, 0}, []float32{take(), take()}, "the extreme")
	set(-1, 0, 1)
	assert.Equal(t, []float32{1, 1}, []float32{take(), take()})
	set(0.001, 2, 7)
	assert.EqualValues(t, 1, take(), "within its range")
	set(0.003)
	assert.Zero(t, take(), "a stick at rest")

	var both controls.Axis2Latch
	both.Set(-1, 0.5)
	both.Set(0, 0.5)
	assert.Equal(t, controls.Axis2{X: -1, Y: 0.5}, both.Take(), "each by itself")
	assert.Equal(t, controls.Axis2{Y: 0.5}, both.Take())
}

func TestAButtonWithoutADevice(t *testing.T) {
	b := controls.Button{}
	var got []controls.Button
	for _, down := range []bool{true, true, false, false, true} {
		b = b.Next(down)
		got = append(got, b)
	}
	assert.Equal(t, []controls.Button{press, held, release, up, press}, got)
	assert.True(t, tap.Tapped() && tap.Active() && held.Active() && !again.Tapped() && !release.Active() && !up.Active())
}

func TestLatchesAllocateNothing(t *testing.T) {
	var l controls.Latch
	var a controls.Axis2Latch
	assert.Zero(t, alloctest.Count(100, func() {
		l.Set(true)
		a.Set(1, 0)
		_, _ = l.Take(), a.Take()
	}))
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func repeat(t *testing.T, test string, seed uint64) {
	if t.Failed() {
		t.Logf("repeat with: go test ./controls -run '%s/seed=%d$'", test, seed)
	}
}
