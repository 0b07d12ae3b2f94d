package netsim

// replicate RESOURCE TARGET|stop has the clients of a target get a resource, or leaves
// it to them as it is. A target is written as for the verb target.
func (c *cast) replicate(args *Args, _ *Trace) error {
	t, err := c.takeResource(args)
	if err != nil {
		return err
	}
	if args.Take("stop") {
		t.stop(c.world())
		return nil
	}
	target, err := c.takeTarget(args)
	if err == nil {
		t.replicate(c.world(), target)
	}
	return err
}
