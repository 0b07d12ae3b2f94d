package netsim

// cut [CLIENTS] drops everything that is sent on their lines from now on.
func (c *cast) cut(args *Args, _ *Trace) error {
	clients, err := c.clients(args)
	if err != nil {
		return err
	}
	for _, client := range clients {
		c.scene.Line(client).Cut()
	}
	return nil
}
