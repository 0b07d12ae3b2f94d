package inspect

import (
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// MirroredResource is one registered resource.
type MirroredResource struct {
	// On: a server replicates it. A client is told nothing of that.
	On bool
	// Target that a server replicates it to.
	Target components.Target
	// There: the world of a server has it; a client holds one of its server.
	There bool
	// Wire is the value as it is sent, but with entities as places in Refs; nil for
	// a value that can't be sent.
	Wire []byte
	Refs []ecs.Entity
}

// Resource encodes one resource.
func (m *MirrorRefs) Resource(plan *wire.Plan, value any) ([]byte, []ecs.Entity) {
	var w bits.Writer
	m.refs = nil
	if _, err := plan.EncodeAny(&w, value, m); err != nil {
		return nil, nil
	}
	return append([]byte{}, w.Finish()...), m.refs
}
