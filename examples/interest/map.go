//go:build !js

package main

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/entangle-ecs/entangle/examples/internal/look"
)

// Contents of a cell of a map.
const (
	dotCell     = "●"
	lanternCell = "◆"
	wallCell    = "▒"
	fogCell     = "░"
)

var (
	dotStyle = look.Good
	fogStyle = lipgloss.NewStyle().Foreground(lipgloss.Color("#1F2933"))
)

func teamStyle(team uint8) lipgloss.Style {
	colours := [...]string{"", "#59C2FF", "#FFB454"}
	return lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Color(colours[team]))
}

// field is the cells of a map.
type field [fieldHeight][fieldWidth]string

// serverMap draws the server's world, which has no fog.
func (s *screen) serverMap() string {
	things := s.views[0].things()
	var f field
	f.walls()
	f.drawThings(things)
	shows := " clients show them as they arrive "
	if s.interpolate {
		shows = " clients interpolate them "
	}
	return f.framed(fmt.Sprintf(" server: %d things ", len(things)), shows)
}

// clientMap draws a client's world from the client's data: fog covers the area that none of its viewers
// sees.
func (s *screen) clientMap(c *clientGame, things []seen) string {
	var f field
	f.walls()
	f.fog(func(at Place) bool { return c.lit(s.server.Rules, at, things) })
	f.drawThings(things)
	return f.framed(c.caption(len(things)), fmt.Sprintf(" %v ", c.motion))
}

// lit reports whether a client would see a thing at a position.
func (c *clientGame) lit(r Rules, at Place, things []seen) bool {
	for i := range things {
		t := &things[i]
		own := t.Kind == player && int(t.Number) == c.number
		if own && r.Rooms && chamberAt(t.Place) == chamberAt(at) {
			return true
		}
		if lends := own || t.Kind == lantern; lends && r.Grid && near(t.Place, at, radius) {
			return true
		}
	}
	return false
}

// walls draws the walls between the chambers, with their doors.
func (f *field) walls() {
	for y := range f {
		for x := range f[y] {
			f[y][x] = " "
			wallX, wallY := x > 0 && x%chamberWidth == 0, y > 0 && y%chamberHeight == 0
			doorX := y%chamberHeight == chamberHeight/2
			doorY := x%chamberWidth == chamberWidth/2
			if wallX && !doorX || wallY && !doorY {
				f[y][x] = look.Frame.Render(wallCell)
			}
		}
	}
}

// fog covers the cells that are not lit.
func (f *field) fog(lit func(Place) bool) {
	for y := range f {
		for x := range f[y] {
			if f[y][x] == " " && !lit(Place{X: float32(x) + 0.5, Y: float32(y) + 0.5}) {
				f[y][x] = fogStyle.Render(fogCell)
			}
		}
	}
}

// drawThings draws the things. Dots are drawn first, so that all others cover them.
func (f *field) drawThings(things []seen) {
	for kind := range lantern + 1 {
		for i := range things {
			if t := &things[i]; int(t.Kind) == kind {
				x, y := min(int(t.X), fieldWidth-1), min(int(t.Y), fieldHeight-1)
				f[y][x] = t.cell()
			}
		}
	}
}

func (t *Thing) cell() string {
	switch t.Kind {
	case player:
		return teamStyle(t.Team).Render(fmt.Sprint(t.Number))
	case lantern:
		return teamStyle(t.Team).Render(lanternCell)
	default:
		return dotStyle.Render(dotCell)
	}
}

// framed draws a frame with a name above a map, and a note below it.
func (f *field) framed(name, note string) string {
	edge := func(left, text, right string) string {
		rest := max(fieldWidth-1-lipgloss.Width(text), 0)
		return look.Frame.Render(left+"─") + text + look.Frame.Render(strings.Repeat("─", rest)+right)
	}
	lines := []string{edge("╭", name, "╮")}
	for y := range f {
		lines = append(lines, look.Frame.Render("│")+strings.Join(f[y][:], "")+look.Frame.Render("│"))
	}
	return strings.Join(append(lines, edge("╰", look.Label.Render(note), "╯")), "\n")
}
