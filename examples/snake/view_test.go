//go:build !js

package main

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/examples/internal/look"
)

// testScreen returns a screen of the given size.
func testScreen(t *testing.T, width, height int, args ...string) *screen {
	s := flags(t, args...)
	p, err := newPlay(s)
	require.NoError(t, err)
	view := newScreen(p)
	view.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return view
}

// The view fits into a terminal of the size that it requires, and that is at most the usual size.
func TestTheViewFits(t *testing.T) {
	s := testScreen(t, 80, 24, "-segments", "48")
	for range 2 * tickRate {
		s.Update(look.NextFrame{})
		text := s.draw()
		require.Equal(t, 24, lipgloss.Height(text))
		require.LessOrEqual(t, lipgloss.Width(text), 80)
	}
	s.Update(tea.WindowSizeMsg{Width: 40, Height: 24})
	assert.Equal(t, "Make the terminal\nlarger: 77 columns\nand 24 lines do.", s.draw())
}

func TestTheViewTellsTheSnakesUngrouped(t *testing.T) {
	s := testScreen(t, 80, 24)
	s.tallies = [snakeCount]counts{{Frames: 200}, {Frames: 100, Torn: 7}}
	text := ansi.Strip(s.draw())
	assert.Contains(t, text, "on a line of 50ms ±10ms that loses 20 %, interpolated")
	assert.Contains(t, text, "All segments in one group: on the client torn in 0 of 200 frames")
	assert.Contains(t, text, "Each segment for itself: on the client torn in 7 of 100 frames")
	s = testScreen(t, 80, 24, "-apart")
	assert.NotContains(t, s.draw(), "in one group")
}

func TestTheViewEndsByKeyAndByTime(t *testing.T) {
	s := testScreen(t, 80, 24, "-seconds", "0.05")
	_, quit := s.Update(tea.KeyPressMsg{Code: 'q', Text: "q"})
	require.NotNil(t, quit)
	assert.Equal(t, tea.QuitMsg{}, quit())
	s.Update(look.NextFrame{})
	s.Update(look.NextFrame{})
	_, quit = s.Update(look.NextFrame{})
	require.NotNil(t, quit)
	assert.Equal(t, tea.QuitMsg{}, quit())
}

// A stretched snake is drawn without a gap. A segment that does not fit is marked.
func TestAPenDrawsASnake(t *testing.T) {
	parts := []part{
		{Place: Place{6, 0}},
		{Segment: Segment{Number: 1}, Place: Place{5, 0}},
		{Segment: Segment{Number: 2}, Place: Place{3, 0}},
		{Segment: Segment{Number: 3}, Place: Place{2, 1}},
		{Segment: Segment{Number: 5}, Place: Place{2, 2}},
		{Segment: Segment{Number: 6}, Place: Place{2, 2}},
	}
	lines := strings.Split(ansi.Strip(drawPen(" client ", parts, grouped)), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(strings.Trim(lines[i], "│"), " ")
	}
	assert.Equal(t, []string{
		"      ██▒▒██▐▌",
		"    ██",
		"    ░░",
	}, lines[1:4])
}
