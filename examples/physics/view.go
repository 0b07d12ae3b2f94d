//go:build !js

package main

import (
	"context"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/entangle-ecs/entangle/examples/internal/look"
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
}

func newScreen(p *play) *screen {
	s := &screen{play: p}
	s.Screen = look.Screen{Title: "physics", Rate: tickRate, Step: p.step, Press: s.press, Draw: s.draw}
	return s
}

// headings are the directions of keys. Terminals do not report the release of keys, so a disc is pushed until another key
// is pressed.
var headings = map[string]Push{
	"up": {DY: -1}, "down": {DY: 1}, "left": {DX: -1}, "right": {DX: 1}, "space": {},
}

// press handles a key.
func (s *screen) press(key string) {
	if len(s.clients) == 0 {
		return
	}
	first := s.clients[0]
	if push, ok := headings[key]; ok {
		first.manual, first.push = true, push
	}
	if key == "b" {
		first.manual = false
	}
}

// leastWidth is the least width, in columns, at which a pitch can be recognised.
const leastWidth = 40

// draw draws the pitches beside each other, and the figures below them.
func (s *screen) draw() string {
	panels := s.panels()
	width := (s.Width - gap*(len(panels)-1)) / max(len(panels), 1)
	if width < leastWidth || s.Height < width*pitchHeight/pitchWidth/2+panelLines {
		return "Make the terminal\nlarger."
	}
	var texts []string
	for i, p := range panels {
		if i > 0 {
			texts = append(texts, strings.Repeat(" ", gap))
		}
		texts = append(texts, lipgloss.NewStyle().Width(width).Render(p.draw(width)))
	}
	return lipgloss.JoinHorizontal(lipgloss.Top, texts...)
}
