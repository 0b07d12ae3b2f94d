package limits

import (
	"math"

	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
)

// HandGrid computes visibility in code written by hand for this case: from the positions of all
// entities, the set of entities that each viewer sees, and the changes in that set. A counting sort
// puts the entities in the order of their cells, row by row, so that neighbouring cells of a row are
// contiguous in memory. Then the exact distances are compared, without a branch. A visible entity
// stays visible until it is farther away than a second, longer distance.
type HandGrid struct {
	near, far float32 // squares of distances
	reach     float32
	x0, y0    float32
	wide      int // number of cells in a row, and number of rows

	first []int32 // by cell: where its entities begin in spots; the last element is the number of all
	cell  []int32 // by entity: its cell
	spots []handSpot
	Seen  [][]uint64 // by viewer: bits by entity
	found []uint64
	// Changed is, by viewer, bits of the entities that entered or left its view in the last update.
	Changed [][]uint64
}

// handSpot is the position and the number of an entity. HandGrid.spots has those of all entities, in
// the order of their cells.
type handSpot struct {
	x, y float32
	id   uint32
}

// HandArea is the area of the entities of a HandGrid.
type HandArea struct{ X, Y, Side float32 }

// handCell is the side of a cell: so small that few of the compared entities are too far away.
const handCell = 8

func NewHandGrid(area HandArea, entities, viewers int, near, far float32) *HandGrid {
	wide := int(area.Side/handCell) + 1
	g := &HandGrid{
		near: near * near, far: far * far, reach: far, x0: area.X, y0: area.Y, wide: wide,
		first: make([]int32, wide*wide+1), cell: make([]int32, entities), spots: make([]handSpot, entities),
		Seen: make([][]uint64, viewers), Changed: make([][]uint64, viewers), found: make([]uint64, (entities+63)/64),
	}
	for i := range g.Seen {
		g.Seen[i], g.Changed[i] = make([]uint64, len(g.found)), make([]uint64, len(g.found))
	}
	return g
}

// Update reads the positions of all entities and computes the view of each viewer. viewers has the
// number of each viewer's entity.
func (g *HandGrid) Update(poses []workload.Pose, viewers []int32) {
	g.sort(poses)
	for i, entity := range viewers {
		g.findVisible(i, poses[entity].Pos[0], poses[entity].Pos[1])
	}
}

// sort puts the entities in the order of their cells.
func (g *HandGrid) sort(poses []workload.Pose) {
	clear(g.first)
	for i := range poses {
		c := int32(g.axis(poses[i].Pos[1]-g.y0)*g.wide + g.axis(poses[i].Pos[0]-g.x0))
		g.cell[i] = c
		g.first[c]++
	}
	sum := int32(0)
	for c := range g.first {
		sum += g.first[c]
		g.first[c] = sum
	}
	for i := len(poses) - 1; i >= 0; i-- {
		c := g.cell[i]
		g.first[c]--
		g.spots[g.first[c]] = handSpot{poses[i].Pos[0], poses[i].Pos[1], uint32(i)}
	}
}

func (g *HandGrid) axis(v float32) int { return min(max(int(v/handCell), 0), g.wide-1) }

// findVisible finds the entities that a viewer at a position sees, row of cells by row of cells.
func (g *HandGrid) findVisible(viewer int, x, y float32) {
	found, seen := g.found, g.Seen[viewer]
	clear(found)
	for row := g.axis(y - g.y0 - g.reach); row <= g.axis(y-g.y0+g.reach); row++ {
		half := g.chord(row, y)
		from, to := row*g.wide+g.axis(x-g.x0-half), row*g.wide+g.axis(x-g.x0+half)
		for _, spot := range g.spots[g.first[from]:g.first[to+1]] {
			dx, dy := spot.x-x, spot.y-y
			d := dx*dx + dy*dy
			w := spot.id >> 6
			bit := outside(g.near, d)&^(seen[w]>>(spot.id&63)) | outside(g.far, d)
			found[w] |= (^bit & 1) << (spot.id & 63)
		}
	}
	changed := g.Changed[viewer]
	for i, word := range found {
		changed[i] = word ^ seen[i]
	}
	g.Seen[viewer], g.found = found, seen
}

// chord returns how far to the left and right a viewer sees in a row of cells. y is the viewer's
// coordinate.
func (g *HandGrid) chord(row int, y float32) float32 {
	low := g.y0 + float32(row)*handCell
	away := max(low-y, y-low-handCell, 0)
	return float32(math.Sqrt(float64(max(g.far-away*away, 0))))
}

// outside returns 1 if a squared distance is greater than a squared limit, and 0 otherwise.
func outside(limit, d float32) uint64 { return uint64(math.Float32bits(limit-d) >> 31) }

// Sees reports whether a viewer sees an entity.
func (g *HandGrid) Sees(viewer, entity int) bool {
	return g.Seen[viewer][entity>>6]>>(entity&63)&1 != 0
}

// Counts returns the average number of entities that a viewer sees, and of those that enter or
// leave its view per update.
func (g *HandGrid) Counts() (seen, changes float64) {
	for i := range g.Seen {
		seen += float64(report.Count(g.Seen[i]))
		changes += float64(report.Count(g.Changed[i]))
	}
	n := float64(len(g.Seen))
	return seen / n, changes / n
}
