package interest

import (
	"math"
	"math/bits"
)

// cells is the plane in cells, rolled up so that far cells share a place: who is placed
// lies in the order of rows of cells, so neighbours in a row are one run. Sorting is
// counting.
type cells struct {
	edge, perEdge float64
	wide, high    int     // places, powers of two
	starts        []int32 // by place, of its run in spots, and one more for the end
	at            []int32 // scratch: by index in what is sorted, its place
	spots         []spot
}

// maxCell bounds the numbers of cells. All that is beyond lies in the last.
const maxCell = 1 << 40

// minWide is the least number of cells in each direction.
const minWide = 8

func newCells(edge float32) cells {
	return cells{edge: float64(edge), perEdge: 1 / float64(edge)}
}

// cell returns the cell of a coordinate. A larger one never has a smaller cell.
func (c *cells) cell(v float64) int {
	v *= c.perEdge
	if v >= maxCell {
		return maxCell
	}
	if v <= -maxCell {
		return -maxCell
	}
	i := int(v)
	if float64(i) > v {
		i--
	}
	return i
}

// sort takes who is where.
func (c *cells) sort(placed []spot) {
	c.size(len(placed))
	for i := range placed {
		p := &placed[i]
		at := (c.cell(float64(p.y))&(c.high-1))*c.wide + c.cell(float64(p.x))&(c.wide-1)
		c.at[i] = int32(at)
		c.starts[at]++
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
}

// size makes about as many places as there are entities, empty ones.
func (c *cells) size(n int) {
	log := bits.Len(uint(max(n, minWide*minWide) - 1))
	c.wide, c.high = 1<<((log+1)/2), 1<<(log/2)
	if room := c.wide*c.high + 1; cap(c.starts) < room {
		c.starts = make([]int32, room)
	} else {
		c.starts = c.starts[:room]
		clear(c.starts)
	}
	if cap(c.spots) < n {
		c.spots, c.at = make([]spot, 2*n), make([]int32, 2*n)
	}
	c.spots, c.at = c.spots[:n], c.at[:n]
}

// walk goes through the runs of cells that a circle touches.
type walk struct {
	cells     *cells
	x, y      float64
	out       float64 // the radius, and what arithmetic may be off by
	row, last int
	whole     bool   // rows share their places
	rest      []spot // what of the row at hand lies at its beginning
	spots     []spot // the run at hand
}

// What arithmetic may be off by: that of distances in float32, as a part of the radius, and
// that of the edges of cells in float64, as a part of the coordinates.
const (
	offRadius = 1.0 / (1 << 20)
	offPlace  = 1.0 / (1 << 44)
)

// around begins a walk through all cells with places within a radius, and some more. A
// place may come up more than once.
func (c *cells) around(x, y, radius float32) walk {
	w := walk{cells: c, x: float64(x), y: float64(y)}
	w.out = float64(radius)*(1+offRadius) + (math.Abs(w.x)+math.Abs(w.y))*offPlace
	w.row, w.last = c.cell(w.y-w.out), c.cell(w.y+w.out)
	if w.last-w.row >= c.high {
		w.last, w.whole = w.row+c.high-1, true
	}
	return w
}

// next goes on to the next run.
func (w *walk) next() bool {
	if len(w.rest) > 0 {
		w.spots, w.rest = w.rest, nil
		return true
	}
	if w.row > w.last {
		return false
	}
	w.take(w.row)
	w.row++
	return true
}

// take finds the run of a row.
func (w *walk) take(row int) {
	c := w.cells
	half := w.half(row)
	first, last := c.cell(w.x-half), c.cell(w.x+half)
	base := (row & (c.high - 1)) * c.wide
	if last-first >= c.wide-1 {
		w.spots = c.spots[c.starts[base]:c.starts[base+c.wide]]
		return
	}
	first, last = base+first&(c.wide-1), base+last&(c.wide-1)
	if first <= last {
		w.spots = c.spots[c.starts[first]:c.starts[last+1]]
		return
	}
	w.spots = c.spots[c.starts[first]:c.starts[base+c.wide]]
	w.rest = c.spots[c.starts[base]:c.starts[last+1]]
}

// half returns half of the widest chord of the circle in a row. In a row that shares its
// place with others, and in the last that there is, that is the whole circle's.
func (w *walk) half(row int) float64 {
	low := float64(row) * w.cells.edge
	dy := low - w.y
	if dy < 0 {
		dy = w.y - (low + w.cells.edge)
	}
	if dy <= 0 || w.whole || row <= -maxCell || row >= maxCell-1 {
		return w.out
	}
	if dy >= w.out {
		return 0
	}
	return math.Sqrt(w.out*w.out - dy*dy)
}
