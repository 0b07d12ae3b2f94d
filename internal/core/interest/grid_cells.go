package interest

import (
	"math"
	"math/bits"
)

// cells divides the plane into cells. It wraps around, so that distant cells share a bucket. The
// entities are sorted by rows of cells, so that those in adjacent cells of a row are contiguous; a
// counting sort is used for that.
type cells struct {
	edge, perEdge float64
	wide, high    int     // numbers of buckets, powers of two
	starts        []int32 // for each bucket the start of its entities in spots, and at the end their number
	at            []int32 // scratch: the bucket of each placed entity, in the order before sorting
	spots         []spot
}

// lastCell is the largest number of a cell, and middle the number of the cell that begins at
// coordinate 0. Coordinates beyond the first or the last cell count as being in that cell.
const (
	lastCell = 1<<31 - 2
	middle   = 1 << 30
)

// minWide is the least number of cells in each direction.
const minWide = 8

func newCells(edge float32) cells {
	return cells{edge: float64(edge), perEdge: 1 / float64(edge)}
}

// cell returns the number of the cell of a coordinate. It is monotonic. The error at the edges of
// cells is bounded by offEdge.
func (c *cells) cell(v float64) int {
	v = v*c.perEdge + middle
	if v < 0 {
		return 0
	}
	if v > lastCell {
		return lastCell
	}
	return int(v)
}

// sort sorts the placed entities into cells. It returns one more than the largest entity.
func (c *cells) sort(placed []spot) (rows int) {
	c.size(len(placed))
	largest := int32(-1)
	for i := range placed {
		p := &placed[i]
		at := (c.cell(float64(p.y))&(c.high-1))*c.wide + c.cell(float64(p.x))&(c.wide-1)
		c.at[i] = int32(at)
		c.starts[at]++
		largest = max(largest, p.entity)
	}
	end := int32(0)
	for i, n := range c.starts {
		end += n
		c.starts[i] = end
	}
	for i := len(placed) - 1; i >= 0; i-- {
		at := c.at[i]
		c.starts[at]--
		c.spots[c.starts[at]] = placed[i]
	}
	return int(largest) + 1
}

// size allocates about as many buckets as there are entities, and empties them.
func (c *cells) size(n int) {
	log := bits.Len(uint(max(n, minWide*minWide) - 1))
	c.wide, c.high = 1<<((log+1)/2), 1<<(log/2)
	if need := c.wide*c.high + 1; cap(c.starts) < need {
		c.starts = make([]int32, need)
	} else {
		c.starts = c.starts[:need]
		clear(c.starts)
	}
	if cap(c.spots) < n {
		c.spots, c.at = make([]spot, 2*n), make([]int32, 2*n)
	}
	c.spots, c.at = c.spots[:n], c.at[:n]
}

// Bounds of rounding errors: of distances in float32, as a fraction of the radius; of cells in
// float64, as a fraction of their edges; and of the coordinates themselves.
const (
	offRadius = 1.0 / (1 << 20)
	offEdge   = 1.0 / (1 << 20)
	offPlace  = 1.0 / (1 << 44)
)

// circle covers the cells that a viewer may see, row by row. It may cover some more.
type circle struct {
	cells     *cells
	x, y, out float64
	row, last int  // the first and the last row that it touches
	whole     bool // some of its rows share their buckets with others
}

// around returns a circle that covers all cells within a radius.
func (c *cells) around(x, y, radius float32) circle {
	r := circle{cells: c, x: float64(x), y: float64(y)}
	r.out = float64(radius)*(1+offRadius) + c.edge*offEdge + (math.Abs(r.x)+math.Abs(r.y))*offPlace
	r.row, r.last = c.cell(r.y-r.out), c.cell(r.y+r.out)
	if r.last-r.row >= c.high {
		r.last, r.whole = r.row+c.high-1, true
	}
	return r
}

// rowEntities returns the entities of a row of cells within the circle, in one or two parts. They
// may include entities of other rows that share its buckets.
func (r *circle) rowEntities(row int) (rowEntities, rest []spot) {
	c := r.cells
	half := r.half(row)
	first, last := c.cell(r.x-half), c.cell(r.x+half)
	base := (row & (c.high - 1)) * c.wide
	if last-first >= c.wide-1 {
		return c.spots[c.starts[base]:c.starts[base+c.wide]], nil
	}
	first, last = base+first&(c.wide-1), base+last&(c.wide-1)
	if first <= last {
		return c.spots[c.starts[first]:c.starts[last+1]], nil
	}
	return c.spots[c.starts[first]:c.starts[base+c.wide]], c.spots[c.starts[base]:c.starts[last+1]]
}

// half returns half of the longest chord of the circle in a row. For a row that shares its buckets
// with others, and for the first and the last row of the plane, it returns the radius.
func (r *circle) half(row int) float64 {
	low := float64(row-middle) * r.cells.edge
	dy := low - r.y
	if dy < 0 {
		dy = r.y - (low + r.cells.edge)
	}
	if dy <= 0 || r.whole || row <= 0 || row >= lastCell {
		return r.out
	}
	if dy >= r.out {
		return 0
	}
	return math.Sqrt(r.out*r.out - dy*dy)
}
