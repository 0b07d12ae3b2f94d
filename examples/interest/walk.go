package main

import (
	"math"
	"math/rand/v2"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
)

// Walk is the destination of a thing. Only the server needs it: it is not registered, and never
// sent.
type Walk struct {
	Speed float32 // cells per tick
	To    Place
	Into  chamber // the chamber in which To is, or the one behind the door at To
}

// walkers are the things that walk through the chambers and their doors.
type walkers struct {
	chance *rand.Rand
	filter *generic.Filter2[Place, Walk]
}

func newWalkers(seed uint64) *walkers {
	return &walkers{chance: rand.New(rand.NewPCG(seed, 0)), filter: generic.NewFilter2[Place, Walk]()}
}

// within returns a place in a chamber, away from its walls.
func (a *walkers) within(c chamber) Place {
	x, y := c.corner()
	return Place{
		X: x + margin + a.chance.Float32()*(chamberWidth-2*margin),
		Y: y + margin + a.chance.Float32()*(chamberHeight-2*margin),
	}
}

// newWalk returns a place to start from, and a walk from there.
func (a *walkers) newWalk(speed float32) (Place, Walk) {
	c := chamber(a.chance.IntN(chambers))
	at := a.within(c)
	return at, Walk{Speed: speed, To: at, Into: c}
}

// step moves all things by a tick.
func (a *walkers) step(w *ecs.World) {
	for query := a.filter.Query(w); query.Next(); {
		place, walk := query.Get()
		dx, dy := walk.To.X-place.X, walk.To.Y-place.Y
		far := float32(math.Hypot(float64(dx), float64(dy)))
		if far <= walk.Speed {
			place.X, place.Y = walk.To.X, walk.To.Y
			a.chooseDestination(walk)
			continue
		}
		place.X += dx / far * walk.Speed
		place.Y += dy / far * walk.Speed
	}
}

// chooseDestination chooses the next destination of a walk: through a door into another chamber, to
// a door, or to a place in the chamber. A thing therefore never walks through a wall.
func (a *walkers) chooseDestination(walk *Walk) {
	x, y := walk.Into.corner()
	inside := walk.To.X > x && walk.To.X < x+chamberWidth && walk.To.Y > y && walk.To.Y < y+chamberHeight
	if !inside || a.chance.IntN(2) == 0 {
		walk.To = a.within(walk.Into)
		return
	}
	doors := walk.Into.doors()
	out := doors[a.chance.IntN(len(doors))]
	walk.To, walk.Into = out.at, out.to
}
