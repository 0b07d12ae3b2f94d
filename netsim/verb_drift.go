package netsim

// drift server|CLIENTS PPM makes the clocks of the server or of clients run faster (+300) or slower
// (-300) than the simulation's, in parts per million.
func (g *GameScene) drift(c *cast, args *Args) error {
	hosts, err := g.hosts(c, args)
	if err != nil {
		return err
	}
	ppm, err := args.Signed()
	if err != nil {
		return err
	}
	return eachHost(hosts, func(h *host) error { return h.clock.setDrift(ppm) })
}

// hosts takes the word server, or a list of clients.
func (g *GameScene) hosts(c *cast, args *Args) (hosts []*host, err error) {
	if args.Take("server") {
		return []*host{g.sim.server}, nil
	}
	if args.Len() == 0 {
		return nil, errMissing
	}
	clients, err := c.clients(args)
	for _, client := range clients {
		hosts = append(hosts, g.peer(client).host)
	}
	return hosts, err
}

func eachHost(hosts []*host, do func(*host) error) error {
	for _, h := range hosts {
		if err := do(h); err != nil {
			return err
		}
	}
	return nil
}
