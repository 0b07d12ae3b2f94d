package netsim

// spawn NAME COMPONENTS creates an entity in the server's world. Components are written as Health,
// with values as Position=1,2, or with some fields by name as Position=Y:2. The name of a despawned
// entity may be used again.
func (c *cast) spawn(args *Args, _ *Trace) error {
	name, err := args.Word()
	if err != nil {
		return err
	}
	if e, taken := c.entities[name]; taken && c.world().Alive(e) {
		return noSubject("%q lives already", name)
	}
	components, err := c.components(args)
	if err != nil {
		return err
	}
	c.entities[name] = c.world().NewEntityWith(components...)
	return nil
}
