//go:build !js

package main

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/entangle-ecs/entangle/examples/internal/look"
)

// show draws all worlds until the player quits, or the time is over.
func show(s settings) error {
	p, err := newPlay(s)
	if err != nil {
		return err
	}
	_, err = tea.NewProgram(newScreen(p), tea.WithFPS(tickRate)).Run()
	return err
}

// screen is the model of the view.
type screen struct {
	*play
	sights        [1 + players]*sight // the server's world, the clients'
	frames        int
	width, height int
}

func newScreen(p *play) *screen {
	s := &screen{play: p}
	for i := range s.sights {
		s.sights[i] = newSight(&p.worlds[i])
	}
	return s
}

// Init implements tea.Model.
func (s *screen) Init() tea.Cmd { return look.Pace(tickRate) }

// Update implements tea.Model.
func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return s, s.press(msg.String())
	case look.NextFrame:
		s.frame()
		if s.frames++; s.seconds > 0 && s.frames >= int(s.seconds*tickRate) {
			return s, tea.Quit
		}
		return s, look.Pace(tickRate)
	}
	return s, nil
}

// press switches what decides about who sees what.
func (s *screen) press(key string) tea.Cmd {
	switch key {
	case "q", "ctrl+c":
		return tea.Quit
	case "g":
		s.server.Grid = !s.server.Grid
	case "r":
		s.server.Rooms = !s.server.Rooms
	}
	return nil
}

// View implements tea.Model.
func (s *screen) View() tea.View {
	v := tea.NewView(s.draw())
	v.AltScreen = true
	v.WindowTitle = "Entangle: interest"
	return v
}

// draw puts the server's world and that of the first client above the others.
func (s *screen) draw() string {
	maps := []string{s.serverMap()}
	for i, c := range s.clients {
		maps = append(maps, s.clientMap(c, s.sights[i+1].things()))
	}
	text := strings.Join([]string{
		s.title(),
		lipgloss.JoinHorizontal(lipgloss.Top, maps[0], " ", maps[1]),
		lipgloss.JoinHorizontal(lipgloss.Top, maps[2], " ", maps[3]),
		s.help(),
	}, "\n")
	if lipgloss.Width(text) > s.width || lipgloss.Height(text) > s.height {
		return fmt.Sprintf("Make the terminal\nlarger: %d columns\nand %d lines do.", lipgloss.Width(text), lipgloss.Height(text))
	}
	return text
}

// title says what decides about who sees what.
func (s *screen) title() string {
	says := "nothing matters to anybody"
	switch r := s.server.Rules; {
	case s.leak:
		says = "all dots are shown to everybody"
	case r.Grid && r.Rooms:
		says = "what is near matters, and what is in the same chamber"
	case r.Grid:
		says = "what is near matters"
	case r.Rooms:
		says = "what is in the same chamber matters"
	}
	return look.Title.Render("interest") + look.Label.Render("  "+says)
}

// help says what the marks mean, and the keys.
func (s *screen) help() string {
	return dotStyle.Render(dotCell) + look.Label.Render(" dot · ") + teamStyle(1).Render("1 2") + look.Label.Render(" and ") +
		teamStyle(2).Render("3") + look.Label.Render(" players · ") + teamStyle(1).Render(lanternCell) +
		look.Label.Render(" a team's lantern · g grid · r rooms · q quit")
}

// caption says of a client how much it holds, and how often that was too much.
func (c *clientGame) caption(holds int) string {
	verdict := look.Good.Render("none too many")
	if bad := c.tally.Wrong + c.tally.Late; bad > 0 {
		verdict = look.Bad.Render("too many")
	}
	return fmt.Sprintf(" client %d has %d, ", c.number, holds) + verdict + " "
}
