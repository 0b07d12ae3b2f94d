package netsim

import "github.com/entangle-ecs/entangle/transport/conditioner"

// duplicate PERCENT [up|down] [CLIENTS] sets the percentage of datagrams that arrive twice.
func (c *cast) duplicate(args *Args, _ *Trace) error {
	share, err := args.Percent()
	if err != nil {
		return err
	}
	return c.condition(args, func(link *conditioner.Config) { link.Duplicate = share })
}
