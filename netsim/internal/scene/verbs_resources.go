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
func (c *commands) putResource(args *script.Args, _ *script.Trace) {
	name, text, hasValue := strings.Cut(args.Word(), "=")
	t := c.findResource(args, name)
	if args.Err() != nil {
		return
	}
	value := c.parseValue(args, t.t, name, text, hasValue)
	resources, id := c.world().Resources(), ecs.ResourceTypeID(c.world(), t.t)
	switch there := resources.Get(id); {
	case args.Err() != nil:
	case there != nil:
		reflect.ValueOf(there).Elem().Set(value.Elem())
	default:
		resources.Add(id, value.Interface())
	}
}

// findResource returns a resource by its name.
func (c *commands) findResource(args *script.Args, name string) *Type {
	t, ok := c.resources[name]
	if !ok {
		args.Fail(fmt.Errorf("nothing is known of a resource %q; add Resource of it to the scene with Use", name))
	}
	return t
}

// removeResource implements "take RESOURCE", which removes a resource from the server's world.
func (c *commands) removeResource(args *script.Args, _ *script.Trace) {
	t := c.findResource(args, args.Word())
	if args.Err() != nil {
		return
	}
	resources, id := c.world().Resources(), ecs.ResourceTypeID(c.world(), t.t)
	if !resources.Has(id) {
		args.Fail(script.NoSubject("there is no resource %v", t.t))
		return
	}
	resources.Remove(id)
}

// replicateResource implements "replicate RESOURCE TARGET|stop", which replicates a resource to the
// clients of a target, or stops replicating it, in which case the clients keep their present value.
// A target is written as for the verb target.
func (c *commands) replicateResource(args *script.Args, _ *script.Trace) {
	t := c.findResource(args, args.Word())
	if args.Take("stop") {
		t.stop(c.world())
	} else if target := c.targetArg(args); args.Err() == nil {
		t.replicate(c.world(), target)
	}
}
