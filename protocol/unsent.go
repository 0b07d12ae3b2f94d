package protocol

import (
	"reflect"

	"github.com/entangle-ecs/entangle/internal/registry"
)

// Unsent registers that T is not sent on purpose: a component that only one side has on its
// replicated entities, such as data of an entity that no client may know. The two sides do not
// compare it, so the other side need not register it, nor know the type. If a component is not
// registered at all, a server logs one warning about it.
//
// T may not be registered as anything else. Register a component that a rollback has to restore
// with Local instead.
func Unsent[T any](p *Protocol) {
	t := reflect.TypeFor[T]()
	if r := newRule(p, registry.KindUnsent, t); !r.off {
		p.unsent = append(p.unsent, t)
	}
}
