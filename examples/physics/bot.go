package main

import (
	"math/rand/v2"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
)

// bot is a player that runs towards the ball, and often past it.
type bot struct {
	world     *ecs.World
	discs     *generic.Filter2[Disc, Place]
	chance    *rand.Rand
	aim       Place // a place beside the ball
	ticksLeft int   // ticks until it chooses another aim
	last      Push
}

func newBot(w *ecs.World, seed uint64) *bot {
	return &bot{world: w, discs: generic.NewFilter2[Disc, Place](), chance: rand.New(rand.NewPCG(seed, 0))}
}

// pushAt returns the direction in which to push a disc that is at a place. It changes a few times a
// second, like a person's.
func (b *bot) pushAt(at Place) Push {
	if b.ticksLeft--; b.ticksLeft > 0 {
		return b.last
	}
	b.ticksLeft = 6 + b.chance.IntN(12)
	b.aim = Place{X: 3 * (b.chance.Float32() - 0.5), Y: 3 * (b.chance.Float32() - 0.5)}
	ball := b.ball()
	b.last = Push{DX: sign(ball.X + b.aim.X - at.X), DY: sign(ball.Y + b.aim.Y - at.Y)}
	return b.last
}

// ball returns the position of the ball.
func (b *bot) ball() (at Place) {
	query := b.discs.Query(b.world)
	for query.Next() {
		if disc, place := query.Get(); disc.Ball {
			at = *place
		}
	}
	return at
}

// sign returns the sign of a distance.
func sign(d float32) int8 {
	switch {
	case d > 1:
		return 1
	case d < -1:
		return -1
	default:
		return 0
	}
}
