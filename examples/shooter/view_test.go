//go:build !js

package main

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/examples/internal/look"
	"github.com/entangle-ecs/entangle/examples/internal/program"
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

// playSeconds plays some seconds.
func (s *screen) playSeconds(n int) {
	for range n * tickRate {
		s.Update(look.NextFrame{})
	}
}

// The view fits into a terminal of the usual size, with as many players as there can be, and tells what was hit.
func TestTheViewFits(t *testing.T) {
	s := testScreen(t, 84, 24, "-clients", "4", "-seconds", "60")
	for range 5 * tickRate {
		s.Update(look.NextFrame{})
		text := s.draw()
		require.LessOrEqual(t, lipgloss.Height(text), 24)
		require.LessOrEqual(t, lipgloss.Width(text), 84)
		require.NotContains(t, text, "Make the terminal")
	}
	text := ansi.Strip(s.draw())
	assert.Contains(t, text, "player 1's screen")
	assert.Regexp(t, `hit what it aimed at: (\d+) of \d+ \(100 %\)`, text)
	assert.Regexp(t, `with lag compensation 100 %, without \d+ %`, text)
	assert.Contains(t, text, "0 twice, 0 came back")
	assert.Contains(t, text, "player 4: ")
	assert.Contains(t, text, "player 1: arrows run")
	assert.Contains(t, text, "c lag compensation")
	assert.NotEmpty(t, s.server.marks)
	assert.NotEmpty(t, s.clients[0].marks)
	s.Update(tea.WindowSizeMsg{Width: 60, Height: 24})
	assert.Contains(t, s.draw(), "Make the terminal")
}

// Keys move the first player, and fire at what its screen shows.
func TestKeysPlayTheFirstPlayer(t *testing.T) {
	s := testScreen(t, 84, 24, "-seconds", "60")
	s.playSeconds(4)
	c := s.clients[0]
	s.press("left")
	s.playSeconds(4)
	assert.True(t, c.manual)
	assert.Equal(t, Controls{DX: -1}, c.keys)
	assert.Equal(t, float32(-arenaWidth/2+playerRadius), c.seen.players[0].X, "it has run to the wall")
	before := c.shots.Aimed
	s.press("space")
	s.playSeconds(1)
	assert.Equal(t, before+1, c.shots.Aimed, "one press is one shot")
	assert.Equal(t, c.shots.Aimed, c.shots.Hit)
	s.press("b")
	assert.False(t, c.manual)
	_, quit := s.Update(tea.KeyPressMsg{Code: 'q', Text: "q"})
	assert.NotNil(t, quit)
}

// Keys change the line and turn lag compensation on and off, and the counts begin again.
func TestKeysChangeLineAndCompensation(t *testing.T) {
	s := testScreen(t, 84, 24, "-seconds", "60")
	s.playSeconds(5)
	c := s.clients[0]
	require.Positive(t, c.shots.Aimed)
	s.press("c")
	assert.Zero(t, c.shots.Aimed)
	assert.Contains(t, ansi.Strip(s.draw()), "lag compensation OFF")
	s.playSeconds(10)
	assert.Less(t, c.shots.Hit, c.shots.Aimed)
	s.press("c")
	s.press("l")
	s.press("t")
	assert.InDelta(t, 0.05, s.Line.Loss, 0)
	assert.Equal(t, program.Span(120*time.Millisecond), s.Latency)
	s.playSeconds(5) // until the clock is right for the line
	s.restart()
	s.playSeconds(5)
	assert.Positive(t, c.shots.Aimed)
	assert.Equal(t, c.shots.Aimed, c.shots.Hit)
	assert.InDelta(t, 240, c.Stats().Link.RTT.Milliseconds(), 60)
	assert.Contains(t, ansi.Strip(s.draw()), "line: 120ms each way, loses 5 %")
	for range len(losses) - 1 {
		s.press("l")
	}
	assert.Zero(t, s.Line.Loss, "after the last comes the first")
}

// A ring says what became of a shot.
func TestAMarkHasTheColourOfItsShot(t *testing.T) {
	assert.Equal(t, open, (&mark{open: true}).colour())
	assert.Equal(t, good, (&mark{good: true}).colour())
	assert.Equal(t, bad, (&mark{}).colour())
	assert.Len(t, age([]mark{{left: 1}, {left: 2}}), 1)
}
