//go:build !js

package main

import (
	"fmt"
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/entangle-ecs/entangle/examples/internal/look"
)

// panel is the part of the screen that shows one side: its world, and its numbers below.
type panel struct {
	report
	name   string
	flows  *flows
	ghosts []boxSnapshot // the server's positions of the boxes, drawn as shadows
}

// linesBelow returns how many lines of numbers a panel with a number of links has.
func linesBelow(links int, short bool) int {
	if short {
		return 5 + links
	}
	return 10 + links
}

// draw returns the panel. width is in characters without the frame, and fieldLines is the number of
// lines of the field. If short is true, less important numbers are omitted.
func (p *panel) draw(width, fieldLines, links int, short bool) string {
	lines := make([]string, 0, fieldLines+linesBelow(links, short))
	lines = append(lines, p.field(width, fieldLines)...)
	lines = append(lines, look.Frame.Render(strings.Repeat("─", width)), p.entitiesRow(width, fieldLines))
	if short {
		lines = append(lines, row(width, "↑ "+perSecond(p.flows.sent.rate()), "↓ "+perSecond(p.flows.received.rate())),
			p.clockRow(width), p.inputsRow(width))
	} else {
		lines = append(lines,
			row(width, "tick", count(int(p.Tick))),
			row(width, "sent", perSecond(p.flows.sent.rate())),
			row(width, "received", perSecond(p.flows.received.rate())),
			look.Label.Render(spark(p.flows.main(p.Side).history(width))),
			p.clockRow(width), p.lateRow(width), p.rollbackRow(width), p.whyRow(width))
	}
	for i := range links {
		lines = append(lines, p.link(width, i))
	}
	return p.drawFrame(width, lines)
}

// entitiesRow shows the number of entities, and how many of the dots are drawn if not all are.
func (p *panel) entitiesRow(width, fieldLines int) string {
	what := "entities"
	if all, drawn := p.Snapshot.dots(), newField(min(width, fieldLines*2), fieldLines).room(p.Snapshot); drawn < all {
		what = fmt.Sprintf("dots 1 of %d shown", all/max(drawn, 1))
	}
	return row(width, what, count(p.Entities))
}

// inputsRow shows the most important number about inputs: on a server the number of late inputs, on
// a client the number of rollbacks.
func (p *panel) inputsRow(width int) string {
	if p.Side == 0 {
		return p.lateRow(width)
	}
	return p.rollbackRow(width)
}

// field draws the world, centred in the width.
func (p *panel) field(width, lines int) []string {
	f := newField(min(width, lines*2), lines)
	f.dots(p.Snapshot)
	f.boxes(p.ghosts, shadowCell)
	f.boxes(p.Snapshot.Twins, twinCell)
	f.boxes(p.Snapshot.Boxes, boxCell)
	return strings.Split(lipgloss.PlaceHorizontal(width, lipgloss.Center, f.String()), "\n")
}

// clockRow shows the lead of a client's clock, and its speed.
func (p *panel) clockRow(width int) string {
	switch {
	case p.Side == 0:
		return row(width, "clock", "the server's")
	case p.Clock == nil || !p.Clock.Synced:
		return row(width, "ahead", "not yet")
	}
	return row(width, "ahead", fmt.Sprintf("%.1f ticks %+.1f %%", p.Clock.Lead, (p.Clock.Speed-1)*100))
}

// lateRow shows in how many ticks the server did not have the input of a client.
func (p *panel) lateRow(width int) string {
	if p.Side > 0 {
		return spaces(width)
	}
	var all inputs
	for _, l := range p.Links {
		all.InTime += l.Inputs.InTime
		all.Missing += l.Inputs.Missing
	}
	return row(width, "late inputs", count(int(all.Missing))+" of "+count(int(all.InTime+all.Missing)))
}

// rollbackRow shows the number of rollbacks of a client, and the number of replayed ticks.
func (p *panel) rollbackRow(width int) string {
	if p.Predictions == nil {
		return spaces(width)
	}
	return row(width, "rollbacks", count(int(p.Predictions.Rollbacks))+" / "+count(int(p.Predictions.Replayed))+" ticks")
}

// whyRow shows the reason of a client's last rollback.
func (p *panel) whyRow(width int) string {
	if p.Predictions == nil || len(p.Predictions.Why) == 0 {
		return spaces(width)
	}
	return row(width, p.Predictions.Why[len(p.Predictions.Why)-1], "")
}

// link returns a line about the n-th connection of the side.
func (p *panel) link(width, n int) string {
	if n >= len(p.Links) {
		return strings.Repeat(" ", width)
	}
	l := p.Links[n]
	label := "rtt"
	if p.Side == 0 {
		label = fmt.Sprintf("to %d", l.Client)
		if l.Client >= 100 {
			label = "to ·"
		}
	}
	loss := fmt.Sprintf("loss %.0f %%", l.Loss*100)
	style := look.Good
	if l.Loss > 0.02 {
		style = look.Bad
	}
	text := look.Label.Render(label) + look.Value.Render(fmt.Sprintf(" %.0f ms", l.RTT))
	return text + spaces(width-lipgloss.Width(text)-lipgloss.Width(loss)) + style.Render(loss)
}

// colour returns the colour of a client's box.
func (p *panel) colour() color.Color {
	if p.Side > 0 && len(p.Links) > 0 {
		for _, b := range p.Snapshot.Boxes {
			if b.Owner == p.Links[0].Client {
				return boxColour(b.Hue)
			}
		}
	}
	return look.Value.GetForeground()
}

// drawFrame draws a frame around the lines, with the panel's name in it.
func (p *panel) drawFrame(width int, lines []string) string {
	state := p.State
	if state == "" {
		state = "starting"
	}
	head := " " + look.Title.Foreground(p.colour()).Render(p.name) + " "
	tail := " " + look.Label.Render(strings.ToLower(state)) + " "
	fill := max(width-2-lipgloss.Width(head)-lipgloss.Width(tail), 0)
	var text strings.Builder
	text.WriteString(look.Frame.Render("╭─") + head + look.Frame.Render(strings.Repeat("─", fill)) + tail + look.Frame.Render("─╮"))
	for _, line := range lines {
		text.WriteString("\n" + look.Frame.Render("│") + line + look.Frame.Render("│"))
	}
	text.WriteString("\n" + look.Frame.Render("╰"+strings.Repeat("─", width)+"╯"))
	return text.String()
}

// row returns a label at the left and a value at the right, with spaces between them. It is
// truncated to the width, because a row that is too long would move the other panels.
func row(width int, label, value string) string {
	value = cut(value, width)
	left := width - lipgloss.Width(value)
	if value != "" {
		left--
	}
	label = cut(label, max(left, 0))
	return look.Label.Render(label) + spaces(width-lipgloss.Width(label)-lipgloss.Width(value)) + look.Value.Render(value)
}

// cut truncates a text to a width.
func cut(text string, width int) string {
	if runes := []rune(text); len(runes) > width {
		return string(append(runes[:max(width-1, 0)], '…'))
	}
	return text
}

func spaces(n int) string { return strings.Repeat(" ", max(n, 0)) }

// count formats a number with commas between thousands.
func count(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return count(n/1000) + fmt.Sprintf(",%03d", n%1000)
}

// perSecond formats a rate in bytes per second.
func perSecond(bytes float64) string { return fmt.Sprintf("%.1f kB/s", bytes/1000) }
