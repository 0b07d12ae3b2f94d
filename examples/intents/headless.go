package main

import (
	"context"
	"errors"
	"fmt"
)

// result is the line of JSON that a run without a terminal prints.
type result struct {
	Example  string   `json:"example"`
	Clients  []report `json:"clients"`
	Shots    uint64   `json:"shots"`    // that the server spawned
	Refused  uint64   `json:"refused"`  // that it did not
	Misfires uint64   `json:"misfires"` // that client A removed
	Delay    int      `json:"delay"`
	Loss     float64  `json:"loss"`
	Seed     uint64   `json:"seed"`
}

// report is about one client.
type report struct {
	Name      string `json:"name"`
	Early     int    `json:"early"`     // shots that arrived before their tick
	Late      int    `json:"late"`      // shots that arrived after it
	Rollbacks uint64 `json:"rollbacks"` // for any reason
	Compared  int    `json:"compared"`  // ticks of shots
	Differing int    `json:"differing"` // ticks in which a shot was not the server's
}

// playHeadless plays as fast as it can, for some seconds of the virtual clock.
func playHeadless(ctx context.Context, s settings) (result, error) {
	s.Headless = true
	p, err := newPlay(s)
	if err != nil {
		return result{}, err
	}
	if err := errors.Join(p.PlayOn(ctx, p.step), ctx.Err()); err != nil {
		return result{}, err
	}
	return p.result(), nil
}

func (p *play) result() result {
	inputs := p.server.Stats().Inputs
	r := result{
		Example: "intents", Shots: inputs.Intents, Refused: inputs.IntentsRefused,
		Misfires: p.clients[shooter-1].Stats().Prespawned.Unmatched, Delay: p.delay, Loss: p.Loss, Seed: p.Seed,
	}
	for i, d := range p.diaries[1:] {
		r.Clients = append(r.Clients, report{
			Name: clients[i].name, Early: d.early, Late: d.late, Rollbacks: p.clients[i].Stats().Rollbacks.Total(),
			Compared: d.compared, Differing: d.differing,
		})
	}
	return r
}

// Verdict returns an error if the example's claim does not hold.
func (r result) Verdict() error {
	early, late := 0, 0
	for _, c := range r.Clients {
		if c.Differing > 0 {
			return fmt.Errorf("client %s: %d of %d ticks of shots were not those of the server", c.Name, c.Differing, c.Compared)
		}
		if c.Compared == 0 {
			return errors.New("no shot has flown: give it more -seconds")
		}
		early, late = early+c.Early, late+c.Late
	}
	switch {
	case r.Refused == 0:
		return errors.New("no shot was refused: give it more -seconds")
	case r.Misfires < r.Refused-1: // the last one may still fly
		return fmt.Errorf("client A removed %d shots, and the server refused %d", r.Misfires, r.Refused)
	case r.Delay > 0 && (early == 0 || late == 0):
		return fmt.Errorf("%d shots arrived before their ticks and %d after, so this run shows only one half: choose another -delay or -latency", early, late)
	}
	return nil
}
