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

// Disc fills a circle of the field. A point that it covers in part is mixed.
func (c *Canvas) Disc(x, y, radius float64, fill color.Color) {
	c.circle(x, y, radius, 0, fill)
}

// Ring draws the outline of a circle of the field, a point thick.
func (c *Canvas) Ring(x, y, radius float64, fill color.Color) {
	c.circle(x, y, radius, radius-c.wide/float64(c.Width), fill)
}

// circle fills the points between two circles.
func (c *Canvas) circle(x, y, radius, hole float64, fill color.Color) {
	x, y = c.point(x, y)
	scale := float64(c.Width) / c.wide
	outer, inner := radius*scale, max(hole*scale, 0)
	for py := max(0, int(y-outer)); py < min(c.Height, int(y+outer)+1); py++ {
		for px := max(0, int(x-outer)); px < min(c.Width, int(x+outer)+1); px++ {
			at := &c.points[py*c.Width+px]
			*at = mix(*at, fill, covered(float64(px)-x, float64(py)-y, outer, inner))
		}
	}
}

// samples is how many places of a point are looked at on each axis.
const samples = 4

// covered returns which part of a point lies between two circles around 0, 0. The corner of the point is at x, y.
func covered(x, y, outer, inner float64) float64 {
	inside := 0
	for i := range samples {
		for j := range samples {
			far := math.Hypot(x+(float64(i)+0.5)/samples, y+(float64(j)+0.5)/samples)
			if far <= outer && far >= inner {
				inside++
			}
		}
	}
	return float64(inside) / (samples * samples)
}

// mix returns a colour between two.
func mix(under, over color.Color, part float64) color.Color {
	switch part {
	case 0:
		return under
	case 1:
		return over
	}
	r1, g1, b1, _ := under.RGBA()
	r2, g2, b2, _ := over.RGBA()
	blend := func(a, b uint32) uint8 { return uint8((float64(a)*(1-part) + float64(b)*part) / 257) }
	return color.RGBA{R: blend(r1, r2), G: blend(g1, g2), B: blend(b1, b2), A: 255}
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
