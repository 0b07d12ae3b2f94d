//go:build !js

package look_test

import (
	"image/color"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/examples/internal/look"
)

var (
	black = color.RGBA{A: 255}
	white = color.RGBA{R: 255, G: 255, B: 255, A: 255}
)

// count returns how many points of a canvas have a colour.
func count(c *look.Canvas, of color.Color) (n int) {
	for y := range c.Height {
		for x := range c.Width {
			if c.At(x, y) == of {
				n++
			}
		}
	}
	return n
}

func TestACanvasShowsAField(t *testing.T) {
	c := look.NewCanvas(40, 20, 10, black) // two points per metre
	assert.Equal(t, 20, c.Height)
	assert.Equal(t, look.Lines(40, 20, 10), lipgloss.Height(c.String()))
	assert.Equal(t, 40, lipgloss.Width(c.String()))

	c.Disc(0, 0, 1, white)
	assert.Equal(t, white, c.At(20, 10))
	assert.Equal(t, white, c.At(19, 9))
	assert.Equal(t, 4, count(c, white), "the whole points within a circle of two points")
	r, _, _, _ := c.At(21, 10).RGBA()
	assert.Greater(t, r, uint32(0x8000), "most of it is covered")
	assert.Less(t, r, uint32(0xffff))
}

func TestARingHasAHole(t *testing.T) {
	c := look.NewCanvas(40, 20, 10, black)
	c.Ring(0, 0, 3, white)
	assert.Equal(t, black, c.At(20, 10))
	assert.NotEqual(t, black, c.At(20+5, 10))
	assert.Equal(t, black, c.At(20+6, 10))
}

func TestALineReachesItsEnds(t *testing.T) {
	c := look.NewCanvas(40, 20, 10, black)
	c.Line(-10, -5, 10, 5, white) // to the walls
	assert.Equal(t, white, c.At(0, 0))
	assert.Equal(t, white, c.At(39, 19))
	assert.Equal(t, 40, count(c, white))
	c.Line(30, 30, -30, -30, white) // outside: drawn at the edge
	require.NotPanics(t, func() { c.Disc(-10, 5, 2, white); c.Ring(100, 100, 2, white) })
}

func TestTextIsClipped(t *testing.T) {
	assert.Equal(t, "ab…", look.Clip("abcd", 3))
	assert.Equal(t, "abc", look.Clip("abc", 3))
	assert.Equal(t, "…", look.Clip(strings.Repeat("ä", 9), 0))
	assert.NotEqual(t, look.Hue(0), look.Hue(1))
	assert.Equal(t, look.Hue(0), look.Hue(6))
}
