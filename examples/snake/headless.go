package main

import (
	"context"
	"errors"
	"fmt"
)

// result is the line of JSON that a run without a terminal prints.
type result struct {
	Example       string `json:"example"`
	GroupedTorn   int    `json:"grouped_torn"` // frames in which the client showed that snake torn
	UngroupedTorn int    `json:"apart_torn"`
	Frames        int    `json:"frames"` // frames in which the client showed the snake with the group
	Segments      int    `json:"segments"`
	// Pace is that of the snake with the group. It is no part of the verdict.
	Pace pace    `json:"pace"`
	Loss float64 `json:"loss"`
	Seed uint64  `json:"seed"`
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
	return result{
		Example:     "snake",
		GroupedTorn: p.tallies[grouped].Torn, UngroupedTorn: p.tallies[ungrouped].Torn, Frames: p.tallies[grouped].Frames,
		Segments: s.segments, Pace: p.tallies[grouped].pace, Loss: s.Loss, Seed: s.Seed,
	}, nil
}

// Verdict returns an error if the example's claim does not hold.
func (r result) Verdict() error {
	switch {
	case r.Frames == 0:
		return errors.New("no snake has arrived: give it more -seconds or less -loss")
	case r.GroupedTorn > 0:
		return fmt.Errorf("the snake with a group was torn in %d of %d frames", r.GroupedTorn, r.Frames)
	case r.UngroupedTorn == 0:
		return errors.New("nothing was torn without a group either, so this run shows nothing: give it more -seconds or more -loss")
	}
	return nil
}
