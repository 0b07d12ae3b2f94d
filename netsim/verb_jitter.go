package netsim

import "github.com/entangle-ecs/entangle/transport/conditioner"

// jitter DURATION [up|down] [CLIENTS] sets the amount by which the latency varies, up or down.
func (c *cast) jitter(args *Args, _ *Trace) error {
	d, err := args.Duration()
	if err != nil {
		return err
	}
	return c.condition(args, func(link *conditioner.Config) { link.Jitter = d })
}
