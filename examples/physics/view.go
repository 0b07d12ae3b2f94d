//go:build !js

package main

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/entangle-ecs/entangle/examples/internal/look"
)

// show draws what is played until the player quits, it fails, or the time is over.
func show(ctx context.Context, s settings) error {
	p, err := newPlay(s)
	if err != nil {
		return err
	}
	defer p.end()
	view := &screen{play: p}
	_, err = tea.NewProgram(view, tea.WithContext(ctx), tea.WithFPS(tickRate)).Run()
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return nil // it was told to end
	}
	return errors.Join(view.ended, err)
}

// screen is the model of the view.
type screen struct {
	*play
	width, height int
	ended         error
}

// Init implements tea.Model.
func (s *screen) Init() tea.Cmd { return look.Pace(tickRate) }

// Update implements tea.Model.
func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return s, s.press(msg.String())
	case look.NextFrame:
		return s, s.next()
	}
	return s, nil
}

// headings are the ways that keys point. Terminals tell no key's release, so a disc is
// pushed until another key is pressed.
var headings = map[string]Push{
	"up": {DY: -1}, "down": {DY: 1}, "left": {DX: -1}, "right": {DX: 1}, "space": {},
}

// press does what a key is for.
func (s *screen) press(key string) tea.Cmd {
	if look.Quits(key) {
		return tea.Quit
	}
	if len(s.clients) == 0 {
		return nil
	}
	first := s.clients[0]
	if push, ok := headings[key]; ok {
		first.manual, first.push = true, push
	}
	if key == "b" {
		first.manual = false
	}
	return nil
}

// next plays a frame, and says what comes then.
func (s *screen) next() tea.Cmd {
	over, err := s.step()
	if s.ended = err; over || err != nil {
		return tea.Quit
	}
	return look.Pace(tickRate)
}

// View implements tea.Model.
func (s *screen) View() tea.View {
	v := tea.NewView(s.draw())
	v.AltScreen = true
	v.WindowTitle = "Entangle: physics"
	return v
}

// leastWidth is that of a pitch on which something can be told from something else.
const leastWidth = 40

// draw puts the pitches beside each other, with what there is to know below.
func (s *screen) draw() string {
	panels := s.panels()
	width := (s.width - gap*(len(panels)-1)) / max(len(panels), 1)
	if width < leastWidth || s.height < width*pitchHeight/pitchWidth/2+panelLines {
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
