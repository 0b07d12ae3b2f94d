//go:build !js

package main

import (
	"context"
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/entangle-ecs/entangle/examples/internal/look"
)

// show draws all worlds until the player quits, or the time is over.
func show(ctx context.Context, s settings) error {
	p, err := newPlay(s)
	if err != nil {
		return err
	}
	return newScreen(p).Show(ctx)
}

// screen is the view.
type screen struct {
	*play
	look.Screen
	sights [1 + players]*sight // the server's world, the clients'
}

func newScreen(p *play) *screen {
	s := &screen{play: p}
	for i := range s.sights {
		s.sights[i] = newSight(p.Worlds[i])
	}
	s.Screen = look.Screen{Title: "interest", Rate: tickRate, Step: p.step, Press: s.press, Draw: s.draw}
	return s
}

// press switches what decides about who sees what.
func (s *screen) press(key string) {
	switch key {
	case "g":
		s.server.Grid = !s.server.Grid
	case "r":
		s.server.Rooms = !s.server.Rooms
	}
}

// draw puts the server's world and that of the first client above the others.
func (s *screen) draw() string {
	maps := []string{s.serverMap()}
	for i, c := range s.clients {
		maps = append(maps, s.clientMap(c, s.sights[i+1].things()))
	}
	return s.Fit(strings.Join([]string{
		s.title(),
		lipgloss.JoinHorizontal(lipgloss.Top, maps[0], " ", maps[1]),
		lipgloss.JoinHorizontal(lipgloss.Top, maps[2], " ", maps[3]),
		s.help(),
	}, "\n"))
}

// title says what decides about who sees what.
func (s *screen) title() string {
	says := "nothing matters to anybody"
	switch r := s.server.Rules; {
	case s.leak:
		says = "all dots are shown to everybody"
	case r.Grid && r.Rooms:
		says = "what is near matters, and what is in the same chamber"
	case r.Grid:
		says = "what is near matters"
	case r.Rooms:
		says = "what is in the same chamber matters"
	}
	return look.Title.Render("interest") + look.Label.Render("  "+says)
}

// help says what the marks mean, and the keys.
func (s *screen) help() string {
	return dotStyle.Render(dotCell) + look.Label.Render(" dot · ") + teamStyle(1).Render("1 2") + look.Label.Render(" and ") +
		teamStyle(2).Render("3") + look.Label.Render(" players · ") + teamStyle(1).Render(lanternCell) +
		look.Label.Render(" a team's lantern · g grid · r rooms · q quit")
}

// caption says of a client how much it holds, and how often that was too much.
func (c *clientGame) caption(holds int) string {
	verdict := look.Good.Render("none too many")
	if bad := c.tally.Wrong + c.tally.Late; bad > 0 {
		verdict = look.Bad.Render("too many")
	}
	return fmt.Sprintf(" client %d has %d, ", c.number, holds) + verdict + " "
}
