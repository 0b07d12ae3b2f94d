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

// The view fits into a terminal of the usual size, and shows shots that are to come, that fly, and that are
// refused.
func TestTheViewFits(t *testing.T) {
	s, err := example.Read(nil, t.Output())
	require.NoError(t, err)
	p, err := newPlay(s)
	require.NoError(t, err)
	view := newScreen(p)
	view.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	seen := map[string]bool{}
	for range 9 * tickRate {
		view.Update(look.NextFrame{})
		text := ansi.Strip(view.draw())
		require.LessOrEqual(t, lipgloss.Height(text), 24)
		require.LessOrEqual(t, lipgloss.Width(text), 80)
		tracks := text[:strings.LastIndex(text, "\n")]
		for _, what := range []string{
			shipCell, waitCell, shotCell, refusedCell,
			"fires it 12 ticks before", "ticks late: rolled back", "ms): here", "all as on the server", "no shot yet",
		} {
			seen[what] = seen[what] || strings.Contains(tracks, what)
		}
		require.NotContains(t, tracks, "differ")
	}
	for what, is := range seen {
		assert.True(t, is, what)
	}
	view.Update(tea.WindowSizeMsg{Width: 40, Height: 24})
	assert.Contains(t, view.draw(), "Make the terminal\nlarger:")
	p.End()
}
