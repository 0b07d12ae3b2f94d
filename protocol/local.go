package protocol

import (
	"reflect"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
)

// Local registers T as a component that takes part in rollbacks on a client that predicts: its
// values are kept per tick and restored. It is never sent, and the other side need not register it.
// T must not hold Go pointers.
func Local[T any](p *Protocol) {
	t := reflect.TypeFor[T]()
	if r := newRule(p, registry.KindLocal, t); !r.off {
		p.locals = append(p.locals, &registry.Local{Name: wire.TypeName(t), Type: t})
	}
}

// finishLocal refuses types with pointers, because Arche and histories copy values as bytes.
func (p *Protocol) finishLocal(l *registry.Local) {
	if err := wire.RefusePointers(l.Type, registry.KindLocal.String()+" "+l.Name); err != nil {
		p.unfit = append(p.unfit, setupErrors(err)...)
	}
}
