package netsim

// replicate RESOURCE TARGET|stop replicates a resource to the clients of a target, or stops
// replicating it, in which case the clients keep their present value. A target is written as for
// the verb target.
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
