//go:build !js

package main

import (
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/entangle-ecs/entangle/examples/internal/look"
)

// Contents of a cell of a pen. Each is two characters, which together are a square.
const (
	emptyCell = "  "
	bondCell  = "▒▒" // between two segments that are two steps apart
	bodyCell  = "██"
	headCell  = "▐▌"
	tornCell  = "░░" // a segment that is too far from the one ahead
)

func snakeStyle(number int) lipgloss.Style {
	colours := [snakeCount]string{grouped: "#59C2FF", ungrouped: "#FFB454"}
	return lipgloss.NewStyle().Foreground(lipgloss.Color(colours[number]))
}

// drawPen draws a snake in a frame with a name.
func drawPen(name string, parts []part, number int) string {
	style := snakeStyle(number)
	lines := []string{look.Frame.Render("╭─") + name + look.Frame.Render(strings.Repeat("─", max(2*penWidth-1-len(name), 0))+"╮")}
	for _, row := range cells(parts) {
		var line strings.Builder
		for _, cell := range row {
			if cell == tornCell {
				line.WriteString(look.Bad.Render(cell))
			} else {
				line.WriteString(style.Render(cell))
			}
		}
		lines = append(lines, look.Frame.Render("│")+line.String()+look.Frame.Render("│"))
	}
	return strings.Join(append(lines, look.Frame.Render("╰"+strings.Repeat("─", 2*penWidth)+"╯")), "\n")
}

// cells draws a snake from its tail to its head, so that segments nearer to the head cover the
// others. Torn segments cover all others.
func cells(parts []part) (pen [penHeight][penWidth]string) {
	for y := range pen {
		for x := range pen[y] {
			pen[y][x] = emptyCell
		}
	}
	draw := func(at Place, cell string) { pen[at.Y][at.X] = cell }
	for i := len(parts) - 1; i >= 0; i-- {
		if i > 0 && inLine(parts[i-1].Place, parts[i].Place) {
			draw(between(parts[i-1].Place, parts[i].Place), bondCell)
		}
		draw(parts[i].Place, bodyCell)
	}
	if len(parts) > 0 {
		draw(parts[0].Place, headCell)
	}
	for i := range parts {
		if !fits(parts, i) {
			draw(parts[i].Place, tornCell)
		}
	}
	return pen
}

// inLine reports whether two cells have exactly one cell between them in a straight line.
func inLine(a, b Place) bool { return steps(a, b) == 2 && (a.X == b.X || a.Y == b.Y) }

func between(a, b Place) Place { return Place{X: (a.X + b.X) / 2, Y: (a.Y + b.Y) / 2} }
