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
	ground = lipgloss.Color("#161B24")
	open   = lipgloss.Color("#F2F0E7")
	good   = lipgloss.Color("#7CFF4F")
	bad    = lipgloss.Color("#FF3B3B")
	stuck  = lipgloss.Color("#8A8577")
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

// serverPanel shows where players are, and with rings where player 1 saw those whom it fired at.
func (s *screen) serverPanel() panel {
	state := look.Bad.Render("OFF")
	if s.Compensate {
		state = look.Good.Render("ON")
	}
	facts := []string{
		look.Value.Render("ring: where player 1 saw its target:"),
		look.Value.Render("  ") + look.Good.Render("hit") + look.Value.Render(" or ") + look.Bad.Render("missed") +
			look.Value.Render(" · lag compensation ") + state,
	}
	for _, p := range s.seen.players {
		name := lipgloss.NewStyle().Foreground(look.Hue(int(p.Hue))).Render(fmt.Sprintf("player %d", p.Hue+1))
		facts = append(facts, name+look.Label.Render(fmt.Sprintf(": %d hits, hit %d times", p.Hits, p.Taken)))
	}
	return panel{title: "server", seen: s.seen, marks: s.server.marks, facts: facts}
}

// clientPanel shows the screen of a player, with rings around those it has fired at.
func (s *screen) clientPanel(c *clientGame) panel {
	t, b, style := c.shots, c.watch.bulletCounts, look.Good
	if t.Hit*100 < leastShare*t.Aimed {
		style = look.Bad
	}
	return panel{title: c.name() + "'s screen", seen: c.seen, marks: c.marks, facts: []string{
		look.Value.Render("hit what it aimed at: ") + style.Render(fmt.Sprintf("%d of %d (%.0f %%)", t.Hit, t.Aimed, t.share(t.Hit))),
		look.Label.Render(fmt.Sprintf("with lag compensation %.0f %%, without %.0f %%", t.share(t.OnScreen), t.share(t.Present))),
		look.Label.Render(fmt.Sprintf("%d bullets: ", b.Bullets)) + zero(b.Twice, "twice") + look.Label.Render(", ") + zero(b.Back, "came back"),
		look.Label.Render(fmt.Sprintf("%d rollbacks: ", b.Rollbacks)) + zero(b.ByBullets, "by bullets"),
		look.Label.Render(fmt.Sprintf("line: %v each way, loses %.0f %%", time.Duration(s.Latency), s.Loss*100)),
	}}
}

// name returns the name of the client's player.
func (g *clientGame) name() string {
	for _, p := range g.seen.players {
		if p.own {
			return fmt.Sprintf("player %d", p.Hue+1)
		}
	}
	return "the player"
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
		arena.Ring(float64(m.at.X), float64(m.at.Y), playerRadius+0.5, m.colour())
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
