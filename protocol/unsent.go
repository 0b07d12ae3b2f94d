package protocol

import (
	"reflect"

	"github.com/entangle-ecs/entangle/internal/registry"
)

// Unsent says that T is not sent on purpose: a component that only one side has on its
// replicated entities, such as what the server knows of an entity and nobody else may. It is
// in no list that the two sides compare, so the other side need not register it, nor know the
// type. Without it a server warns, once, of a component that is not registered.
//
// T may not be registered as anything else. A component to be restored in a rollback is Local.
func Unsent[T any](p *Protocol) {
	t := reflect.TypeFor[T]()
	if r := newRule(p, registry.KindUnsent, t); !r.off {
		p.unsent = append(p.unsent, t)
	}
}
