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
	p, err := newPlay(flags(t, args...))
	require.NoError(t, err)
	view := newScreen(p)
	view.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return view
}

// The view fits into a terminal of the size that it requires.
func TestTheViewFits(t *testing.T) {
	s := testScreen(t, 80, 30, "-dots", "500")
	for range 2 * tickRate {
		s.Update(look.NextFrame{})
		text := s.draw()
		require.Equal(t, 30, lipgloss.Height(text))
		require.LessOrEqual(t, lipgloss.Width(text), 80)
	}
	s.Update(tea.WindowSizeMsg{Width: 40, Height: 24})
	assert.Contains(t, s.draw(), "Make the terminal\nlarger:")
}

// Each client's map shows its player, and fog where it can see nothing.
func TestTheViewShowsFog(t *testing.T) {
	s := testScreen(t, 80, 30)
	for range tickRate {
		s.Update(look.NextFrame{})
	}
	text := ansi.Strip(s.draw())
	assert.Contains(t, text, "distance and chamber matter")
	assert.Contains(t, text, "none too many")
	assert.NotContains(t, ansi.Strip(s.serverMap()), fogCell)
	for i, c := range s.clients {
		drawn := ansi.Strip(s.clientMap(c, s.views[i+1].things()))
		assert.Contains(t, drawn, fogCell)
		assert.Contains(t, drawn, lanternCell)
	}
}

func TestKeysSwitchTheRules(t *testing.T) {
	s := testScreen(t, 80, 30)
	says := func() string { return ansi.Strip(strings.SplitN(s.draw(), "\n", 2)[0]) }
	s.Update(tea.KeyPressMsg{Code: 'g', Text: "g"})
	assert.Contains(t, says(), "interest  the chamber matters")
	s.Update(tea.KeyPressMsg{Code: 'r', Text: "r"})
	assert.Contains(t, says(), "nothing matters to any client")
	s.Update(tea.KeyPressMsg{Code: 'g', Text: "g"})
	assert.Contains(t, says(), "interest  distance matters")
	s = testScreen(t, 80, 30, "-leak")
	assert.Contains(t, says(), "all dots are shown to all clients")
	for range tickRate {
		s.Update(look.NextFrame{})
	}
	assert.Contains(t, ansi.Strip(s.draw()), ", too many ")
}

func TestAKeySwitchesInterpolation(t *testing.T) {
	s := testScreen(t, 80, 30, "-latency", "60ms", "-jitter", "15ms", "-loss", "0.05")
	stood := func() float64 {
		for range 3 * tickRate {
			s.Update(look.NextFrame{})
		}
		m := s.clients[0].motion
		assert.Contains(t, ansi.Strip(s.draw()), m.String())
		return float64(m.Stood) / float64(m.Frames)
	}
	assert.Less(t, stood(), 0.05)
	assert.Contains(t, ansi.Strip(s.draw()), "clients interpolate them")
	s.Update(tea.KeyPressMsg{Code: 'i', Text: "i"})
	assert.Greater(t, stood(), 0.2)
	assert.Contains(t, ansi.Strip(s.draw()), "clients show them as they arrive")
}

func TestTheViewEndsByKeyAndByTime(t *testing.T) {
	s := testScreen(t, 80, 30, "-seconds", "0.05")
	_, quit := s.Update(tea.KeyPressMsg{Code: 'q', Text: "q"})
	require.NotNil(t, quit)
	assert.Equal(t, tea.QuitMsg{}, quit())
	s.Update(look.NextFrame{})
	s.Update(look.NextFrame{})
	_, quit = s.Update(look.NextFrame{})
	require.NotNil(t, quit)
	assert.Equal(t, tea.QuitMsg{}, quit())
}
