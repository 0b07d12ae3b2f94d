package netsim

// detach NAME removes the relation of an entity of the server's world.
func (c *cast) detach(args *Args, _ *Trace) error {
	name, e, err := c.entity(args)
	if err != nil {
		return err
	}
	id, ok := c.relationOf(e)
	if !ok {
		return noSubject("%q has no relation", name)
	}
	c.world().Remove(e, id)
	return nil
}
