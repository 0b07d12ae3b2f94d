//go:build !js

package main

import (
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
	p, err := newPlay(asked(t, args...))
	require.NoError(t, err)
	t.Cleanup(p.End)
	view := newScreen(p)
	view.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return view
}

// The view fits into a terminal of the usual width, and shows the client's prediction and the reasons of rollbacks.
func TestTheViewFits(t *testing.T) {
	s := testScreen(t, 84, 24, "-latency", "80ms", "-seconds", "60")
	for range 5 * tickRate {
		s.Update(look.NextFrame{})
		text := s.draw()
		require.LessOrEqual(t, lipgloss.Height(text), 24)
		require.LessOrEqual(t, lipgloss.Width(text), 84)
		require.NotContains(t, text, "Make the terminal")
	}
	assert.Contains(t, ansi.Strip(s.draw()), "rollbacks")
	assert.Len(t, s.clients[0].seen.confirmed, 3, "the ball and two players")
	s.Update(tea.WindowSizeMsg{Width: 40, Height: 24})
	assert.Contains(t, s.draw(), "Make the terminal")
}

// Keys push the first client's disc.
func TestKeysPushTheFirstDisc(t *testing.T) {
	s := testScreen(t, 84, 24)
	s.press("left")
	assert.Equal(t, Push{DX: -1}, s.clients[0].push)
	assert.True(t, s.clients[0].manual)
	s.press("b")
	assert.False(t, s.clients[0].manual)
	_, quit := s.Update(tea.KeyPressMsg{Code: 'q', Text: "q"})
	assert.NotNil(t, quit)
}

// Each disc is drawn at its place, and a ring is not filled.
func TestTheCanvasDrawsDiscsAndRings(t *testing.T) {
	c := newCanvas(60)
	require.Equal(t, 30, c.Height)
	drawDisc(c, shown{Disc: Disc{Ball: true}, Place: Place{X: 10.5, Y: 5.5}}, false)
	assert.Equal(t, ballColour, c.At(40, 20))
	assert.Equal(t, pitchColour, c.At(45, 20))
	drawDisc(c, shown{Place: Place{X: -29.9, Y: -14.9}}, true) // partly outside the pitch
	assert.NotEqual(t, pitchColour, c.At(1, 0))
	assert.Equal(t, pitchColour, c.At(2, 2))
	assert.Equal(t, 15, lipgloss.Height(c.String()))
}
