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

// marks are the components that the plugin adds to entities, or acts on, locally in one world.
var marks = []reflect.Type{
	reflect.TypeFor[components.Replicate](), reflect.TypeFor[components.Remote](), reflect.TypeFor[components.Controlled](),
	reflect.TypeFor[components.Predicted](), reflect.TypeFor[components.ConfirmedOf](), reflect.TypeFor[components.NoRollback](),
}

// checkMarks returns an error for a protocol in which marks are registered.
func checkMarks(p *protocol.Protocol) error {
	var errs []error
	for _, c := range registry.Of(p).Components {
		if slices.Contains(marks, c.Type) {
			errs = append(errs, fmt.Errorf("plugin: %s is registered, and is the plugin's own: each side has it as it needs it, so it is never sent; remove it", c.Type))
		}
	}
	return errors.Join(errs...)
}
