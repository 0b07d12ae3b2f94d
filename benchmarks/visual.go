package main

import (
	"fmt"
	"math"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/visualinterp"
)

// interpolate/visual: two components of each of 1,000 entities are shown between two ticks,
// in an Arche world. Limit: see visual_limit.go. One operation is a frame with one tick:
// what is true at its end is kept, what is shown takes its place, and what is true comes
// back.
const visualEntities = 1_000

type (
	visualPosition struct{ X, Y, Z float32 }
	visualAim      struct{ X, Y float32 }
	visualRotation struct {
		Q [4]float32 `net:"quat"`
	}
)

func visualVariants() []variant {
	aims := visualPair[visualAim]{
		at:  func(v *visualAim, i, tick int) { v.X, v.Y = float32(i+tick), float32(i-tick) },
		mix: mixAims,
		apart: func(a, b visualAim) float64 {
			return max(math.Abs(float64(a.X-b.X)), math.Abs(float64(a.Y-b.Y)))
		},
	}
	rotations := visualPair[visualRotation]{at: turnVisual, mix: mixRotations, apart: func(a, b visualRotation) (apart float64) {
		for i := range a.Q {
			apart = max(apart, math.Abs(float64(a.Q[i]-b.Q[i])))
		}
		return apart
	}}
	return []variant{
		{name: "interpolate/visual", goal: 1.5, prepare: func() (sides, error) { return visualSides(aims, 0) }},
		{name: "interpolate/visual-turning", goal: 1.5, prepare: func() (sides, error) { return visualSides(rotations, 0) }},
		{name: "interpolate/visual-churn", prepare: func() (sides, error) { return visualSides(aims, visualEntities/100) }},
	}
}

// visualPair is the component that goes with the position.
type visualPair[B any] struct {
	at    func(v *B, i, tick int) // where the entity i is
	mix   func(dst, a, b []B, t float32)
	apart func(a, b B) float64
}

// turnVisual turns by 3 degrees a tick, each about another axis.
func turnVisual(v *visualRotation, i, tick int) {
	x, y := math.Sincos(float64(i))
	s, c := math.Sincos(float64(tick) * math.Pi / 120)
	v.Q = [4]float32{float32(x * s), float32(y * s), 0, float32(c)}
}

// visualSides makes both sides of a variant, with as many entities that leave and come in
// each frame.
func visualSides[B any](pair visualPair[B], churn int) (sides, error) {
	ours, err := newVisualWorld[B]()
	if err != nil {
		return sides{}, err
	}
	limit := newVisualLimit(pair.mix)
	tick := 0
	return sides{
		before: func() {
			tick++
			ours.churn(churn)
			ours.move(&pair, tick)
			limit.move(&pair, tick)
		},
		ours: func() {
			ours.show()
			ours.picture.Restore(time.Time{})
		},
		limit: func() {
			limit.show()
			limit.restore()
		},
		verify: func() error {
			if churn > 0 {
				return nil // its rows are other entities'
			}
			ours.show()
			limit.show()
			return ours.equal(&pair, limit)
		},
	}, nil
}

// visualWorld is our side.
type visualWorld[B any] struct {
	world    *ecs.World
	time     *components.Time
	picture  *tick.Picture
	ids      []ecs.ID
	filter   ecs.Mask
	entities []ecs.Entity
}

func newVisualWorld[B any]() (*visualWorld[B], error) {
	p := protocol.New(protocol.Config{Name: "benchmarks"})
	protocol.Component[visualPosition](p).Interpolate(protocol.Linear[visualPosition])
	protocol.Component[B](p).Interpolate(protocol.Linear[B])
	if err := p.Seal(); err != nil {
		return nil, err
	}
	w := ecs.NewWorld(visualEntities)
	v := &visualWorld[B]{world: &w, time: &components.Time{Overstep: visualShare}}
	v.ids = []ecs.ID{ecs.ComponentID[visualPosition](&w), ecs.ComponentID[B](&w)}
	v.filter = ecs.All(v.ids...)
	v.picture = tick.InstallPicture(&w, p, v.time)
	shows := visualinterp.Add[B](visualinterp.Add[visualPosition](visualinterp.New()))
	shows.Initialize(&w)
	for range visualEntities {
		v.entities = append(v.entities, w.NewEntity(v.ids...))
	}
	return v, nil
}

// churn has as many entities leave, and others come.
func (v *visualWorld[B]) churn(n int) {
	for _, e := range v.entities[:n] {
		v.world.RemoveEntity(e)
	}
	v.entities = append(v.entities[:0], v.entities[n:]...)
	for range n {
		v.entities = append(v.entities, v.world.NewEntity(v.ids...))
	}
}

// move is a tick of the game, which nobody measures.
func (v *visualWorld[B]) move(pair *visualPair[B], tick int) {
	i := 0
	for query := v.world.Query(&v.filter); query.Next(); i++ {
		*(*visualPosition)(query.Get(v.ids[0])) = visualAt(i, tick)
		pair.at((*B)(query.Get(v.ids[1])), i, tick)
	}
}

// show begins a tick and ends its frame.
func (v *visualWorld[B]) show() {
	v.time.Tick++
	v.picture.Tick()
	v.picture.Show()
}

// equal compares what is shown.
func (v *visualWorld[B]) equal(pair *visualPair[B], limit *visualLimit[B]) error {
	i := 0
	for query := v.world.Query(&v.filter); query.Next(); i++ {
		a, b := *(*visualPosition)(query.Get(v.ids[0])), limit.positions.column[i]
		apart := max(math.Abs(float64(a.X-b.X)), math.Abs(float64(a.Y-b.Y)), math.Abs(float64(a.Z-b.Z)))
		apart = max(apart, pair.apart(*(*B)(query.Get(v.ids[1])), limit.others.column[i]))
		if !(apart < 1e-4) {
			query.Close()
			return fmt.Errorf("entity %d is shown %g apart", i, apart)
		}
	}
	if i != visualEntities {
		return fmt.Errorf("%d entities are shown", i)
	}
	return nil
}
