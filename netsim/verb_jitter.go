package netsim

import "github.com/entangle-ecs/entangle/transport/conditioner"

// jitter DURATION [up|down] [CLIENTS] sets by how much the latency varies, more or
// less.
func (c *cast) jitter(args *Args, _ *Trace) error {
	d, err := args.Duration()
	if err != nil {
		return err
	}
	return c.condition(args, func(link *conditioner.Config) { link.Jitter = d })
}
