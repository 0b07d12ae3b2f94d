package netsim

// framerate server|CLIENTS NUMBER changes how many frames per second the server or clients
// run.
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
