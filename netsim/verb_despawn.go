package netsim

// despawn NAME removes an entity from the server's world.
func (c *cast) despawn(args *Args, _ *Trace) error {
	_, e, err := c.entity(args)
	if err != nil {
		return err
	}
	c.world().RemoveEntity(e)
	return nil
}
