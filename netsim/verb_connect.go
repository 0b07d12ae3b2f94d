package netsim

// connect COUNT makes clients that start connecting.
func (c *cast) connect(args *Args, _ *Trace) error {
	count, err := args.Int()
	if err != nil {
		return err
	}
	for range count {
		if _, err := c.scene.Connect(); err != nil {
			return err
		}
	}
	return nil
}
