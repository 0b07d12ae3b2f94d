package workload

import (
	"math"
	"math/rand/v2"
)

// Walkers are entities that walk about. Each 10,000 have a square of their own, and the squares lie
// so far apart that no viewer sees from one into the next. In a world of ten times as many
// entities, those of the first square therefore meet the same ones.
type Walkers struct {
	Poses []Pose
	steps []step
	asked []int // by entity: the round of its last step
}

// step is how far an entity walks in one round.
type step struct{ x, y float32 }

const (
	WalkTile  = 220 // side of a square, in metres
	WalkPitch = 256 // from one square's corner to the next one's, in metres
	walkTiles = 4   // squares in a row
	WalkSight = 29  // how far a viewer sees, in metres: about 500 other entities
	walkPace  = 5   // in metres per second
)

// NewWalkers returns entities that have not made a step yet. Entities that step in only percent %
// of the rounds make longer steps.
func NewWalkers(entities, percent int) *Walkers {
	rng := rand.New(rand.NewPCG(1, 2))
	w := &Walkers{Poses: make([]Pose, entities), steps: make([]step, entities), asked: make([]int, entities)}
	length := walkPace * SceneStep.Seconds() * 100 / float64(percent)
	for i := range w.Poses {
		x, y := WalkCorner(i)
		turn := rng.Float64() * 2 * math.Pi
		w.Poses[i] = PoseOf(i)
		at := &w.Poses[i].Pos
		*at = [3]float32{centimetres(x + WalkTile*rng.Float32()), centimetres(y + WalkTile*rng.Float32()), centimetres(at[2])}
		w.steps[i] = step{float32(length * math.Cos(turn)), float32(length * math.Sin(turn))}
	}
	return w
}

// WalkCorner returns the corner of an entity's square.
func WalkCorner(entity int) (x, y float32) {
	tile := entity / ViewEntities
	return float32(tile%walkTiles*WalkPitch - 512 + (WalkPitch-WalkTile)/2), float32(tile/walkTiles*WalkPitch - 512 + (WalkPitch-WalkTile)/2)
}

// At returns where an entity is after its step of a round. Both sides may ask for it.
func (w *Walkers) At(entity, round int) *Pose {
	p := &w.Poses[entity]
	if w.asked[entity] != round {
		w.asked[entity] = round
		x, y := WalkCorner(entity)
		walk(&p.Pos[0], &w.steps[entity].x, x)
		walk(&p.Pos[1], &w.steps[entity].y, y)
	}
	return p
}

// centimetres rounds a coordinate to hundredths, which the wire can express exactly, so that the
// wire never rounds a value that lies halfway between two others.
func centimetres(v float32) float32 { return float32(math.Round(float64(v)*100) / 100) }

// walk makes a step on one axis. It turns round at the end of the square.
func walk(at, step *float32, from float32) {
	if next := *at + *step; next < from || next > from+WalkTile {
		*step = -*step
	}
	*at = centimetres(*at + *step)
}

// ViewersOf returns the viewers' entities for a number of clients.
func ViewersOf(clients int) (entities []int32) {
	for client := range clients {
		entities = append(entities, int32(ViewerOf(client, clients)))
	}
	return entities
}

// The grid of both sides: of Entangle, and the one by hand.
const (
	GridHysteresis = 0.1
	GridCell       = WalkSight / 4.0
)

// ViewerOf returns the entity that is a client's viewer. It is in the first square.
func ViewerOf(client, clients int) int { return client * ViewEntities / clients }

// ViewEntities is how many entities the world of the case tick-views has.
const ViewEntities = 10_000
