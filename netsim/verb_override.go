package netsim

import "fmt"

// override NAME COMPONENT TARGET|clear limits a component of an entity of the server's world to the
// clients of a target, out of those that receive the entity, or removes that limit. A target is
// written as for the verb target.
func (c *cast) override(args *Args, _ *Trace) error {
	_, e, err := c.entity(args)
	if err != nil {
		return err
	}
	word, err := args.Word()
	if err != nil {
		return err
	}
	t, ok := c.overrides[word]
	if !ok {
		return fmt.Errorf("nothing is known of overrides of %q; add Overridden of it to the scene with Use", word)
	}
	if args.Take("clear") {
		t.clear(c.world(), e)
		return nil
	}
	target, err := c.takeTarget(args)
	if err == nil {
		t.override(c.world(), e, target)
	}
	return err
}
