//go:build !js

package look

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
)

// Screen is the loop of a view in a terminal: it plays and draws frames at a rate, until the play is over or
// fails, or the player quits.
type Screen struct {
	Title string
	Rate  int // frames per second
	// Step plays a frame. It reports whether the play is over, or returns the error that ended it.
	Step func() (over bool, err error)
	// Press handles a key that does not quit. It may be nil.
	Press func(key string)
	// Draw returns the view, in Width columns and Height lines.
	Draw          func() string
	Width, Height int

	ended error
}

// Show draws until the play is over or fails, the player quits, or ctx ends.
func (s *Screen) Show(ctx context.Context) error {
	_, err := tea.NewProgram(s, tea.WithContext(ctx), tea.WithFPS(s.Rate)).Run()
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		err = nil // ctx was cancelled
	}
	return errors.Join(s.ended, err)
}

// Init implements tea.Model.
func (s *Screen) Init() tea.Cmd { return Pace(s.Rate) }

// Update implements tea.Model.
func (s *Screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.Width, s.Height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return s, s.press(msg.String())
	case NextFrame:
		return s, s.playFrame()
	}
	return s, nil
}

func (s *Screen) press(key string) tea.Cmd {
	if Quits(key) {
		return tea.Quit
	}
	if s.Press != nil {
		s.Press(key)
	}
	return nil
}

// playFrame plays a frame, and returns the next command.
func (s *Screen) playFrame() tea.Cmd {
	over, err := s.Step()
	if s.ended = err; over || err != nil {
		return tea.Quit
	}
	return Pace(s.Rate)
}

// View implements tea.Model.
func (s *Screen) View() tea.View {
	v := tea.NewView(s.Draw())
	v.AltScreen = true
	v.WindowTitle = "Entangle: " + s.Title
	return v
}

// Fit returns a text, or a hint if it does not fit into the terminal.
func (s *Screen) Fit(text string) string {
	if lipgloss.Width(text) > s.Width || lipgloss.Height(text) > s.Height {
		return fmt.Sprintf("Make the terminal\nlarger: %d columns\nand %d lines do.", lipgloss.Width(text), lipgloss.Height(text))
	}
	return text
}
