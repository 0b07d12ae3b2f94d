//go:build !js

package main

import (
	"fmt"
	"image/color"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/examples/internal/look"
)

const gap = 2 // columns between two panels

// Colours of the arena, of marks, and of bullets in a wall.
var (
	ground   = lipgloss.Color("#161B24")
	open     = lipgloss.Color("#F2F0E7")
	good     = lipgloss.Color("#7CFF4F")
	bad      = lipgloss.Color("#FF3B3B")
	stuck    = lipgloss.Color("#8A8577")
	markSize = 1.9 * playerRadius
)

// panel is the part of the screen that shows one side.
type panel struct {
	title string
	seen  viewState
	marks []mark
	facts []string
}

// panels returns the panels of the server and of the first client, as far as they run here.
func (s *screen) panels() (all []panel) {
	if s.server != nil {
		all = append(all, s.serverPanel())
	}
	if len(s.clients) > 0 {
		all = append(all, s.clientPanel(s.clients[0]))
	}
	return all
}

// serverPanel shows where players are, and with rings where shooters saw them.
func (s *screen) serverPanel() panel {
	way := "judged by where they are now"
	if s.Compensate {
		way = "judged by the rings"
	}
	facts := []string{
		look.Value.Render("Ring: where the shooter saw its target."),
		look.Value.Render("Shots are " + way + ": ") + look.Good.Render("hit") + look.Value.Render(", ") + look.Bad.Render("missed"),
	}
	for _, p := range s.seen.players {
		name := lipgloss.NewStyle().Foreground(look.Hue(int(p.Hue))).Render(fmt.Sprintf("player %d", p.Hue+1))
		facts = append(facts, name+look.Label.Render(fmt.Sprintf(": %d hits, hit %d times", p.Hits, p.Taken)))
	}
	return panel{title: "server", seen: s.seen, marks: s.server.marks, facts: facts}
}

// clientPanel shows the screen of a player, with rings around those it has fired at.
func (s *screen) clientPanel(c *clientGame) panel {
	t, b, style := c.tally, c.watch.bulletCounts, look.Good
	if t.Hit*100 < leastShare*t.Aimed {
		style = look.Bad
	}
	compensation := "ON"
	if !s.Compensate {
		compensation = "OFF"
	}
	shares := fmt.Sprintf("with it %.0f %%, without it %.0f %%", t.share(t.Rewound), t.share(t.Present))
	line := fmt.Sprintf("line: %v each way, loses %.0f %%", time.Duration(s.Latency), s.Loss*100)
	return panel{title: "player 1's screen", seen: c.seen, marks: c.marks, facts: []string{
		look.Value.Render("hit what it aimed at: ") + style.Render(fmt.Sprintf("%d of %d (%.0f %%)", t.Hit, t.Aimed, t.share(t.Hit))),
		look.Value.Render("lag compensation is "+compensation) + look.Label.Render(": "+shares),
		look.Label.Render(fmt.Sprintf("%d bullets: ", b.Bullets)) + zero(b.Twice, "twice") + look.Label.Render(", ") + zero(b.Back, "came back"),
		look.Label.Render(fmt.Sprintf("%d rollbacks, ", b.Rollbacks)) + zero(b.ByBullets, "by bullets"),
		look.Label.Render(line),
	}}
}

// zero shows a number that should be 0.
func zero(n int, what string) string {
	style := look.Good
	if n > 0 {
		style = look.Bad
	}
	return style.Render(fmt.Sprintf("%d %s", n, what))
}

// draw draws a panel of the given width in columns.
func (p panel) draw(width int) string {
	arena := look.NewCanvas(width, arenaWidth, arenaHeight, ground)
	hues := map[entangle.ClientID]color.Color{}
	for _, player := range p.seen.players {
		hues[player.owner] = look.Hue(int(player.Hue))
	}
	for _, b := range p.seen.bullets {
		fill, flies := hues[b.id.owner], b.DX != 0 || b.DY != 0
		if !flies || fill == nil {
			fill = stuck
		}
		arena.Line(float64(b.X-b.DX), float64(b.Y-b.DY), float64(b.X), float64(b.Y), fill)
	}
	for _, player := range p.seen.players {
		arena.Disc(float64(player.X), float64(player.Y), playerRadius, look.Hue(int(player.Hue)))
	}
	for _, m := range p.marks {
		arena.Ring(float64(m.at.X), float64(m.at.Y), markSize, m.colour())
	}
	lines := []string{look.Title.Render(look.Clip(p.title, width)), arena.String()}
	for _, fact := range p.facts {
		lines = append(lines, lipgloss.NewStyle().MaxWidth(width).Render(fact))
	}
	return strings.Join(lines, "\n")
}

// colour returns the colour of a mark.
func (m *mark) colour() color.Color {
	switch {
	case m.open:
		return open
	case m.good:
		return good
	}
	return bad
}
