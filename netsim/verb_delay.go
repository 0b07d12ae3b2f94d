package netsim

import "github.com/entangle-ecs/entangle/plugin"

// delay CLIENTS MIN [MAX [PREDICTED]] sets the input delay of clients, in ticks, see
// plugin.InputDelay.
func (g *GameScene) delay(c *cast, args *Args) error {
	if args.Len() == 0 {
		return errMissing
	}
	clients, err := c.clients(args)
	if err != nil {
		return err
	}
	var delay plugin.InputDelay
	if delay.Min, err = args.Int(); err != nil {
		return err
	}
	for _, field := range []*int{&delay.Max, &delay.MaxPredicted} {
		if args.Len() == 0 {
			break
		}
		if *field, err = args.Int(); err != nil {
			return err
		}
	}
	for _, client := range clients {
		if err := g.peer(client).client.SetInputDelay(delay); err != nil {
			return err
		}
	}
	return nil
}
