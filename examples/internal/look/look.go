//go:build !js

package look

import (
	"image/color"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
)

// The styles of text.
var (
	Frame = lipgloss.NewStyle().Foreground(lipgloss.Color("#3E4B59"))
	Label = lipgloss.NewStyle().Foreground(lipgloss.Color("#7F8B98"))
	Value = lipgloss.NewStyle().Foreground(lipgloss.Color("#D9D7CE"))
	Good  = lipgloss.NewStyle().Foreground(lipgloss.Color("#AAD94C"))
	Bad   = lipgloss.NewStyle().Foreground(lipgloss.Color("#F07178"))
	Title = lipgloss.NewStyle().Bold(true)
)

// hues are the colours of players.
var hues = []color.Color{
	lipgloss.Color("#FFB454"), lipgloss.Color("#59C2FF"), lipgloss.Color("#AAD94C"),
	lipgloss.Color("#F07178"), lipgloss.Color("#D2A6FF"), lipgloss.Color("#95E6CB"),
}

// Hue returns the colour of the n-th player, from 0.
func Hue(n int) color.Color { return hues[n%len(hues)] }

// NextFrame is the message that the next frame is due.
type NextFrame struct{}

// Pace returns a command that sends a NextFrame when the next frame is due, at a number of frames
// per second.
func Pace(rate int) tea.Cmd {
	return tea.Tick(time.Second/time.Duration(rate), func(time.Time) tea.Msg { return NextFrame{} })
}

// Quits reports whether a key ends a program.
func Quits(key string) bool { return key == "q" || key == "ctrl+c" }

// Clip truncates a line without styles that is too long for a number of columns.
func Clip(text string, columns int) string {
	if runes := []rune(text); len(runes) > columns {
		return string(runes[:max(columns-1, 0)]) + "…"
	}
	return text
}
