package plugin

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/protocol"
)

// inEffect returns an error for options of a protocol that this version does not implement.
// Ignoring them silently would look like a network that loses data.
func inEffect(p *protocol.Protocol) error {
	var errs []error
	refuse := func(what, name string) {
		errs = append(errs, fmt.Errorf("plugin: %s of %s has no effect in this version: remove it", what, name))
	}
	for _, c := range registry.Of(p).Components {
		if slices.Contains(marks, c.Type) {
			errs = append(errs, fmt.Errorf("plugin: %s is registered, and is the plugin's own: each side has it as it needs it, so it is never sent; remove it", c.Type))
		}
		for _, option := range optionsOf(c) {
			refuse(option, c.Name)
		}
	}
	return errors.Join(errs...)
}

// marks are the components that the plugin adds to entities, or acts on, locally in one world.
var marks = []reflect.Type{
	reflect.TypeFor[components.Replicate](), reflect.TypeFor[components.Remote](), reflect.TypeFor[components.Controlled](),
	reflect.TypeFor[components.Predicted](), reflect.TypeFor[components.ConfirmedOf](), reflect.TypeFor[components.NoRollback](),
}

// optionsOf returns the options of a component that this version does not implement.
func optionsOf(c *registry.Component) (names []string) {
	if c.Direction != registry.ServerToClient {
		names = append(names, "Direction")
	}
	if c.Blend == nil && c.Interpolate != registry.Simple {
		names = append(names, "InterpolateAs")
	}
	return names
}
