//go:build !js

package main

import (
	"image/color"

	"charm.land/lipgloss/v2"

	"github.com/entangle-ecs/entangle/examples/internal/look"
)

// Colours of the ball, and of the pitch.
var (
	ballColour  = lipgloss.Color("#F2F0E7")
	pitchColour = lipgloss.Color("#161B24")
)

func newCanvas(width int) *look.Canvas {
	return look.NewCanvas(width, pitchWidth, pitchHeight, pitchColour)
}

// drawDisc draws a disc. With ring it draws only its outline.
func drawDisc(on *look.Canvas, d shown, ring bool) {
	var fill color.Color = look.Hue(int(d.Hue))
	radius := playerRadius
	if d.Ball {
		radius, fill = ballRadius, ballColour
	}
	if ring {
		on.Ring(float64(d.X), float64(d.Y), radius, fill)
		return
	}
	on.Disc(float64(d.X), float64(d.Y), radius, fill)
}
