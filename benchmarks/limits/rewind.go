package limits

import "math"

// RewindSpot is a position.
type RewindSpot struct{ X, Y, Z float32 }

// RewindLimit is lag compensation by hand: the positions of the last ticks in slices, and a loop over the
// entities for each shot, which blends two positions and tests a ball.
type RewindLimit struct {
	Rows [][]RewindSpot // by tick modulo their number, then entity
}

// Record keeps the positions of a tick.
func (l *RewindLimit) Record(tick int, spots []RewindSpot) { copy(l.Rows[tick%len(l.Rows)], spots) }

// Shoot returns the entity that a shot meets first, and the share of its way. The shooter saw the entities at a
// share of the way from one tick to the next.
func (l *RewindLimit) Shoot(tick int, share float32, from, to [3]float64, radius float64) (hit int, at float64) {
	a, b := l.Rows[tick%len(l.Rows)], l.Rows[(tick+1)%len(l.Rows)]
	hit, at = -1, 2
	way := [3]float64{to[0] - from[0], to[1] - from[1], to[2] - from[2]}
	length := way[0]*way[0] + way[1]*way[1] + way[2]*way[2]
	for i := range a {
		x := a[i].X + share*(b[i].X-a[i].X)
		y := a[i].Y + share*(b[i].Y-a[i].Y)
		z := a[i].Z + share*(b[i].Z-a[i].Z)
		off := [3]float64{from[0] - float64(x), from[1] - float64(y), from[2] - float64(z)}
		along := way[0]*off[0] + way[1]*off[1] + way[2]*off[2]
		beyond := off[0]*off[0] + off[1]*off[1] + off[2]*off[2] - radius*radius
		root := along*along - length*beyond
		if along >= 0 || root < 0 {
			continue
		}
		if share := (-along - math.Sqrt(root)) / length; share < at && share <= 1 {
			hit, at = i, share
		}
	}
	return hit, at
}
