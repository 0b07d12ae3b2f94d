//go:build !js

package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/entangle-ecs/entangle/examples/internal/look"
)

// show draws both worlds until the player quits, or the time is over.
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
	watchers [2]*watcher // of the server's world and the client's
}

func newScreen(p *play) *screen {
	s := &screen{play: p, watchers: [2]*watcher{newWatcher(p.Worlds[0]), newWatcher(p.Worlds[1])}}
	s.Screen = look.Screen{Title: "snake", Rate: tickRate, Step: p.step, Press: s.press, Draw: s.draw}
	return s
}

// press switches interpolation, and restarts the counts of how evenly the heads step.
func (s *screen) press(key string) {
	if key != "i" {
		return
	}
	s.interpolate = !s.interpolate
	for number := range s.tallies {
		s.tallies[number].pace = pace{}
	}
}

// draw draws the snake with the group above the other one.
func (s *screen) draw() string {
	const gap = " "
	rows := []string{look.Title.Render("snake") + look.Label.Render("  "+s.about())}
	for number := range s.tallies {
		server := drawPen(" server ", s.watchers[0].snake(uint8(number)), number)
		client := drawPen(fmt.Sprintf(" client: %v ", s.tallies[number].pace), s.watchers[1].snake(uint8(number)), number)
		rows = append(rows, s.caption(number), lipgloss.JoinHorizontal(lipgloss.Top, server, gap, client))
	}
	return s.Fit(strings.Join(append(rows, s.help()), "\n"))
}

// about returns the text between the worlds, which describes the line and how the client shows the snakes.
func (s *screen) about() string {
	shows := "as received"
	if s.interpolate {
		shows = "interpolated"
	}
	return fmt.Sprintf("on a line of %v ±%v that loses %.0f %%, %s", time.Duration(s.Latency), time.Duration(s.Jitter), s.Loss*100, shows)
}

// help returns an explanation of the characters, and the key that quits.
func (s *screen) help() string {
	return look.Bad.Render(tornCell) + look.Label.Render(" torn: not where the segment ahead has left it · i interpolation · q quit")
}

// caption returns whether a snake has a group, and how often the client showed it torn.
func (s *screen) caption(number int) string {
	says := "Each segment for itself:"
	if number == grouped && !s.ungrouped {
		says = "All segments in one group:"
	}
	t, style := s.tallies[number], look.Good
	if t.Torn > 0 {
		style = look.Bad
	}
	torn := fmt.Sprintf("torn in %d of %d frames", t.Torn, t.Frames)
	return snakeStyle(number).Render(says) + " " + look.Label.Render("on the client ") + style.Render(torn)
}
