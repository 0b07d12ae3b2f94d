//go:build !js

package main

import (
	"context"
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/entangle-ecs/entangle/examples/internal/look"
	"github.com/entangle-ecs/entangle/examples/internal/smooth"
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
	views [1 + players]*view // the server's world, the clients'
}

func newScreen(p *play) *screen {
	s := &screen{play: p}
	for i := range s.views {
		s.views[i] = newView(p.Worlds[i])
	}
	s.Screen = look.Screen{Title: "interest", Rate: tickRate, Step: p.step, Press: s.press, Draw: s.draw}
	return s
}

// press switches the rules of visibility, and interpolation.
func (s *screen) press(key string) {
	switch key {
	case "g":
		s.server.Grid = !s.server.Grid
	case "r":
		s.server.Rooms = !s.server.Rooms
	case "i":
		s.interpolate = !s.interpolate
		for _, c := range s.clients {
			c.motion = smooth.Counts{}
		}
	}
}

// draw puts the server's world and that of the first client above the others.
func (s *screen) draw() string {
	maps := []string{s.serverMap()}
	for i, c := range s.clients {
		maps = append(maps, s.clientMap(c, s.views[i+1].things()))
	}
	return s.Fit(strings.Join([]string{
		s.title(),
		lipgloss.JoinHorizontal(lipgloss.Top, maps[0], " ", maps[1]),
		lipgloss.JoinHorizontal(lipgloss.Top, maps[2], " ", maps[3]),
		s.help(),
	}, "\n"))
}

// title describes the rules of visibility.
func (s *screen) title() string {
	says := "nothing matters to any client"
	switch r := s.server.Rules; {
	case s.leak:
		says = "all dots are shown to all clients"
	case r.Grid && r.Rooms:
		says = "distance and chamber matter"
	case r.Grid:
		says = "distance matters"
	case r.Rooms:
		says = "the chamber matters"
	}
	return look.Title.Render("interest") + look.Label.Render("  "+says)
}

// help explains the marks and the keys.
func (s *screen) help() string {
	return dotStyle.Render(dotCell) + look.Label.Render(" dot · ") + teamStyle(1).Render("1 2") + look.Label.Render(" and ") +
		teamStyle(2).Render("3") + look.Label.Render(" players · ") + teamStyle(1).Render(lanternCell) +
		look.Label.Render(" lantern · g grid · r rooms · i smooth · q quit")
}

// caption tells how many things a client has, and how many errors there were.
func (c *clientGame) caption(holds int) string {
	verdict := look.Good.Render("none too many")
	if bad := c.counts.Wrong + c.counts.Late; bad > 0 {
		verdict = look.Bad.Render("too many")
	}
	return fmt.Sprintf(" client %d has %d, ", c.number, holds) + verdict + " "
}
