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
	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

// testScreen returns a screen of the given size.
func testScreen(t *testing.T, width, height int, args ...string) *screen {
	p, err := newPlay(flags(t, args...))
	require.NoError(t, err)
	t.Cleanup(p.End)
	view := newScreen(p)
	view.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return view
}

// The view fits into a terminal of the size that it requires, and that is at most the usual size.
func TestTheViewFits(t *testing.T) {
	s := testScreen(t, 80, 24, "-within", "600")
	for range 3 * tickRate {
		text := s.draw()
		s.Update(look.NextFrame{})
		require.LessOrEqual(t, lipgloss.Height(text), 24)
		require.LessOrEqual(t, lipgloss.Width(text), 80)
		require.NotContains(t, text, "Make the terminal")
	}
	s.Update(tea.WindowSizeMsg{Width: 40, Height: 24})
	assert.Contains(t, s.draw(), "Make the terminal\nlarger:")
}

func TestTheViewShowsSharesAndTheBound(t *testing.T) {
	s := testScreen(t, 80, 24, "-within", "10")
	for range 5 * tickRate {
		s.Update(look.NextFrame{})
	}
	text := ansi.Strip(s.draw())
	for _, want := range []string{"under a cap of 20.0 kB/s", "≤10", "row 1 never waits for longer than 10 ticks"} {
		assert.Contains(t, text, want)
	}
	assert.Regexp(t, `received (19\.[5-9]|20\.0) kB/s`, text)
	assert.Regexp(t, `5\.\d % \(5\.\d %\)`, text, "row 1 gets what its bound takes")
	s.server.warnings, s.server.latest.Groups = 3, 17
	assert.Contains(t, ansi.Strip(s.draw()), "no room for the bound of 10 ticks: 3 warnings, 17 dots are late")
	s = testScreen(t, 80, 24, "-cap", "0")
	assert.Contains(t, ansi.Strip(s.draw()), "without a cap")
}

func TestAKeySwitchesInterpolation(t *testing.T) {
	s := testScreen(t, 80, 24)
	assert.Contains(t, ansi.Strip(s.draw()), "client, interpolated")
	s.Update(tea.KeyPressMsg{Code: 'i', Text: "i"})
	assert.Contains(t, ansi.Strip(s.draw()), "client, as received")
}

// A server that runs alone shows its own rows.
func TestTheViewOfAServerAlone(t *testing.T) {
	s := testScreen(t, 80, 24, "-mode", stage.Server, "-addr", "127.0.0.1:0")
	s.Update(look.NextFrame{})
	text := ansi.Strip(s.draw())
	assert.Contains(t, text, "under a cap of 20.0 kB/s for each of 0 clients")
	assert.NotContains(t, text, "share")
}

func TestTheViewEndsByKeyAndByTime(t *testing.T) {
	s := testScreen(t, 80, 24, "-seconds", "0.05")
	_, quit := s.Update(tea.KeyPressMsg{Code: 'q', Text: "q"})
	require.NotNil(t, quit)
	assert.Equal(t, tea.QuitMsg{}, quit())
	for range 10 * tickRate {
		if s.Update(look.NextFrame{}); s.played == 2 {
			break
		}
	}
	_, quit = s.Update(look.NextFrame{})
	require.NotNil(t, quit)
	assert.Equal(t, tea.QuitMsg{}, quit())
}

func TestAWaveIsDrawn(t *testing.T) {
	top, middle, bottom := float32(1.5708), float32(0), float32(-1.5708)
	r := row{&top, &middle, nil, &bottom, &top}
	lines := drawWave(&r, 5)
	assert.Equal(t, [waveLines]string{"⠁⠀⠁", "⠈⢀⠀"}, lines)
}

func TestABarShowsEighths(t *testing.T) {
	assert.Equal(t, "", bar(0))
	assert.Equal(t, "██▍", bar(2.375))
	assert.Equal(t, "███", bar(2.99))
}
