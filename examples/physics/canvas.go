//go:build !js

package main

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
)

// Colours of the discs by hue, of the ball, and of the pitch.
var (
	hues = []color.Color{
		lipgloss.Color("#FFB454"), lipgloss.Color("#59C2FF"), lipgloss.Color("#AAD94C"),
		lipgloss.Color("#F07178"), lipgloss.Color("#D2A6FF"), lipgloss.Color("#95E6CB"),
	}
	ballColour  = lipgloss.Color("#F2F0E7")
	pitchColour = lipgloss.Color("#161B24")
)

// canvas is a pitch that is drawn with half blocks: each character shows two points, one above the
// other.
type canvas struct {
	width, height int // in points
	points        []color.Color
}

func newCanvas(width int) *canvas {
	c := &canvas{width: width, height: width * pitchHeight / pitchWidth &^ 1}
	c.points = make([]color.Color, c.width*c.height)
	for i := range c.points {
		c.points[i] = pitchColour
	}
	return c
}

// disc draws a disc. With ring it draws only its outline.
func (c *canvas) disc(d shown, ring bool) {
	radius, fill := playerRadius, hues[int(d.Hue)%len(hues)]
	if d.Ball {
		radius, fill = ballRadius, ballColour
	}
	scale := float64(c.width) / pitchWidth
	x, y, r := (float64(d.X)+pitchWidth/2.0)*scale, (float64(d.Y)+pitchHeight/2.0)*scale, radius*scale
	for py := max(0, int(y-r)); py < min(c.height, int(y+r)+1); py++ {
		for px := max(0, int(x-r)); px < min(c.width, int(x+r)+1); px++ {
			dx, dy := float64(px)+0.5-x, float64(py)+0.5-y
			far := dx*dx + dy*dy
			if far <= r*r && (!ring || far > (r-1)*(r-1)) {
				c.points[py*c.width+px] = fill
			}
		}
	}
}

// String returns the lines of the canvas.
func (c *canvas) String() string {
	var b strings.Builder
	for y := 0; y < c.height; y += 2 {
		if y > 0 {
			b.WriteByte('\n')
		}
		for x := range c.width {
			above, below := c.points[y*c.width+x], c.points[(y+1)*c.width+x]
			if above == below {
				b.WriteString(lipgloss.NewStyle().Background(above).Render(" "))
				continue
			}
			b.WriteString(lipgloss.NewStyle().Foreground(above).Background(below).Render("▀"))
		}
	}
	return b.String()
}
