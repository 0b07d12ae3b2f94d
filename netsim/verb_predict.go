package netsim

// predict NAME TARGET sets the clients that predict an entity of the server's world, which has
// components.Replicate. A target is written as for the verb target.
func (c *cast) predict(args *Args, _ *Trace) error {
	m, err := c.replicated(args)
	if err != nil {
		return err
	}
	target, err := c.takeTarget(args)
	if err == nil {
		m.Predict = target
	}
	return err
}
