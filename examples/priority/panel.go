//go:build !js

package main

import (
	"fmt"
	"math"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/entangle-ecs/entangle/examples/internal/look"
)

const (
	barWidth   = 14 // columns of the bar of the largest share
	labelWidth = 5  // "≤600" and a space
	gap        = "  "
)

func rowStyle(number int) lipgloss.Style {
	colours := [rowCount]string{"#D2A6FF", "#6F9BFF", "#59C2FF", "#95E6CB", "#AAD94C", "#FFB454", "#FF8F40"}
	return lipgloss.NewStyle().Foreground(lipgloss.Color(colours[number-1]))
}

// label returns the name of a row, with its bound if it has one.
func (r Rules) label(number int) [waveLines]string {
	lines := [waveLines]string{rowStyle(number).Bold(true).Render(pad(fmt.Sprint(number), labelWidth))}
	lines[1] = pad("", labelWidth)
	if bound := r.bound(number); bound > 0 {
		lines[1] = look.Label.Render(pad(fmt.Sprint("≤", bound), labelWidth))
	}
	return lines
}

// numbers returns the results of a row as text: its share as a bar, and its age. all is the share
// of a bar of full length.
func (r rowReport) numbers(all float64) [waveLines]string {
	style := look.Good
	if r.off() || r.starved() {
		style = look.Bad
	}
	bar := rowStyle(r.Row).Render(pad(bar(r.Share*all), barWidth))
	return [waveLines]string{
		bar + style.Render(fmt.Sprintf(" %4.1f %%", r.Share*100)) + look.Label.Render(fmt.Sprintf(" (%.1f %%)", r.Expected*100)),
		look.Value.Render(fmt.Sprintf("%.1f/s", r.PerDot)) + look.Label.Render(" · age ") +
			look.Value.Render(fmt.Sprintf("%.1f", r.MeanAge)) + look.Label.Render(", at most ") + look.Value.Render(fmt.Sprint(r.Oldest)),
	}
}

// bar returns a line with the given length in characters, exact to an eighth.
func bar(length float64) string {
	eighths := int(math.Round(length * 8))
	text := strings.Repeat("█", eighths/8)
	if part := eighths % 8; part > 0 {
		text += string([]rune(" ▏▎▍▌▋▊▉")[part])
	}
	return text
}

// pad appends spaces to a text, up to a width.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-lipgloss.Width(text)))
}
