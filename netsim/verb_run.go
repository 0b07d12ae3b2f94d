package netsim

// run DURATION advances time.
func (c *cast) run(args *Args, trace *Trace) error {
	d, err := args.Duration()
	if err != nil {
		return err
	}
	return c.scene.Run(d, trace)
}
