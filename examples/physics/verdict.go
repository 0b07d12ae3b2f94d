package main

import (
	"errors"
	"fmt"

	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

var errWorldsDiffer = errors.New("the worlds are not equal")

// Verdict returns an error if a run does not show what the example claims: that every
// client ends with the server's world, and that none goes back where the delay of inputs
// covers the way from one player to another.
func (r result) Verdict() error {
	if r.Mode != stage.All {
		return nil
	}
	if !r.WorldsEqual {
		return errWorldsDiffer
	}
	for i, c := range r.Clients {
		if r.Covered && c.Rollbacks > 0 {
			return fmt.Errorf("client %d went back %d times, though every input was there in time", i+1, c.Rollbacks)
		}
	}
	return nil
}
