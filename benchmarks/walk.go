package main

import (
	"math"
	"math/rand/v2"
)

// walkers are entities that walk about. Each 10,000 have a square of their own, and the
// squares lie so far apart that nobody sees from one into the next: in a world of ten times
// as many, those of the first square meet the same others.
type walkers struct {
	poses []encodePose
	steps []step
	asked []int // by entity: the round of its last step
}

// step is how far an entity goes in one round.
type step struct{ x, y float32 }

const (
	walkTile  = 220 // metres, the side of a square
	walkPitch = 256 // from one square's corner to the next one's
	walkTiles = 4   // in a row
	walkSight = 29  // metres that a viewer sees: about 500 others
	walkPace  = 5   // metres per second
)

// newWalkers returns entities that have not made a step. One that steps in so many per cent
// of the rounds makes longer ones.
func newWalkers(entities, percent int) *walkers {
	rng := rand.New(rand.NewPCG(1, 2))
	w := &walkers{poses: make([]encodePose, entities), steps: make([]step, entities), asked: make([]int, entities)}
	length := walkPace * sceneStep.Seconds() * 100 / float64(percent)
	for i := range w.poses {
		x, y := walkCorner(i)
		turn := rng.Float64() * 2 * math.Pi
		w.poses[i] = poseOf(i)
		at := &w.poses[i].Pos
		*at = [3]float32{centimetres(x + walkTile*rng.Float32()), centimetres(y + walkTile*rng.Float32()), centimetres(at[2])}
		w.steps[i] = step{float32(length * math.Cos(turn)), float32(length * math.Sin(turn))}
	}
	return w
}

// walkCorner returns the corner of an entity's square.
func walkCorner(entity int) (x, y float32) {
	tile := entity / viewEntities
	return float32(tile%walkTiles*walkPitch - 512 + (walkPitch-walkTile)/2), float32(tile/walkTiles*walkPitch - 512 + (walkPitch-walkTile)/2)
}

// at returns where an entity is after its step of a round, which both sides may ask for.
func (w *walkers) at(entity, round int) *encodePose {
	p := &w.poses[entity]
	if w.asked[entity] != round {
		w.asked[entity] = round
		x, y := walkCorner(entity)
		walk(&p.Pos[0], &w.steps[entity].x, x)
		walk(&p.Pos[1], &w.steps[entity].y, y)
	}
	return p
}

// centimetres rounds to what the wire holds: what lies halfway between may be rounded either
// way there.
func centimetres(v float32) float32 { return float32(math.Round(float64(v)*100) / 100) }

// walk makes a step on one axis, and turns round where the square ends.
func walk(at, step *float32, from float32) {
	if next := *at + *step; next < from || next > from+walkTile {
		*step = -*step
	}
	*at = centimetres(*at + *step)
}
