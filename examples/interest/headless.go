package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/entangle-ecs/entangle/examples/internal/smooth"
)

// result is the line of JSON that a run without a terminal prints.
type result struct {
	Example string  `json:"example"`
	Grid    bool    `json:"grid"`
	Rooms   bool    `json:"rooms"`
	Dots    int     `json:"dots"`
	Loss    float64 `json:"loss"`
	Seed    uint64  `json:"seed"`
	Seconds float64 `json:"seconds"`

	Clients []report `json:"clients"`
}

// report is the result of one client.
type report struct {
	Client    int     `json:"client"`
	Held      float64 `json:"held"`  // number of things, on average
	Wrong     int     `json:"wrong"` // as in counts
	Late      int     `json:"late"`
	Missing   int     `json:"missing"`
	BytesPerS float64 `json:"bytes_per_s"` // received

	// Motion counts frames of things that are not smooth. It is no part of the verdict.
	Motion smooth.Counts `json:"motion"`
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

// result returns the result so far.
func (p *play) result() result {
	seconds := p.Now().Seconds()
	r := result{Example: "interest", Grid: p.server.Grid, Rooms: p.server.Rooms, Dots: p.dots, Loss: p.Loss, Seed: p.Seed, Seconds: seconds}
	for _, c := range p.clients {
		t := c.counts
		r.Clients = append(r.Clients, report{
			Client: c.number, Held: float64(t.Held) / float64(max(t.Frames, 1)),
			Wrong: t.Wrong, Late: t.Late, Missing: t.Missing,
			BytesPerS: float64(c.Stats().BytesIn) / max(seconds, 1), Motion: c.motion,
		})
	}
	return r
}

// Verdict returns an error if the example's claim does not hold.
func (r result) Verdict() error {
	var errs []error
	for _, c := range r.Clients {
		errs = append(errs, c.verdict())
	}
	return errors.Join(errs...)
}

func (c report) verdict() error {
	switch {
	case c.Held == 0:
		return fmt.Errorf("nothing has come to client %d: give it more -seconds", c.Client)
	case c.Wrong > 0:
		return fmt.Errorf("client %d held a thing %d times that did not matter to it", c.Client, c.Wrong)
	case c.Late > 0:
		return fmt.Errorf("client %d held a thing for too long, in %d frames", c.Client, c.Late)
	case c.Missing > 0:
		return fmt.Errorf("client %d did not hold a thing that matters to it, in %d frames", c.Client, c.Missing)
	}
	return nil
}
