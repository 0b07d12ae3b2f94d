package netsim

import (
	"fmt"
	"math"

	"github.com/entangle-ecs/entangle/components"
)

// rate NAME every|priority|maxage NUMBER sets how often an entity of the server's world, which has
// components.Replicate, is sent: the fields SendEvery, Priority and MaxAge of that component.
func (c *cast) rate(args *Args, _ *Trace) error {
	m, err := c.replicated(args)
	if err != nil {
		return err
	}
	what, err := args.Word()
	if err != nil {
		return err
	}
	n, err := args.Int()
	if err != nil {
		return err
	}
	return setRate(m, what, n)
}

func setRate(m *components.Replicate, what string, n int) error {
	if n > math.MaxUint16 {
		return fmt.Errorf("a rate has a number up to %d", math.MaxUint16)
	}
	switch what {
	case "every":
		m.SendEvery = uint16(n)
	case "priority":
		m.Priority = float32(n)
	case "maxage":
		m.MaxAge = uint16(n)
	default:
		return fmt.Errorf("%q is no rate; give every, priority or maxage", what)
	}
	return nil
}
