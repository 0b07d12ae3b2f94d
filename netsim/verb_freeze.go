package netsim

// freeze server|CLIENTS DURATION lets no frame of the server or of clients begin for a duration.
func (g *GameScene) freeze(c *cast, args *Args) error {
	hosts, err := g.hosts(c, args)
	if err != nil {
		return err
	}
	d, err := args.Duration()
	if err != nil {
		return err
	}
	return eachHost(hosts, func(h *host) error { return h.freeze(g.sim.clock.Since(), d) })
}
