package main

import (
	"errors"
	"fmt"

	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

// leastShare is the least share of shots that have to hit what they were aimed at, in percent. The others are those
// whose input reached the server too late.
const leastShare = 98

// Verdict returns an error if the claims of the example do not hold: what a player aims at is what it hits, no bullet
// is shown twice or comes back, and on a good line no bullet causes a rollback.
func (r result) Verdict() error {
	if r.Mode == stage.Server {
		return nil
	}
	for i := range r.Clients {
		c := &r.Clients[i]
		if err := c.check(r.Loss == 0 && r.JitterMS == 0); err != nil {
			return fmt.Errorf("player %d: %w", i+1, err)
		}
	}
	return nil
}

func (c *clientResult) check(goodLine bool) error {
	switch shots := c.Aimed + c.Lost; {
	case shots == 0:
		return errors.New("no shot was aimed at anybody: give it more -seconds or less -loss")
	case 100*c.Hit < leastShare*shots:
		return fmt.Errorf("of %d shots, only %d hit what they were aimed at", shots, c.Hit)
	case c.Twice+c.Back > 0:
		return fmt.Errorf("%d bullets were shown twice, and %d came back after they had vanished", c.Twice, c.Back)
	case goodLine && c.ByBullets > 0:
		return fmt.Errorf("bullets have caused %d rollbacks on a good line", c.ByBullets)
	}
	return nil
}
