//go:build !js

package main

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// given is an order and the side to which it is sent.
type given struct {
	number int
	order  order
}

// testScreen returns a screen of a server and a number of clients, and the orders that it sends.
func testScreen(clients int) (*screen, *[]given) {
	orders := &[]given{}
	all := &sides{order: func(number int, o order) error {
		*orders = append(*orders, given{number, o})
		return nil
	}}
	for number := range clients + 1 {
		all.numbers = append(all.numbers, number)
	}
	return newScreen(all, settings{Interpolate: true}), orders
}

func key(text string) tea.KeyPressMsg {
	switch text {
	case "up":
		return tea.KeyPressMsg{Code: tea.KeyUp}
	case "down":
		return tea.KeyPressMsg{Code: tea.KeyDown}
	case "space":
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	}
	return tea.KeyPressMsg{Code: rune(text[0]), Text: text}
}

func TestKeysSteerTwoBoxes(t *testing.T) {
	s, orders := testScreen(2)
	for _, k := range []string{"up", "up", "down", "d", "w", "x"} {
		s.Update(key(k))
	}
	want := []given{
		{1, order{Steer: &Steer{DY: -1}}},
		{1, order{Steer: &Steer{DY: -1}}},
		{1, order{Steer: &Steer{}}}, // the opposite direction stops the box
		{2, order{Steer: &Steer{DX: 1}}},
		{2, order{Steer: &Steer{DY: -1}}},
	}
	assert.Equal(t, want, *orders)
}

func TestLettersSteerTheBoxOfALoneClientToo(t *testing.T) {
	s, orders := testScreen(0)
	s.numbers, s.panels[0].Side = []int{1}, 1
	s.Update(key("w"))
	s.Update(key("space")) // there is no server to stop
	assert.Equal(t, []given{{1, order{Steer: &Steer{DY: -1}}}}, *orders)
}

func TestOtherKeys(t *testing.T) {
	s, orders := testScreen(2)
	s.Update(key("space"))
	s.Update(key("i"))
	s.Update(key("4"))
	s.Update(key("b"))
	still, interpolate := true, false
	assert.Equal(t, []given{
		{0, order{Still: &still}},
		{0, order{Interpolate: &interpolate}},
		{1, order{Line: &s.lines[3]}},
		{2, order{Line: &s.lines[3]}},
		{1, order{Bot: true}},
		{2, order{Bot: true}},
	}, *orders)
	_, quit := s.Update(key("q"))
	require.NotNil(t, quit)
	assert.Equal(t, tea.QuitMsg{}, quit())
}

func TestTheEndOfASideEndsTheView(t *testing.T) {
	s, _ := testScreen(2)
	_, quit := s.Update(report{Side: 1, Ended: "it fell over"})
	require.NotNil(t, quit)
	assert.EqualError(t, s.ended, "it fell over")
}

// The view fits into the terminal, or asks for a larger one.
func TestTheViewFits(t *testing.T) {
	for clients := range 4 {
		s, _ := testScreen(clients)
		for number := range clients + 1 {
			s.Update(report{
				Side: number, State: "connected", Tick: 123456, Entities: 1002, Links: []link{{Client: 1, RTT: 1234, Loss: 1}},
				Predictions: &predictions{Rollbacks: 12_345, Replayed: 123_456, Why: []string{"tick 123456, 17 back, 170.344 ms: an input of another player"}},
			})
		}
		for width := 1; width < 200; width += 7 {
			for height := 1; height < 70; height += 3 {
				s.Update(tea.WindowSizeMsg{Width: width, Height: height})
				text := s.draw()
				if strings.HasPrefix(text, "Make the terminal") {
					continue
				}
				name := fmt.Sprintf("%d clients, %d by %d", clients, width, height)
				require.LessOrEqual(t, lipgloss.Height(text), height, name)
				panels := strings.Split(text, "\n")
				require.LessOrEqual(t, lipgloss.Width(strings.Join(panels[1:len(panels)-2], "\n")), width, name)
			}
		}
		s.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		assert.Equal(t, clients > 2, strings.HasPrefix(s.draw(), "Make"), "%d clients", clients)
	}
}

// On the smallest usual terminal everything fits, including the keys and the legend, and boxes can
// be seen among a thousand dots.
func TestAThousandDotsAreLegibleOnASmallTerminal(t *testing.T) {
	s, _ := testScreen(2)
	s.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	var p snapshot
	for n := range 1000 {
		p.Dots = append(p.Dots, byte(n%250), byte(n*7%250), calmHue, lot(ID{uint32(n)}))
	}
	p.Boxes = []boxSnapshot{{X: 128, Y: 128, Owner: 1}}
	for number := range 3 {
		s.Update(report{
			Side: number, State: "connected", Tick: 123456, Entities: 1002, Snapshot: p,
			Predictions: &predictions{Rollbacks: 123, Replayed: 4567, Why: []string{"tick 123456, 17 back, 170.344 ms"}},
		})
	}
	text := ansi.Strip(s.draw())
	assert.LessOrEqual(t, lipgloss.Width(text), 80)
	assert.Equal(t, 24, lipgloss.Height(text))
	assert.Contains(t, text, "where the server confirmed it")
	assert.Contains(t, text, "dots 1 of ")
	points := strings.Count(text, "░")
	for _, letter := range text {
		if letter > 0x2800 && letter <= 0x28ff {
			points++
		}
	}
	assert.Positive(t, points)
	assert.Less(t, points, 3*22*11/2, "the fields are full of dots")
}

func TestTheViewShowsWhatTheSidesReport(t *testing.T) {
	s, _ := testScreen(1)
	s.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	s.Update(report{
		State: "Started", Tick: 1234567, Entities: 1002, Still: true, Digest: "a",
		Snapshot: snapshot{Boxes: []boxSnapshot{{X: 128, Y: 128, Score: 42, Owner: 1}}},
	})
	s.still = true
	assert.Contains(t, ansi.Strip(s.draw()), "on its way")
	s.Update(report{Side: 1, State: "Connected", Digest: "a", Links: []link{{Client: 1, RTT: 170, Loss: 0.2}}})
	text := ansi.Strip(s.draw())
	s.Update(tea.WindowSizeMsg{Width: 80, Height: 40})
	assert.Contains(t, ansi.Strip(s.draw()), "1,234,567")
	for _, want := range []string{"1,002", "all worlds are equal", "170 ms", "loss 20 %", "connected"} {
		assert.Contains(t, text, want)
	}
	s.still = false
	assert.Contains(t, ansi.Strip(s.draw()), "■ 42")
}

func TestAFieldDrawsDotsAndBoxes(t *testing.T) {
	f := newField(8, 4)
	f.dots(snapshot{Dots: []byte{0, 0, calmHue, 0, 255, 255, 1, 0, 0, 20, calmHue, 0}})
	f.boxes([]boxSnapshot{{X: 128, Y: 128, Owner: 2}}, shadowCell)
	f.boxes([]boxSnapshot{{X: 255, Y: 0, Owner: 12}}, boxCell)
	want := strings.Join([]string{
		"⠃     • ",
		"        ",
		"   ░░   ",
		"       ⢀",
	}, "\n")
	assert.Equal(t, want, ansi.Strip(f.String()))
}
