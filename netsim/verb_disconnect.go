package netsim

// disconnect [CLIENTS] ends the connections of clients from their side.
func (c *cast) disconnect(args *Args, _ *Trace) error {
	clients, err := c.clients(args)
	if err != nil {
		return err
	}
	for _, client := range clients {
		if err := c.scene.Disconnect(client); err != nil {
			return err
		}
	}
	return nil
}
