//go:build !js

package main

import (
	"errors"

	tea "charm.land/bubbletea/v2"
)

// headings are the directions of keys. Terminals do not report the release of keys, so a box keeps
// moving until another key is pressed, and the opposite key stops it.
var headings = map[string]Steer{
	"up": {DY: -1}, "down": {DY: 1}, "left": {DX: -1}, "right": {DX: 1},
	"w": {DY: -1}, "s": {DY: 1}, "a": {DX: -1}, "d": {DX: 1},
}

// press handles a key.
func (s *screen) press(key string) tea.Cmd {
	if err := s.obey(key); err != nil {
		s.ended = errors.Join(s.ended, err)
		return tea.Quit
	}
	switch key {
	case "q", "ctrl+c":
		return tea.Quit
	default:
		return nil
	}
}

func (s *screen) obey(key string) error {
	heading, steers := headings[key]
	switch {
	case steers:
		return s.steer(s.steered(key), heading)
	case key == "b":
		clear(s.headings)
		return s.orderClients(order{Bot: true})
	case key == "space" && s.panels[0].Side == 0:
		s.still = !s.still
		return s.order(0, order{Still: &s.still})
	case key == "i" && s.panels[0].Side == 0:
		s.interpolate = !s.interpolate
		return s.order(0, order{Interpolate: &s.interpolate})
	case len(key) == 1 && key >= "1" && int(key[0]-'1') < len(s.lines):
		s.line = int(key[0] - '1')
		return s.orderClients(order{Line: &s.lines[s.line]})
	}
	return nil
}

// steered returns the client that a key steers. With several clients, the letters steer the second
// one. 0 stands for none.
func (s *screen) steered(key string) int {
	var clients []int
	for _, p := range s.panels {
		if p.Side > 0 {
			clients = append(clients, p.Side)
		}
	}
	switch {
	case len(clients) == 0:
		return 0
	case len(clients) > 1 && len(key) == 1:
		return clients[1]
	default:
		return clients[0]
	}
}

// steer changes the direction of a client's box.
func (s *screen) steer(client int, to Steer) error {
	if client == 0 {
		return nil
	}
	now := s.headings[client]
	if now != (Steer{}) && to == (Steer{DX: -now.DX, DY: -now.DY}) {
		to = Steer{}
	}
	s.headings[client] = to
	return s.order(client, order{Steer: &to})
}

func (s *screen) orderClients(o order) error {
	for _, p := range s.panels {
		if p.Side == 0 {
			continue
		}
		if err := s.order(p.Side, o); err != nil {
			return err
		}
	}
	return nil
}
