package netsim

import "github.com/entangle-ecs/entangle/transport/conditioner"

// loss PERCENT [up|down] [CLIENTS] sets the percentage of datagrams that are lost.
func (c *cast) loss(args *Args, _ *Trace) error {
	share, err := args.Percent()
	if err != nil {
		return err
	}
	return c.condition(args, func(link *conditioner.Config) { link.Loss = share })
}
