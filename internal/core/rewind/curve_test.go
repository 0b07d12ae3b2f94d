package rewind

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/snapshot"
	"github.com/entangle-ecs/entangle/internal/set"
)

// The columns of entities that move by curves: a place, and its velocity per second.
const (
	bent     = 0
	velocity = 1
)

// bend blends places with their velocities, by cubic polynomials.
func bend(dst, plane, with []byte, from, to []uint32, share, seconds []float32) {
	at := func(memory []byte, i uint32) float64 { return number(memory[i*8 : i*8+8]) }
	for i := range from {
		t, s := float64(share[i]), float64(seconds[i])
		v := (2*t*t*t-3*t*t+1)*at(plane, from[i]) + (3*t*t-2*t*t*t)*at(plane, to[i]) +
			s*((t*t*t-2*t*t+t)*at(with, from[i])+(t*t*t-t*t)*at(with, to[i]))
		binary.NativeEndian.PutUint64(dst[i*8:], math.Float64bits(v))
	}
}

func curved(extrapolate uint16) []snapshot.Kind {
	return []snapshot.Kind{
		{Size: 8, Blend: blend, Each: each, Curve: bend, With: velocity, Extrapolate: extrapolate},
		{Size: 8, Blend: blend, Each: each},
	}
}

// A view of an entity that is shown by a curve equals what a client with a snapshot.Store shows, also if its movement
// begins on the way of another one: then with the velocity that was shown there.
//
// Proves: L1
func TestACurveBeginsOnTheWayOfAnotherMovement(t *testing.T) {
	turned := 0
	for seed := range uint64(100) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			turned += compareCurves(t, rand.New(rand.NewPCG(seed, 23)))
		})
	}
	assert.Greater(t, turned, 500)
}

// compareCurves returns how many views were of a movement that began on the way of another one.
func compareCurves(t *testing.T, rng *rand.Rand) (turned int) {
	of, every := curved(uint16(rng.IntN(2)*4)), 1+rng.IntN(3)
	w := newWorld(of)
	w.every = every
	store := snapshot.New(of, tickRate)
	slot := store.Add(uint16(every))
	delay, jitter := 1+3*rng.Float64()+float64(every), rng.IntN(6)
	values := map[entangle.Tick][2]float64{}
	arrive := map[entangle.Tick][]uint16{}
	value, speed, compared := 0.0, 0.0, 0
	for tick := entangle.Tick(1000); tick < 1400; tick++ {
		if rng.IntN(10) == 0 {
			speed = 400 * (rng.Float64() - 0.5)
		}
		value += speed / tickRate
		w.run(tick, 0, 0)
		for col, v := range []float64{value, speed} {
			binary.NativeEndian.PutUint64(w.Row(col)[5*8:], math.Float64bits(v))
		}
		values[tick] = [2]float64{value, speed}
		if tick == 1000 {
			w.Received.Begin(w.group, tick)
			w.deliver(w.group, tick)
			arrive[tick] = append(arrive[tick], w.id(tick))
		} else if int(tick)%every == 0 && rng.IntN(6) > 0 { // otherwise it is lost
			at := tick + entangle.Tick(rng.IntN(jitter+1))
			arrive[at] = append(arrive[at], w.id(tick))
		}
		w.receiveFrame(rng, store, float64(tick)-1-delay, arrive[tick], func(sent entangle.Tick) {
			store.AddSample(slot, sent, set.MaskOf(bent, velocity), func(col int) []byte { return memory(values[sent][col]) })
		})
		now := float64(shown(float64(tick)-delay)) / 256
		store.Advance(uint16(every), entangle.Tick(now), now-math.Floor(now))
		if !store.Shown(slot) {
			continue
		}
		store.Select([]snapshot.Slot{slot})
		for _, col := range []int{bent, velocity} {
			dst := make([]byte, 8)
			store.Show(col, dst)
			w.view.Reset(w.History, &w.Received)
			w.add(every, 0, shown(now))
			got, absent := w.view.Values(col)
			require.Len(t, absent, 1, "tick %d", tick)
			if w.view.mover.n == maxLegs {
				continue // it may have begun at more movements than are kept
			}
			if compared++; w.view.mover.n > 1 {
				turned++
			}
			require.InDelta(t, number(dst), number(got), 1e-3, "tick %d, column %d, shown %v: %+v", tick, col, now, w.view.mover)
		}
	}
	require.Greater(t, compared, 700)
	return turned
}
