package netsim

// set NAME COMPONENTS changes the values of components of an entity of the
// server's world.
func (c *cast) set(args *Args, _ *Trace) error {
	name, e, err := c.entity(args)
	if err != nil {
		return err
	}
	components, err := c.components(args)
	if err != nil {
		return err
	}
	for _, component := range components {
		if !c.world().Has(e, component.ID) {
			return noSubject("%q has no component %T", name, component.Comp)
		}
	}
	for _, component := range components {
		c.world().Set(e, component.ID, component.Comp)
	}
	return nil
}
