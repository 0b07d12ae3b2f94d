//go:build !js

package main

import (
	"context"
	"fmt"
	"strings"

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
	views []*view // views of the worlds that run here
	names []string
}

func newScreen(p *play) *screen {
	s := &screen{play: p}
	if p.server != nil {
		s.views, s.names = append(s.views, newView(p.Worlds[0])), append(s.names, "server")
	}
	if p.client != nil {
		s.views, s.names = append(s.views, newView(p.Worlds[1])), append(s.names, "client")
	}
	s.Screen = look.Screen{Title: "priority", Rate: tickRate, Step: p.step, Press: s.press, Draw: s.draw}
	return s
}

// press switches interpolation.
func (s *screen) press(key string) {
	if key == "i" && s.server != nil {
		s.Interpolate = !s.Interpolate
	}
}

// draw draws the rows below each other, each with its waves and its numbers.
func (s *screen) draw() string {
	r := s.result()
	lines := []string{s.title(r), s.heads(r)}
	worlds := make([][rowCount]row, len(s.views))
	for i, view := range s.views {
		worlds[i] = view.rows()
	}
	for number := 1; number <= rowCount; number++ {
		if number > 1 {
			lines = append(lines, "")
		}
		lines = append(lines, drawRow(r, number, worlds)...)
	}
	return s.Fit(strings.Join(append(lines, "", s.foot(r)), "\n"))
}

// drawRow draws a row of every world, and the client's figures about it.
func drawRow(r result, number int, worlds [][rowCount]row) []string {
	lines := r.label(number)
	for i := range worlds {
		for line, wave := range drawWave(&worlds[i][number-1], r.Dots) {
			lines[line] += rowStyle(number).Render(wave) + gap
		}
	}
	if r.Rows != nil {
		for line, numbers := range r.Rows[number-1].numbers(barWidth / r.largest()) {
			lines[line] += numbers
		}
	}
	return lines[:]
}

// largest returns the share that the longest bar stands for.
func (r result) largest() float64 {
	largest := 0.01
	for _, row := range r.Rows {
		largest = max(largest, row.Share)
	}
	return largest
}

// title returns a line with the cap and the network conditions.
func (s *screen) title(r result) string {
	says := "without a cap"
	if r.Cap > 0 {
		says = fmt.Sprintf("under a cap of %.1f kB/s", float64(r.Cap)/1000)
	}
	if s.client == nil {
		says += fmt.Sprintf(" for each of %d clients", len(s.server.Clients()))
	}
	flows := "received"
	if s.client == nil {
		flows = "sent"
	}
	return look.Title.Render("priority") + look.Label.Render("  "+says+" · "+flows+" ") +
		look.Value.Render(fmt.Sprintf("%.1f kB/s", r.BytesPerS/1000))
}

// heads returns the headings of the columns.
func (s *screen) heads(r result) string {
	text := pad("row", labelWidth)
	for _, name := range s.names {
		if name == "client" && s.server != nil {
			name += s.howShown()
		}
		text += pad(name, max((r.Dots+1)/2, len(name))) + gap
	}
	if s.client != nil {
		text += "share of updates (expected)"
	}
	return look.Label.Render(text)
}

// howShown returns how the client shows the dots.
func (s *screen) howShown() string {
	if s.Interpolate {
		return ", interpolated"
	}
	return ", as received"
}

// foot returns a line that tells whether the bound is kept, and which key quits.
func (s *screen) foot(r result) string {
	const age, quit = "age: ticks since a dot was heard of · ", "q quit"
	switch {
	case s.server == nil:
		return look.Label.Render(age + quit)
	case r.Within == 0:
		return look.Label.Render(age + "i interpolation · " + quit)
	}
	if r.Warnings == 0 {
		return look.Good.Render(fmt.Sprintf("row 1 never waits for longer than %d ticks", r.Within)) + look.Label.Render(" · "+quit)
	}
	says := fmt.Sprintf("no room for the bound of %d ticks: %d warnings, %d dots are late", r.Within, r.Warnings, r.Late)
	return look.Bad.Render(says) + look.Label.Render(" · "+quit)
}
