package scene

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/netsim/internal/script"
)

// putResource implements "put RESOURCE", which sets a resource of the server's world, adding it if
// necessary. The syntax is that of components: Round or Round=3,red.
func (c *commands) putResource(args *script.Args, _ *script.Trace) error {
	word, err := args.Word()
	if err != nil {
		return err
	}
	name, text, hasValue := strings.Cut(word, "=")
	t, err := c.findResource(name)
	if err != nil {
		return err
	}
	value := reflect.New(t.t)
	if hasValue {
		if err := script.ParseValue(value.Elem(), text, c.entities); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	resources, id := c.world().Resources(), ecs.ResourceTypeID(c.world(), t.t)
	if there := resources.Get(id); there != nil {
		reflect.ValueOf(there).Elem().Set(value.Elem())
	} else {
		resources.Add(id, value.Interface())
	}
	return nil
}

// findResource returns a resource by its name.
func (c *commands) findResource(name string) (*Type, error) {
	t, ok := c.resources[name]
	if !ok {
		return nil, fmt.Errorf("nothing is known of a resource %q; add Resource of it to the scene with Use", name)
	}
	return t, nil
}

// resourceArg takes the name of a resource.
func (c *commands) resourceArg(args *script.Args) (*Type, error) {
	name, err := args.Word()
	if err != nil {
		return nil, err
	}
	return c.findResource(name)
}

// removeResource implements "take RESOURCE", which removes a resource from the server's world.
func (c *commands) removeResource(args *script.Args, _ *script.Trace) error {
	t, err := c.resourceArg(args)
	if err != nil {
		return err
	}
	resources, id := c.world().Resources(), ecs.ResourceTypeID(c.world(), t.t)
	if !resources.Has(id) {
		return script.NoSubject("there is no resource %v", t.t)
	}
	resources.Remove(id)
	return nil
}

// replicateResource implements "replicate RESOURCE TARGET|stop", which replicates a resource to the
// clients of a target, or stops replicating it, in which case the clients keep their present value.
// A target is written as for the verb target.
func (c *commands) replicateResource(args *script.Args, _ *script.Trace) error {
	t, err := c.resourceArg(args)
	if err != nil {
		return err
	}
	if args.Take("stop") {
		t.stop(c.world())
		return nil
	}
	target, err := c.targetArg(args)
	if err == nil {
		t.replicate(c.world(), target)
	}
	return err
}
