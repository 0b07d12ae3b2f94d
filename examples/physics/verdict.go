package main

import (
	"errors"
	"fmt"

	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

var errWorldsDiffer = errors.New("the worlds are not equal")

// Verdict returns an error if the claims of the example do not hold: every client ends with the
// server's world, and there are no rollbacks if the input delay covers the latency between players.
func (r result) Verdict() error {
	if r.Mode != stage.All {
		return nil
	}
	if !r.WorldsEqual {
		return errWorldsDiffer
	}
	for i, c := range r.Clients {
		if r.Covered && c.Rollbacks > 0 {
			return fmt.Errorf("client %d rolled back %d times, though every input arrived in time", i+1, c.Rollbacks)
		}
	}
	return nil
}
