//go:build !js

package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/examples/internal/look"
)

const (
	shipCell, waitCell, shotCell, refusedCell = "▶", "✶", "●", "✗"
)

// show draws all worlds until the player quits, or the time is over.
func show(ctx context.Context, s settings) error {
	p, err := newPlay(s)
	if err != nil {
		return err
	}
	return newScreen(p).Show(ctx)
}

// screen is the view.
type screen struct {
	*play
	look.Screen
}

func newScreen(p *play) *screen {
	s := &screen{play: p}
	s.Screen = look.Screen{Title: "intents", Rate: tickRate, Step: p.step, Draw: s.draw}
	return s
}

// draw draws a track for each side, with what is to be said about it above.
func (s *screen) draw() string {
	r := s.result()
	rows := []string{
		look.Title.Render("intents") + look.Label.Render(fmt.Sprintf("  A says %d ticks before a shot that it shoots", s.delay)), "",
		look.Value.Render("server") + look.Label.Render(fmt.Sprintf("  %d shots, %d refused", r.Shots, r.Refused)), s.drawTrack(0), "",
	}
	for i := range clients {
		rows = append(rows, s.caption(i, r.Clients[i]), s.drawTrack(i+1), "")
	}
	return s.Fit(strings.Join(append(rows, s.help()), "\n"))
}

// caption returns how the last shot came to a client, and whether its shots are those of the server.
func (s *screen) caption(i int, r report) string {
	came := look.Label
	says := "no shot yet"
	if last := s.diaries[i+1].last; last.gun > 0 {
		switch wait := last.wait(); {
		case i == int(shooter)-1:
			says = fmt.Sprintf("fires it %d ticks before", wait+1)
		case wait > 0:
			says = fmt.Sprintf("here %d ticks before", wait)
		case wait == 0:
			says = "here just in time"
		default:
			came, says = look.Value, fmt.Sprintf("%d ticks late: rolled back", -wait)
		}
	}
	differs := look.Good.Render("all as on the server")
	if r.Differing > 0 {
		differs = look.Bad.Render(fmt.Sprintf("%d of %d ticks differ", r.Differing, r.Compared))
	}
	latency := clients[i].latency + time.Duration(s.Latency)
	return look.Value.Render(clients[i].name) + look.Label.Render(fmt.Sprintf(" (%v): ", latency)) + came.Render(says) + "  " + differs
}

// drawTrack draws the ship and the shots of one side's world.
func (s *screen) drawTrack(side int) string {
	w := s.Worlds[side]
	cells := make([]string, track+1)
	for i := range cells {
		cells[i] = look.Frame.Render("·")
	}
	cells[0] = look.Value.Render(shipCell)
	flight := ecs.ComponentID[Flight](w)
	for q := generic.NewFilter1[Shell]().Query(w); q.Next(); {
		b, at := q.Get(), (*Flight)(w.Get(q.Entity(), flight))
		switch {
		case at == nil:
			cells[0] = look.Good.Render(waitCell)
		case b.Gun > guns:
			cells[min(max(at.X/100, 0), track)] = look.Bad.Render(refusedCell)
		default:
			cells[min(max(at.X/100, 0), track)] = look.Good.Render(shotCell)
		}
	}
	return strings.Join(cells, "")
}

// help returns an explanation of the characters, and the key that quits.
func (s *screen) help() string {
	return look.Good.Render(waitCell) + look.Label.Render(" to come  ") + look.Good.Render(shotCell) + look.Label.Render(" flies  ") +
		look.Bad.Render(refusedCell) + look.Label.Render(" the server refuses it · q quit")
}
