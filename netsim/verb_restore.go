package netsim

// restore [CLIENTS] ends a cut.
func (c *cast) restore(args *Args, _ *Trace) error {
	clients, err := c.clients(args)
	if err != nil {
		return err
	}
	for _, client := range clients {
		c.scene.Line(client).Restore()
	}
	return nil
}
