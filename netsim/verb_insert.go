package netsim

// insert NAME COMPONENTS adds components to an entity of the server's world, which must not have
// them.
func (c *cast) insert(args *Args, _ *Trace) error {
	name, e, err := c.entity(args)
	if err != nil {
		return err
	}
	components, err := c.components(args)
	if err != nil {
		return err
	}
	for _, component := range components {
		if c.world().Has(e, component.ID) {
			return noSubject("%q has the component %T already", name, component.Comp)
		}
	}
	c.world().Assign(e, components...)
	return nil
}
