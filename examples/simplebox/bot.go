package main

import (
	"math"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/components"
)

// patience is how many ticks a bot hunts one dot before it chooses another.
const patience = 2 * tickRate

// bot hunts dots. It sees only its client's world, as late as that is.
type bot struct {
	world  *ecs.World
	boxes  *generic.Filter1[Position]
	dots   *generic.Filter1[Position]
	places generic.Map[Position]
	prey   ecs.Entity
	ticks  int // ticks until its patience ends
}

func newBot(w *ecs.World) *bot {
	return &bot{
		world:  w,
		boxes:  generic.NewFilter1[Position]().With(generic.T[Box](), generic.T[components.Controlled]()),
		dots:   generic.NewFilter1[Position]().Without(generic.T[Box]()),
		places: generic.NewMap[Position](w),
	}
}

// steer returns the direction in which the bot steers its box in this tick.
func (b *bot) steer() Steer {
	me, ok := b.box()
	if !ok {
		return Steer{}
	}
	if b.ticks--; b.ticks <= 0 || !b.world.Alive(b.prey) {
		b.prey, b.ticks = b.nearestDot(me), patience
	}
	if b.prey.IsZero() {
		return Steer{}
	}
	prey := b.places.Get(b.prey)
	return Steer{DX: toward(me.X, prey.X), DY: toward(me.Y, prey.Y)}
}

// box returns the position of this client's box.
func (b *bot) box() (at Position, ok bool) {
	query := b.boxes.Query(b.world)
	for query.Next() {
		at, ok = *query.Get(), true
	}
	return at, ok
}

// nearestDot returns the dot to hunt, or the zero entity if there is none.
func (b *bot) nearestDot(me Position) (prey ecs.Entity) {
	best := math.Inf(1)
	query := b.dots.Query(b.world)
	for query.Next() {
		at := query.Get()
		if d := math.Hypot(float64(at.X-me.X), float64(at.Y-me.Y)); d < best {
			prey, best = query.Entity(), d
		}
	}
	return prey
}

// toward returns the sign of a distance, and 0 if it is small.
func toward(from, to float32) int8 {
	switch {
	case to-from > 1:
		return 1
	case from-to > 1:
		return -1
	default:
		return 0
	}
}
