package netsim

// framerate server|CLIENTS NUMBER sets the frames per second of the server or of clients.
func (g *GameScene) frameRate(c *cast, args *Args) error {
	hosts, err := g.hosts(c, args)
	if err != nil {
		return err
	}
	rate, err := args.Int()
	if err != nil {
		return err
	}
	return eachHost(hosts, func(h *host) error { return h.setFrameRate(rate) })
}
