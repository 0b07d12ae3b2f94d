package netsim

import "github.com/entangle-ecs/entangle/transport/conditioner"

// latency DURATION [up|down] [CLIENTS] sets the travel time of datagrams in one direction.
func (c *cast) latency(args *Args, _ *Trace) error {
	d, err := args.Duration()
	if err != nil {
		return err
	}
	return c.condition(args, func(link *conditioner.Config) { link.Latency = d })
}

// condition changes the links of the given clients, in the given direction or in both.
func (c *cast) condition(args *Args, change func(*conditioner.Config)) error {
	up, down := args.Take("up"), args.Take("down")
	clients, err := c.clients(args)
	if err != nil {
		return err
	}
	for _, client := range clients {
		line := c.scene.Line(client)
		link := line.Link()
		if !down {
			change(&link.Up)
		}
		if !up {
			change(&link.Down)
		}
		if err := line.SetLink(link); err != nil {
			return err
		}
	}
	return nil
}
