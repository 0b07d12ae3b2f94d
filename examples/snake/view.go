//go:build !js

package main

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/entangle-ecs/entangle/examples/internal/look"
)

// show draws both worlds until the player quits, or the time is over.
func show(s settings) error {
	p, err := newPlay(s)
	if err != nil {
		return err
	}
	_, err = tea.NewProgram(newScreen(p, s), tea.WithFPS(tickRate)).Run()
	return err
}

// screen is the model of the view.
type screen struct {
	*play
	settings
	sights        [2]*sight // the server's world, the client's
	frames        int
	width, height int
}

func newScreen(p *play, s settings) *screen {
	return &screen{play: p, settings: s, sights: [2]*sight{newSight(&p.worlds[0]), newSight(&p.worlds[1])}}
}

// Init implements tea.Model.
func (s *screen) Init() tea.Cmd { return look.Pace(tickRate) }

// Update implements tea.Model.
func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		if key := msg.String(); key == "q" || key == "ctrl+c" {
			return s, tea.Quit
		}
	case look.NextFrame:
		s.frame()
		if s.frames++; s.seconds > 0 && s.frames >= int(s.seconds*tickRate) {
			return s, tea.Quit
		}
		return s, look.Pace(tickRate)
	}
	return s, nil
}

// View implements tea.Model.
func (s *screen) View() tea.View {
	v := tea.NewView(s.draw())
	v.AltScreen = true
	v.WindowTitle = "Entangle: snake"
	return v
}

// draw puts the snake with the group above the one without.
func (s *screen) draw() string {
	const gap = " "
	rows := []string{look.Title.Render("snake") + look.Label.Render("  "+s.about())}
	for number := range s.tallies {
		server := drawPen(" server ", s.sights[0].snake(uint8(number)), number)
		client := drawPen(" client ", s.sights[1].snake(uint8(number)), number)
		rows = append(rows, s.caption(number), lipgloss.JoinHorizontal(lipgloss.Top, server, gap, client))
	}
	text := strings.Join(append(rows, s.help()), "\n")
	if lipgloss.Width(text) > s.width || lipgloss.Height(text) > s.height {
		return fmt.Sprintf("Make the terminal\nlarger: %d columns\nand %d lines do.", lipgloss.Width(text), lipgloss.Height(text))
	}
	return text
}

// about is the line between the worlds.
func (s *screen) about() string {
	return fmt.Sprintf("on a line of %v ±%v that loses %.0f %%", s.line.Latency, s.line.Jitter, s.line.Loss*100)
}

// help says what the marks mean, and the key that ends it.
func (s *screen) help() string {
	return look.Bad.Render(tornCell) + look.Label.Render(" torn: not where the segment ahead has left it · q quit")
}

// caption says of a snake whether it has a group, and how the client saw it.
func (s *screen) caption(number int) string {
	says := "Each segment for itself:"
	if number == grouped && !s.apart {
		says = "All segments in one group:"
	}
	t, style := s.tallies[number], look.Good
	if t.Torn > 0 {
		style = look.Bad
	}
	torn := fmt.Sprintf("torn in %d of %d frames", t.Torn, t.Frames)
	return snakeStyle(number).Render(says) + " " + look.Label.Render("on the client ") + style.Render(torn)
}
