package netsim

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/mlange-42/arche/ecs"
)

// put RESOURCE sets a resource of the server's world, adding it if necessary. The syntax is that of
// components: Round or Round=3,red.
func (c *cast) put(args *Args, _ *Trace) error {
	word, err := args.Word()
	if err != nil {
		return err
	}
	name, text, hasValue := strings.Cut(word, "=")
	t, err := c.resource(name)
	if err != nil {
		return err
	}
	value := reflect.New(t.t)
	if hasValue {
		if err := parseValue(value.Elem(), text, c.entities); err != nil {
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

// resource returns a resource by its name.
func (c *cast) resource(name string) (*Type, error) {
	t, ok := c.resources[name]
	if !ok {
		return nil, fmt.Errorf("nothing is known of a resource %q; add Resource of it to the scene with Use", name)
	}
	return t, nil
}

// takeResource takes the name of a resource.
func (c *cast) takeResource(args *Args) (*Type, error) {
	name, err := args.Word()
	if err != nil {
		return nil, err
	}
	return c.resource(name)
}
