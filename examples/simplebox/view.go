//go:build !js

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/entangle-ecs/entangle/examples/internal/look"
)

const (
	narrowest   = 24 // characters of a panel within its frame
	shortest    = 4  // lines of a field
	legible     = 10 // lines of a field from which on all numbers are shown
	gap         = 1  // columns between panels
	linesAround = 5  // lines of the title, the legend, the keys, and the frame of a panel
	viewsPerSec = 30
)

// show draws the sides until the player quits, a side ends, or the time is over.
func show(ctx context.Context, s settings) error {
	if s.Seconds > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(s.Seconds*float64(time.Second)))
		defer cancel()
	}
	all, err := startSides(ctx, s)
	if err != nil {
		return err
	}
	defer all.end()
	program := tea.NewProgram(newScreen(all, s), tea.WithContext(ctx), tea.WithFPS(viewsPerSec))
	drawn := make(chan struct{})
	defer close(drawn)
	go func() {
		for {
			select {
			case r := <-all.reports:
				program.Send(r)
			case <-drawn:
				return
			}
		}
	}()
	last, err := program.Run()
	if shown, ok := last.(*screen); ok && shown.ended != nil {
		return shown.ended
	}
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return nil // the time is over, or ctx was cancelled
	}
	return err
}

// screen is the model of the view.
type screen struct {
	*match
	panels        []*panel
	lines         []quality
	line          int // the index of the line's present quality
	headings      map[int]Steer
	width, height int
	still         bool
	interpolate   bool
	ended         error
}

func newScreen(all *sides, asked settings) *screen {
	s := &screen{match: newMatch(all), lines: qualities(asked.quality), headings: map[int]Steer{}, interpolate: asked.Interpolate}
	for _, number := range all.numbers {
		p := &panel{name: sideName(number), flows: &flows{}}
		p.Side = number
		s.panels = append(s.panels, p)
	}
	return s
}

// Init implements tea.Model.
func (s *screen) Init() tea.Cmd { return nil }

// Update implements tea.Model.
func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
	case report:
		return s, s.showReport(msg)
	case tea.KeyPressMsg:
		return s, s.press(msg.String())
	}
	return s, nil
}

// showReport records a report and updates the panels.
func (s *screen) showReport(r report) tea.Cmd {
	if r.Ended != "" {
		s.ended = errors.New(r.Ended)
		return tea.Quit
	}
	s.recordReport(r)
	now := time.Now()
	for _, p := range s.panels {
		if p.Side == r.Side {
			p.report = r
			p.flows.sent.addSample(now, r.Sent)
			p.flows.received.addSample(now, r.Received)
		}
		if p.Side > 0 {
			p.ghosts = s.latest[0].Snapshot.Boxes
		}
	}
	return nil
}

// View implements tea.Model.
func (s *screen) View() tea.View {
	v := tea.NewView(s.draw())
	v.AltScreen = true
	v.WindowTitle = "Entangle: simplebox"
	return v
}

// draw draws the panels beside each other.
func (s *screen) draw() string {
	links := 1
	if s.panels[0].Side == 0 {
		links = max(1, len(s.panels)-1)
	}
	n := len(s.panels)
	width := (s.width-(n-1)*gap)/n - 2
	short := s.height-linesAround-linesBelow(links, false) < min(width/2, legible)
	lines := min(width/2, s.height-linesAround-linesBelow(links, short))
	if width < narrowest || lines < shortest {
		return fmt.Sprintf("Make the terminal\nlarger: %d columns\nand %d lines do.",
			n*(narrowest+2)+(n-1)*gap, shortest+linesAround+linesBelow(links, true))
	}
	drawn := make([]string, 0, 2*n)
	for i, p := range s.panels {
		if i > 0 {
			drawn = append(drawn, spaces(gap))
		}
		drawn = append(drawn, p.draw(width, lines, links, short))
	}
	panels := lipgloss.JoinHorizontal(lipgloss.Top, drawn...)
	return strings.Join([]string{s.title(lipgloss.Width(panels)), panels, s.legend(), s.help()}, "\n")
}

// title returns a line with the sides, the line quality, and the scores.
func (s *screen) title(width int) string {
	left := look.Title.Render("simplebox")
	if len(s.panels) > 1 || s.panels[0].Side > 0 {
		left += look.Label.Render("  line " + s.lines[s.line].String())
	}
	if s.panels[0].Side == 0 && len(s.panels) > 1 {
		left += look.Label.Render(", others " + s.shows())
	}
	right := s.scores()
	if s.still {
		right = s.verdict()
	}
	return left + spaces(width-lipgloss.Width(left)-lipgloss.Width(right)) + right
}

// shows returns how the clients show what they do not predict.
func (s *screen) shows() string {
	if s.interpolate {
		return "interpolated"
	}
	return "as they arrive"
}

// scores returns how many dots each box has eaten.
func (s *screen) scores() string {
	var text []string
	for _, b := range s.latest[s.numbers[0]].Snapshot.Boxes {
		style := lipgloss.NewStyle().Foreground(boxColour(b.Hue))
		text = append(text, style.Render("■ "+count(int(b.Score))))
	}
	return strings.Join(text, "  ")
}

// verdict returns whether the clients' worlds equal the server's.
func (s *screen) verdict() string {
	switch {
	case !s.latest[0].Still:
		return look.Label.Render("holding still")
	case s.digestsEqual():
		return look.Good.Render("● still: all worlds are equal")
	default:
		return look.Bad.Render("○ still: on its way")
	}
}

// legend returns an explanation of the characters.
func (s *screen) legend() string {
	box := lipgloss.NewStyle().Bold(true).Foreground(inkColour).Background(boxColour(0)).Render("1 ")
	if len(s.panels) == 1 && s.panels[0].Side == 0 {
		return box + look.Label.Render(" the box of client 1, which eats dots")
	}
	return box + look.Label.Render(" box, moves at once ") +
		twinStyle.Render("░░") + look.Label.Render(" where the server confirmed it ") +
		lipgloss.NewStyle().Foreground(boxColour(0)).Render("░░") + look.Label.Render(" where it has it now")
}

// help returns the keys that can be used in this mode.
func (s *screen) help() string {
	var keys []string
	add := func(key, does string) {
		keys = append(keys, look.Value.Render(key)+" "+look.Label.Render(does))
	}
	switch {
	case len(s.panels) > 1:
		add("←↑↓→", "box 1")
		add("wasd", "box 2")
	case s.panels[0].Side > 0:
		add("←↑↓→", "steer")
	}
	if len(s.panels) > 1 || s.panels[0].Side > 0 {
		add("b", "bots")
		add("1-4", "line")
	}
	if s.panels[0].Side == 0 {
		add("i", "smooth")
		add("space", "still")
	}
	add("q", "quit")
	return strings.Join(keys, look.Label.Render(" · "))
}

// String formats the quality for the title.
func (q quality) String() string {
	if q == (quality{}) {
		return "as it is"
	}
	return fmt.Sprintf("+%v ±%v, %.0f %% lost", time.Duration(q.Latency), time.Duration(q.Jitter), q.Loss*100)
}
