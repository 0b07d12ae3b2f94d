//go:build !js

package look

import (
	"image/color"
	"math"
	"strings"

	"charm.land/lipgloss/v2"
)

// Canvas is a field that is drawn with half blocks: each character shows two points, one above the
// other.
type Canvas struct {
	// Width and Height are the size in points. Width is also the number of columns, and Height twice the
	// number of lines.
	Width, Height int

	wide, high float64 // the size of the field
	points     []color.Color
}

// NewCanvas returns a canvas of the given number of columns, for a field of the given size with 0, 0 in its
// middle.
func NewCanvas(columns int, wide, high float64, ground color.Color) *Canvas {
	c := &Canvas{Width: columns, Height: Lines(columns, wide, high) * 2, wide: wide, high: high}
	c.points = make([]color.Color, c.Width*c.Height)
	for i := range c.points {
		c.points[i] = ground
	}
	return c
}

// Lines returns how many lines a field of the given size has in a number of columns.
func Lines(columns int, wide, high float64) int { return int(float64(columns)*high/wide) / 2 }

// At returns the colour of a point.
func (c *Canvas) At(x, y int) color.Color { return c.points[y*c.Width+x] }

// Disc fills a circle of the field.
func (c *Canvas) Disc(x, y, radius float64, fill color.Color) {
	c.circle(x, y, radius, fill, func(float64, float64) bool { return true })
}

// Ring draws the outline of a circle of the field.
func (c *Canvas) Ring(x, y, radius float64, fill color.Color) {
	c.circle(x, y, radius, fill, func(far, r float64) bool { return far > (r-1)*(r-1) })
}

// circle fills the points of a circle that are chosen by the square of their distance and by the radius, in points.
func (c *Canvas) circle(x, y, radius float64, fill color.Color, chosen func(far, radius float64) bool) {
	x, y = c.point(x, y)
	r := radius * float64(c.Width) / c.wide
	for py := max(0, int(y-r)); py < min(c.Height, int(y+r)+1); py++ {
		for px := max(0, int(x-r)); px < min(c.Width, int(x+r)+1); px++ {
			dx, dy := float64(px)+0.5-x, float64(py)+0.5-y
			if far := dx*dx + dy*dy; far <= r*r && chosen(far, r) {
				c.points[py*c.Width+px] = fill
			}
		}
	}
}

// Line draws a line of the field.
func (c *Canvas) Line(x1, y1, x2, y2 float64, fill color.Color) {
	x1, y1 = c.point(x1, y1)
	x2, y2 = c.point(x2, y2)
	steps := math.Ceil(max(math.Abs(x2-x1), math.Abs(y2-y1), 1))
	for i := 0.0; i <= steps; i++ {
		x, y := int(x1+(x2-x1)*i/steps), int(y1+(y2-y1)*i/steps)
		x, y = min(max(x, 0), c.Width-1), min(max(y, 0), c.Height-1) // a wall is at the edge
		c.points[y*c.Width+x] = fill
	}
}

// point returns where a place of the field is, in points.
func (c *Canvas) point(x, y float64) (px, py float64) {
	scale := float64(c.Width) / c.wide
	return (x + c.wide/2) * scale, (y + c.high/2) * scale
}

// String returns the lines of the canvas.
func (c *Canvas) String() string {
	var b strings.Builder
	for y := 0; y < c.Height; y += 2 {
		if y > 0 {
			b.WriteByte('\n')
		}
		for x := range c.Width {
			above, below := c.At(x, y), c.At(x, y+1)
			if above == below {
				b.WriteString(lipgloss.NewStyle().Background(above).Render(" "))
				continue
			}
			b.WriteString(lipgloss.NewStyle().Foreground(above).Background(below).Render("▀"))
		}
	}
	return b.String()
}
