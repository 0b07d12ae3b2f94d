//go:build !js

package main

import (
	"context"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/entangle-ecs/entangle/examples/internal/look"
	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

// show draws the play until the player quits, it fails, or the time is over.
func show(ctx context.Context, s settings) error {
	p, err := newPlay(s)
	if err != nil {
		return err
	}
	defer p.End()
	return newScreen(p).Show(ctx)
}

// screen is the view.
type screen struct {
	*play
	look.Screen
	failed error // of a key
}

func newScreen(p *play) *screen {
	s := &screen{play: p}
	s.Screen = look.Screen{Title: "shooter", Rate: tickRate, Step: s.step, Press: s.press, Draw: s.draw}
	return s
}

// step plays a frame.
func (s *screen) step() (over bool, err error) {
	if s.failed != nil {
		return true, s.failed
	}
	over, err = s.play.step()
	if s.server != nil {
		s.server.marks = age(s.server.marks)
	}
	return over, err
}

// headings are the directions of keys. Terminals do not report the release of keys, so a player runs until another key
// is pressed.
var headings = map[string]Controls{
	"up": {DY: -1}, "down": {DY: 1}, "left": {DX: -1}, "right": {DX: 1}, "x": {},
}

// Conditions of the line that keys go through.
var (
	losses    = []float64{0, 0.05, 0.1, 0.2}
	latencies = []program.Span{0, program.Span(30 * time.Millisecond), program.Span(60 * time.Millisecond), program.Span(120 * time.Millisecond)}
)

// press handles a key.
func (s *screen) press(key string) {
	switch key {
	case "c":
		if s.server != nil { // it decides
			s.setCompensate(!s.Compensate)
		}
	case "l":
		s.changeLine(func(l *stage.Line) { l.Loss = next(losses, l.Loss) })
	case "t":
		s.changeLine(func(l *stage.Line) { l.Latency = next(latencies, l.Latency) })
	}
	if len(s.clients) > 0 {
		s.clients[0].pressed(key)
	}
}

// pressed handles a key of the client's player.
func (g *clientGame) pressed(key string) {
	heading, runs := headings[key]
	switch {
	case runs:
		g.manual, g.keys.DX, g.keys.DY = true, heading.DX, heading.DY
	case key == "space":
		g.manual, g.keys.Fire = true, true
	case key == "b":
		g.manual, g.keys = false, Controls{}
	}
}

func (s *screen) changeLine(change func(*stage.Line)) {
	line := s.Line
	change(&line)
	s.failed = s.setLine(line)
	s.restart()
}

// next returns the first value above the present one, or the first of all.
func next[T float64 | program.Span](of []T, present T) T {
	for _, v := range of {
		if v > present {
			return v
		}
	}
	return of[0]
}

// leastWidth is the least width, in columns, at which players can be recognised.
const leastWidth = 41

// panelLines is how many lines the view has at most, apart from the arenas.
const panelLines = 9

// draw draws the arenas beside each other, the figures below them, and the keys.
func (s *screen) draw() string {
	panels := s.panels()
	width := min((s.Width-gap*(len(panels)-1))/max(len(panels), 1), (s.Height-panelLines)*2*arenaWidth/arenaHeight)
	if width < leastWidth {
		return "Make the terminal\nlarger."
	}
	var texts []string
	for i, p := range panels {
		if i > 0 {
			texts = append(texts, strings.Repeat(" ", gap))
		}
		texts = append(texts, lipgloss.NewStyle().Width(width).Render(p.draw(width)))
	}
	return s.Fit(lipgloss.JoinHorizontal(lipgloss.Top, texts...) + "\n" + look.Label.Render(s.keys()))
}

// keys returns what the keys do, in two lines.
func (s *screen) keys() (text string) {
	if len(s.clients) > 0 {
		text = s.clients[0].name() + ": arrows run, x stops, space fires at the nearest, b is the bot\nl loss · t latency · "
	}
	if s.server != nil {
		text += "c lag compensation · "
	}
	return text + "q quits"
}
