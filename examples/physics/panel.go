//go:build !js

package main

import (
	"fmt"
	"strings"

	"github.com/entangle-ecs/entangle/examples/internal/look"
)

const (
	gap        = 2 // columns between two pitches
	panelLines = 8 // lines of a panel without its pitch
)

// panel is the part of the screen that shows one side.
type panel struct {
	title string
	seen  viewState
	facts []string
}

// panels returns the panels of the server and of the first client, as far as they run here.
func (s *screen) panels() (all []panel) {
	if s.server != nil {
		all = append(all, panel{
			title: "server", seen: s.seen,
			facts: []string{fmt.Sprintf("tick %d, %d clients", s.server.Tick(), len(s.server.Clients()))},
		})
	}
	if len(s.clients) > 0 {
		all = append(all, clientPanel(s.clients[0]))
	}
	return all
}

// clientPanel shows a client's prediction, with rings at the confirmed places of the discs, and the reasons of rollbacks.
func clientPanel(c *clientGame) panel {
	all := c.Stats()
	stats, clock := all.Rollbacks, all.Clock
	facts := []string{
		fmt.Sprintf("tick %d, %.1f ahead of the server's · inputs act %d ticks later", c.Tick(), clock.Lead, c.InputDelay()),
		fmt.Sprintf("%d rollbacks, %d ticks replayed", stats.Total(), stats.Ticks),
	}
	reports := c.Rollbacks()
	for i := len(reports) - 1; i >= 0 && len(facts) < panelLines-2; i-- {
		facts = append(facts, reports[i].String())
	}
	return panel{title: "client 1: arrows push, space stops, b is the bot, q quits", seen: c.seen, facts: facts}
}

// draw draws a panel of the given width in columns.
func (p panel) draw(width int) string {
	pitch := newCanvas(width)
	for _, d := range p.seen.confirmed {
		drawDisc(pitch, d, true)
	}
	for _, d := range p.seen.discs {
		drawDisc(pitch, d, false)
	}
	lines := []string{look.Title.Render(look.Clip(p.title, width)), pitch.String()}
	for _, fact := range p.facts {
		lines = append(lines, look.Label.Render(look.Clip(fact, width)))
	}
	return strings.Join(lines, "\n")
}
