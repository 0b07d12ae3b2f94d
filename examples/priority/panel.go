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
	barWidth   = 14 // of the largest share
	labelWidth = 5  // "≤600" and a space
	gap        = "  "
)

func rowStyle(number int) lipgloss.Style {
	colours := [rowCount]string{"#D2A6FF", "#6F9BFF", "#59C2FF", "#95E6CB", "#AAD94C", "#FFB454", "#FF8F40"}
	return lipgloss.NewStyle().Foreground(lipgloss.Color(colours[number-1]))
}

// label names a row, and the bound that it has.
func (r Rules) label(number int) [waveLines]string {
	lines := [waveLines]string{rowStyle(number).Bold(true).Render(pad(fmt.Sprint(number), labelWidth))}
	lines[1] = pad("", labelWidth)
	if bound := r.bound(number); bound > 0 {
		lines[1] = look.Label.Render(pad(fmt.Sprint("≤", bound), labelWidth))
	}
	return lines
}

// numbers shows the results of a row: its share as a bar, of which the full length is all updates, and its age.
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

// bar is a line so many characters long, to an eighth of one.
func bar(length float64) string {
	eighths := int(math.Round(length * 8))
	text := strings.Repeat("█", eighths/8)
	if part := eighths % 8; part > 0 {
		text += string([]rune(" ▏▎▍▌▋▊▉")[part])
	}
	return text
}

// pad fills a text up with spaces.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-lipgloss.Width(text)))
}
