package netsim

import "github.com/entangle-ecs/entangle/transport/conditioner"

// reorder PERCENT [up|down] [CLIENTS] sets the percentage of datagrams that arrive after later
// ones.
func (c *cast) reorder(args *Args, _ *Trace) error {
	share, err := args.Percent()
	if err != nil {
		return err
	}
	return c.condition(args, func(link *conditioner.Config) { link.Reorder = share })
}
