package netsim

// detach NAME ends the relation that an entity of the server's world has.
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
